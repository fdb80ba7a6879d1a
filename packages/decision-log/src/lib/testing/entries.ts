import type { DecisionEntry, Key, LogEntry, OutcomeEntry } from '../record.ts'

export const shop: Key = { server: 'shop', kind: 'tool', name: 'search' }

/** A decision as a proxy writes it before a call. */
export const decision = (call: string, more: Partial<DecisionEntry> = {}): DecisionEntry => ({
  type: 'decision',
  call,
  key: shop,
  method: 'tools/call',
  flat: 'shop__search',
  caller: { profile: 'default' },
  verdict: 'allow',
  rule: 'policy[2]',
  reason: 'allowed by rule',
  pin: { state: 'match', digest: 'sha256:1f0c' },
  connection: { generation: 1, verifiedAgoMs: 1200 },
  arguments: { query: 'winter boots', limit: 20 },
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ...more,
})

/** The outcome that belongs to it. */
export const outcome = (call: string, more: Partial<OutcomeEntry> = {}): OutcomeEntry => ({
  type: 'outcome',
  call,
  key: shop,
  outcome: 'success',
  durationMs: 12.5,
  result: { content: [{ type: 'text', text: 'three pairs found' }] },
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ...more,
})

/** One entry of every type. */
export const everyType: readonly LogEntry[] = [
  decision('c1'),
  outcome('c1'),
  { type: 'denial', reason: 'two calls were in flight', server: 'shop', method: 'sampling/createMessage' },
  {
    type: 'drift',
    server: 'shop',
    held: [
      {
        key: shop,
        change: 'changed',
        field: 'description',
        severity: 'high',
        approved: 'sha256:a',
        live: 'sha256:b',
      },
    ],
    authorizationChanged: false,
  },
  {
    type: 'read',
    call: 'c2',
    key: { server: 'kb', kind: 'resource', name: 'docs://catalog/{name}' },
    uri: 'docs://catalog/%D0%9E',
    trace: {
      step: 'match',
      template: 'docs://catalog/{name}',
      raw: { name: '%D0%9E' },
      decoded: { name: 'О' },
      deviations: [],
    },
  },
  {
    type: 'approval',
    key: shop,
    verdict: 'allow',
    approval: { by: 'ada', channel: 'terminal', scope: 'pin' },
  },
  { type: 'event', event: 'connected', server: 'shop', message: 'generation 2' },
]

/** A clock that advances by a millisecond each time it is read. */
export function steppingClock(start = Date.parse('2026-11-29T10:00:00.000Z')): () => number {
  let time = start
  return () => {
    time += 1
    return time
  }
}
