import { type JsonObject, type Outcome, type RefusedMeta, refusedMeta } from '@truename/mcp-link'
import type { Key } from '@truename/tool-registry'
import type { GuardedOutcome } from './guarded-call.ts'
import type { UriRoutes } from './uri-routes.ts'

type NotAnswered = Exclude<GuardedOutcome, { kind: 'answered' }>

/** Implementation-defined errors of JSON-RPC; clients may assume no meaning. */
const refusedCode = -32000

const textOf = (outcome: NotAnswered): string =>
  outcome.kind === 'refused' ? outcome.text : outcome.unavailable.message

function metaOf(key: Key, outcome: NotAnswered): JsonObject {
  if (outcome.kind === 'unavailable') return {}
  const reason = outcome.field !== undefined ? 'held' : outcome.verdict === 'ask' ? 'approval' : 'policy'
  const refused: RefusedMeta = { ...key, reason, message: outcome.text }
  return { [refusedMeta]: outcome.field === undefined ? refused : { ...refused, field: outcome.field } }
}

/** A refused or impossible tool call: a tool error, so that the model is told and can do something else. */
export const toolRefusal = (key: Key, outcome: NotAnswered): Outcome => ({
  kind: 'result',
  value: { content: [{ type: 'text', text: textOf(outcome) }], isError: true, _meta: metaOf(key, outcome) },
})

/** A refused or impossible prompt or reading: these have no error in their result. */
export const requestRefusal = (key: Key, outcome: NotAnswered): Outcome => ({
  kind: 'error',
  error: {
    code: refusedCode,
    message: textOf(outcome),
    data: { server: key.server, reason: outcome.kind, _meta: metaOf(key, outcome) },
  },
})

/** A URI that is no server's, with the reason in at most three lines. */
export function noOwner(routes: UriRoutes, uri: string): Extract<Outcome, { kind: 'error' }> {
  const { lines } = routes.explain(uri)
  return {
    kind: 'error',
    error: {
      code: -32602,
      message: `No server owns ${uri}: it matches no template and no recorded space of the lock. ${lines.join(' ')}`,
      data: { uri, reason: 'no-template', explanation: lines },
    },
  }
}

/** What a log says of a record that it does not take, in words of ours: a message of its own may name files. */
const notRecorded: Readonly<Record<string, string>> = {
  'write-failed': 'the decision log cannot be written',
  'log-closed': 'the decision log is closed',
  'record-too-large': 'its record would be too large',
  'bad-record': 'it has no form that can be recorded',
}

/** What a client is told of something that was thrown: nothing of the message, which may quote what it was about. */
export function failedInside(thrown: unknown): Extract<Outcome, { kind: 'error' }> {
  const code = String((thrown as { readonly code?: unknown } | null | undefined)?.code)
  const why = Object.hasOwn(notRecorded, code) ? notRecorded[code] : undefined
  // A log that cannot be written refuses calls.
  return why
    ? {
        kind: 'error',
        error: {
          code: refusedCode,
          message: `The decision could not be recorded, so the call was not sent: ${why}`,
          data: { reason: 'log' },
        },
      }
    : {
        kind: 'error',
        error: { code: -32603, message: 'Internal error of the proxy; its own log says more' },
      }
}
