import { describe, expect, it } from 'vitest'
import {
  CLIENT,
  discoverResult,
  error,
  failure,
  http,
  httpError,
  initializeResult,
  result,
} from '../../test/scripted-peer.ts'
import { createNegotiation, type Negotiation } from './negotiation.ts'
import type { NegotiationEvent } from './outcome.ts'

type Transport = 'stdio' | 'http'

/** How each state is reached, from a new negotiation. */
const STATES: Readonly<Record<string, (n: Negotiation) => void>> = {
  idle: () => {},
  probing: (n) => void n.start(),
  initializing: (n) => {
    n.start()
    n.receive(error(-32601))
  },
  'initializing, discovered late': (n) => {
    n.start()
    n.receive(failure('timeout'))
    n.receive({ ...discoverResult(), exchange: 1 })
  },
  confirming: (n) => {
    n.start()
    n.receive(error(-32601))
    n.receive(initializeResult())
  },
  reconnecting: (n) => {
    n.start()
    n.receive(discoverResult({}, ['2025-11-25']))
    if (n.generation === 1) {
      n.receive(initializeResult())
      n.receive({ kind: 'sent' })
      n.observe({ method: 'tools/list' }, http(404))
    }
  },
  'ready, legacy': (n) => {
    n.start()
    n.receive(error(-32601))
    n.receive(initializeResult())
    n.receive({ kind: 'sent' })
  },
  'ready, modern': (n) => {
    n.start()
    n.receive(discoverResult())
  },
  refreshing: (n) => {
    n.start()
    n.receive(discoverResult())
    n.discover()
  },
  closed: (n) => {
    n.start()
    n.receive(failure('cancelled'))
  },
}

const EVENTS: Readonly<Record<string, NegotiationEvent>> = {
  discovery: discoverResult(),
  'initialize result': initializeResult(),
  'other result': result({ ok: true }),
  'input required': { kind: 'input_required', value: {} },
  'error -32601': error(-32601),
  'error -32022': error(-32022, { supported: ['2025-11-25'] }),
  'HTTP 200 empty': http(200),
  'HTTP 401': http(401),
  'HTTP 404': http(404),
  'HTTP 400 modern': httpError(400, -32020),
  'HTTP 500': http(500),
  timeout: failure('timeout'),
  closed: failure('closed'),
  transport: failure('transport'),
  invalid: failure('invalid'),
  cancelled: failure('cancelled'),
  exit: { kind: 'exit' },
  sent: { kind: 'sent' },
  connected: { kind: 'connected' },
  stale: { ...discoverResult(), exchange: 99 },
}

/** What a step comes to, in a word. */
function summary(n: Negotiation, event: NegotiationEvent): string {
  const step = n.receive(event)
  if (step.do === 'send') return `send ${step.message.method}`
  if (step.do === 'reconnect') return `reconnect (${step.cause})`
  return step.do === 'close' ? `close (${step.reason.code})` : step.do
}

const INITIALIZE = 'send initialize'
const INITIALIZED = 'send notifications/initialized'
const same = (
  value: string,
  ...except: [string, string | readonly [string, string]][]
): Record<string, string | readonly [string, string]> => ({
  ...Object.fromEntries(Object.keys(EVENTS).map((event) => [event, value])),
  ...Object.fromEntries(except),
})

/** State × event, for both transports; a pair is [stdio, http]. */
const TABLE: Readonly<Record<string, Readonly<Record<string, string | readonly [string, string]>>>> = {
  idle: same('wait'),
  probing: {
    discovery: 'ready',
    'initialize result': INITIALIZE,
    'other result': INITIALIZE,
    'input required': INITIALIZE,
    'error -32601': INITIALIZE,
    'error -32022': INITIALIZE,
    'HTTP 200 empty': INITIALIZE,
    'HTTP 401': 'close (unauthorized)',
    'HTTP 404': INITIALIZE,
    'HTTP 400 modern': 'close (refused)',
    'HTTP 500': INITIALIZE,
    timeout: INITIALIZE,
    closed: ['reconnect (probe-ended-it)', 'close (exited)'],
    transport: 'close (network)',
    invalid: INITIALIZE,
    cancelled: 'close (cancelled)',
    exit: ['reconnect (probe-ended-it)', 'close (exited)'],
    sent: 'wait',
    connected: 'wait',
    stale: 'wait',
  },
  initializing: {
    discovery: 'close (invalid-answer)',
    'initialize result': INITIALIZED,
    'other result': 'close (invalid-answer)',
    'input required': 'close (invalid-answer)',
    'error -32601': ['reconnect (probe-disturbed)', 'close (refused)'],
    'error -32022': 'close (version-mismatch)',
    'HTTP 200 empty': ['reconnect (probe-disturbed)', 'close (invalid-answer)'],
    'HTTP 401': 'close (unauthorized)',
    'HTTP 404': ['reconnect (probe-disturbed)', 'close (refused)'],
    'HTTP 400 modern': ['reconnect (probe-disturbed)', 'close (refused)'],
    'HTTP 500': 'close (server-error)',
    timeout: ['reconnect (probe-disturbed)', 'close (timeout)'],
    closed: ['reconnect (probe-ended-it)', 'close (exited)'],
    transport: 'close (network)',
    invalid: 'close (invalid-answer)',
    cancelled: 'close (cancelled)',
    exit: ['reconnect (probe-ended-it)', 'close (exited)'],
    sent: 'wait',
    connected: 'wait',
    stale: 'wait',
  },
  'initializing, discovered late': {
    ...same('ready'),
    discovery: 'close (invalid-answer)',
    'initialize result': INITIALIZED,
    'other result': 'close (invalid-answer)',
    closed: ['reconnect (probe-ended-it)', 'close (exited)'],
    transport: 'close (network)',
    cancelled: 'close (cancelled)',
    exit: ['reconnect (probe-ended-it)', 'close (exited)'],
    sent: 'wait',
    connected: 'wait',
    stale: 'wait',
  },
  confirming: {
    discovery: 'ready',
    'initialize result': 'ready',
    'other result': 'ready',
    'input required': 'close (invalid-answer)',
    'error -32601': 'ready',
    'error -32022': 'ready',
    'HTTP 200 empty': 'ready',
    'HTTP 401': 'close (unauthorized)',
    'HTTP 404': 'close (refused)',
    'HTTP 400 modern': 'close (refused)',
    'HTTP 500': 'close (server-error)',
    timeout: 'close (timeout)',
    closed: 'close (exited)',
    transport: 'close (network)',
    invalid: 'close (invalid-answer)',
    cancelled: 'close (cancelled)',
    exit: 'close (exited)',
    sent: 'ready',
    connected: 'wait',
    stale: 'wait',
  },
  reconnecting: same(
    'wait',
    ['connected', INITIALIZE],
    ['timeout', 'close (timeout)'],
    ['transport', 'close (network)'],
    ['invalid', 'close (invalid-answer)'],
    ['cancelled', 'close (cancelled)'],
  ),
  'ready, legacy': same('ready', ['exit', 'close (exited)'], ['closed', ['close (exited)', 'ready']]),
  'ready, modern': same('ready', ['exit', 'close (exited)'], ['closed', ['close (exited)', 'ready']]),
  refreshing: {
    ...same('ready', ['exit', 'close (exited)'], ['closed', ['close (exited)', 'ready']]),
    'error -32022': 'reconnect (verdict-contradicted)',
  },
  closed: same('close (cancelled)'),
}

const start = (transport: Transport, state: string): Negotiation => {
  const n = createNegotiation({ transport, client: CLIENT })
  STATES[state]?.(n)
  return n
}

describe.each(['stdio', 'http'] as const)('every state × every event over %s', (transport) => {
  const rows = Object.keys(STATES).flatMap((state) =>
    Object.keys(EVENTS).map((event) => [state, event] as const),
  )

  it.each(rows)('%s, %s', (state, event) => {
    const expected = TABLE[state]?.[event]
    const outcome = typeof expected === 'object' ? expected[transport === 'stdio' ? 0 : 1] : expected
    expect(summary(start(transport, state), EVENTS[event] as NegotiationEvent)).toBe(outcome)
  })

  it.each(Object.keys(STATES))('%s is the state it is meant to be', (state) => {
    const n = start(transport, state)
    const outer = state.startsWith('ready') || state === 'refreshing' ? 'ready' : state
    expect(n.state).toBe(['idle', 'ready', 'closed'].includes(outer) ? outer : 'negotiating')
  })

  it.each(Object.keys(STATES))('%s: start, discover and observe out of place send nothing', (state) => {
    const n = start(transport, state)
    const { roundTrips, state: before } = n
    if (state !== 'idle') n.start()
    if (!state.includes('modern') && state !== 'refreshing') n.discover()
    n.observe({ method: 'tools/list' }, { kind: 'sent' })
    expect([n.roundTrips, n.state]).toEqual([roundTrips, before])
  })

  it.each(Object.keys(STATES))('%s can be closed, and stays closed', (state) => {
    const n = start(transport, state)
    expect(n.close().do).toBe('close')
    for (const event of Object.values(EVENTS)) expect(n.receive(event).do).toBe('close')
    expect([n.start().do, n.discover().do, n.observe({ method: 'ping' }, http(404)).do]).toEqual([
      'close',
      'close',
      'close',
    ])
    expect([n.state, n.admit('ping').do, n.can('tools/list').allowed]).toEqual(['closed', 'refuse', false])
  })
})
