import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  discoverResult,
  drive,
  error,
  initializeResult,
  legacyServer,
  modernServer,
} from '../../test/scripted-peer.ts'
import { readServerCapabilities } from './capabilities.ts'
import { clientCanAnswer, intersectClient, unionForGateway } from './gateway.ts'
import { isObject, type JsonObject } from './json.ts'
import { MESSAGES } from './messages.ts'
import { createNegotiation, type Negotiation } from './negotiation.ts'
import type { NegotiationEvent } from './outcome.ts'
import { parameterHeaders } from './parameter-headers.ts'
import { classifyProbe, resultKind } from './probe.ts'
import type { Step } from './steps.ts'
import { eraOf } from './versions.ts'

/** JSON as a hostile peer would write it: member names that matter here, and names every object inherits. */
const names = fc.oneof(
  fc.constantFrom(
    'tools',
    'resources',
    'prompts',
    'logging',
    'completions',
    'tasks',
    'extensions',
    'elicitation',
    'subscribe',
    'listChanged',
    'capabilities',
    'protocolVersion',
    'supportedVersions',
    'supported',
    'resultType',
    '_meta',
    'error',
    'code',
    'data',
    'result',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'length',
    'x-mcp-header',
    'properties',
  ),
  fc.string({ maxLength: 4 }),
)
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      null,
      true,
      false,
      0,
      -32601,
      -32022,
      -32020,
      1e308,
      '',
      '2026-07-28',
      '2025-11-25',
      'zzz',
      'complete',
      {},
      [],
    ),
    fc.string({ maxLength: 6 }),
    fc.array(tie('json'), { maxLength: 3 }),
    fc
      .array(fc.tuple(names, tie('json')), { maxLength: 5 })
      // JSON.parse makes `__proto__` an own member, as a message from the wire does.
      .map((entries) =>
        JSON.parse(`{${entries.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join(',')}}`),
      ),
  ),
}))
const object = json.map((value) => (isObject(value) ? value : ({ value } as JsonObject)))

const answer: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({ kind: fc.constant('result'), value: json }),
  fc.record({
    kind: fc.constant('result'),
    value: object.map((o) => ({ ...o, capabilities: o.capabilities ?? o })),
  }),
  fc.record({ kind: fc.constant('input_required'), value: json }),
  fc.record({ kind: fc.constant('error'), error: json }),
  fc.record({
    kind: fc.constant('error'),
    error: fc.record({
      code: fc.constantFrom(-32601, -32022, -32020, -32021, -32602, 0),
      message: fc.string(),
      data: json,
    }),
  }),
  fc.record({
    kind: fc.constant('error'),
    error: json,
    failure: fc.constantFrom('timeout', 'closed', 'cancelled', 'refused', 'transport', 'invalid'),
  }),
  fc.record({
    kind: fc.constant('http'),
    status: fc.oneof(fc.integer({ min: 100, max: 599 }), fc.constantFrom(200, 202, 400, 401, 404)),
    body: fc.oneof(
      fc.string(),
      json.map((value) => JSON.stringify(value)),
      json.map((value) => JSON.stringify({ error: value })),
    ),
  }),
)
const event: fc.Arbitrary<NegotiationEvent> = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: answer },
      { weight: 2, arbitrary: fc.constantFrom<unknown>(discoverResult(), initializeResult(), error(-32601)) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<unknown>({ kind: 'exit' }, { kind: 'sent' }, { kind: 'connected' }),
      },
    ),
    fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined }),
  )
  .map(([value, exchange]) => ({ ...(value as NegotiationEvent), exchange }))

const STATES = ['idle', 'negotiating', 'ready', 'closed']
const HANDSHAKE = ['server/discover', 'initialize', 'notifications/initialized']
const DOES = ['send', 'wait', 'ready', 'resend', 'reconnect', 'close']

/** What has to hold whatever a peer sent, and does not. */
function faults(n: Negotiation, step: Step): string[] {
  const sends = step.do === 'send' ? step : undefined
  const rules: Record<string, boolean> = {
    'a documented state': STATES.includes(n.state) && DOES.includes(step.do),
    'ready means ready': (step.do !== 'ready' && step.do !== 'resend') || n.state === 'ready',
    'close means closed':
      step.do !== 'close' || (n.state === 'closed' && n.reason?.code === step.reason.code),
    'only handshake messages': sends === undefined || HANDSHAKE.includes(sends.message.method),
    'clean headers': Object.values(sends?.headers ?? {}).every((value) => /^[\x20-\x7e\t]*$/.test(value)),
    'a version of the era': n.state !== 'ready' || (n.era !== undefined && eraOf(n.version) === n.era),
    'nothing ordinary before ready': n.state === 'ready' || n.admit('tools/list').do !== 'send',
    'nothing held back once ready': n.state !== 'ready' || n.admit('tools/list').do !== 'wait',
    'three answers': MESSAGES.every(({ method }) => [true, false, 'unknown'].includes(n.can(method).allowed)),
    'plain data':
      JSON.stringify([n.diagnostics, n.verdict() ?? null, n.violations(), n.headers(), n.meta()]).length > 0,
    'a short reason': (n.reason?.message.length ?? 0) < 1_000,
  }
  return Object.keys(rules).filter((rule) => !rules[rule])
}

describe('whatever a peer sends', () => {
  it('nothing is thrown, the state is a documented one, and only handshake messages are sent', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('stdio' as const, 'http' as const),
        fc.constantFrom('auto' as const, 'legacy' as const, 'modern' as const),
        fc.boolean(),
        fc.array(event, { maxLength: 12 }),
        (transport, era, sse, events) => {
          const n = createNegotiation({ transport, client: { info: {} }, policy: { era, sse } })
          const found = faults(n, n.start())
          for (const next of events) found.push(...faults(n, n.receive(next)))
          expect(found).toEqual([])
        },
      ),
      { numRuns: 200 },
    )
  })

  it('negotiation ends: at most seven requests until ready or closed, however a peer answers', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('stdio' as const, 'http' as const),
        fc.infiniteStream(answer),
        (transport, answers) => {
          const n = createNegotiation({
            transport,
            client: { info: {} },
            policy: { sse: true, prior: { era: 'legacy' } },
          })
          const peer = () => answers.next().value as NegotiationEvent
          drive(n, peer)
          expect(['ready', 'closed']).toContain(n.state)
          expect(n.roundTrips).toBeLessThanOrEqual(7)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('outcomes of ordinary requests leave it in a documented state too', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(event, { maxLength: 12 }), (modern, events) => {
        const n = createNegotiation({ transport: 'http', client: { info: {} } })
        drive(n, modern ? modernServer('http') : legacyServer())
        expect(n.state).toBe('ready')
        const found = events.flatMap((outcome, at) => {
          const { method } = MESSAGES[at % MESSAGES.length] ?? { method: 'tools/list' }
          const step = n.observe({ method }, outcome)
          return [...faults(n, step), ...(step.do === 'send' ? ['observing sends nothing'] : [])]
        })
        expect(found).toEqual([])
      }),
      { numRuns: 150 },
    )
  })

  it('capabilities are read without a throw, and reading them again changes nothing', () => {
    fc.assert(
      fc.property(json, (value) => {
        const { capabilities } = readServerCapabilities(value)
        const again = readServerCapabilities(capabilities)
        expect(again.capabilities).toEqual(capabilities)
        expect(again.diagnostics.every(({ code }) => code === 'not-a-server-capability')).toBe(true)
      }),
    )
  })

  it('every reader of peer data is total', () => {
    fc.assert(
      fc.property(json, object, event, (value, declared, outcome) => {
        for (const transport of ['stdio', 'http'] as const) {
          if (outcome.kind === 'sent' || outcome.kind === 'connected') continue
          expect(['legacy', 'modern', undefined]).toContain(
            classifyProbe(outcome, { transport, versions: ['2026-07-28', '2025-11-25'] }).era,
          )
        }
        expect(['complete', 'input_required', 'invalid']).toContain(resultKind(value))
        eraOf(value)
        parameterHeaders(value)
        unionForGateway([{ capabilities: declared }])
        intersectClient(declared, declared)
        for (const { method } of MESSAGES) {
          clientCanAnswer({ version: '2026-07-28', capabilities: declared }, method, declared)
        }
      }),
    )
  })
})
