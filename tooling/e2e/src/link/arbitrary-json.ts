import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'

/** Stands in a message for the id of the request that is being answered. */
export const theId = '"$ID"'

const scalars = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    'false',
    '0',
    '-0',
    '-32601',
    '-32022',
    '1e400',
    '9007199254740993',
    '""',
    '[]',
    '{}',
    '"2026-07-28"',
    '"complete"',
    '"input_required"',
    theId,
  ),
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.double().map((number) => JSON.stringify(number)),
)
const names = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'length',
  'then',
  '_meta',
  'resultType',
  'inputRequests',
  'requestState',
  'structuredContent',
  'content',
  'isError',
  'tools',
  'nextCursor',
  'inputSchema',
  'x-mcp-header',
  'name',
  'progressToken',
  'progress',
  'total',
  'requestId',
  'uri',
  'notifications',
  'code',
  'message',
  'data',
  'supported',
  'requested',
  'supportedVersions',
  'protocolVersion',
  'capabilities',
  'io.modelcontextprotocol/subscriptionId',
)
const object = (members: readonly (readonly [string, string])[]): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`

/** The text of any JSON value, member names that matter here among them, repeated ones and `__proto__` too. */
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 5 }).map(object),
  ),
}))

const methods = fc.constantFrom(
  'notifications/progress',
  'notifications/cancelled',
  'notifications/message',
  'notifications/initialized',
  'notifications/tools/list_changed',
  'notifications/resources/updated',
  'notifications/subscriptions/acknowledged',
  'ping',
  'initialize',
  'roots/list',
  'sampling/createMessage',
  'elicitation/create',
  'tools/call',
  '__proto__',
  '',
)
const withVersion = (...members: readonly (readonly [string, string])[]) =>
  object([['jsonrpc', '"2.0"'], ...members])

/** The text of anything a peer may say: results, errors, notifications, requests, and what is no message at all. */
export const said: fc.Arbitrary<string> = fc.oneof(
  value.map((result) => withVersion(['id', theId], ['result', result])),
  value.map((error) => withVersion(['id', theId], ['error', error])),
  fc.tuple(fc.constantFrom('-32601', '-32022', '-32020', '-32602', '0.5'), value).map(([code, data]) =>
    withVersion(
      ['id', theId],
      [
        'error',
        object([
          ['code', code],
          ['message', '"no"'],
          ['data', data],
        ]),
      ],
    ),
  ),
  fc.tuple(value, value).map(([id, result]) => withVersion(['id', id], ['result', result])),
  fc.tuple(value, value).map(([id, error]) => withVersion(['id', id], ['error', error])),
  fc
    .tuple(methods, value)
    .map(([method, params]) => withVersion(['method', JSON.stringify(method)], ['params', params])),
  fc
    .tuple(methods, value, value)
    .map(([method, id, params]) =>
      withVersion(['id', id], ['method', JSON.stringify(method)], ['params', params]),
    ),
  value,
)

let gc: (() => void) | undefined
/** Bytes in use on the heap of this thread, once everything that can go is gone. */
export function heapInUse(): number {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc')
    gc = runInNewContext('gc') as () => void
  }
  gc()
  gc()
  return process.memoryUsage().heapUsed
}
