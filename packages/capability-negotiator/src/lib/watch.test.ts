import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CLIENT, drive, error, legacyServer, modernServer } from '../../test/scripted-peer.ts'
import type { JsonObject } from './json.ts'
import { createNegotiation, type Negotiation } from './negotiation.ts'
import type { Outcome } from './outcome.ts'
import type { Permission } from './permission.ts'
import { createWatch, type WatchOptions, type WatchPlan, type WatchStep } from './watch.ts'
import { WatchPolicyError } from './watch-policy.ts'

const URI = 'docs://manual/current'
const POLICY = { intervalMs: 1_000, jitter: 0.5, backoff: 2, maxIntervalMs: 8_000, giveUpAfter: 3 }

function connect(capabilities: JsonObject, era: 'legacy' | 'modern' = 'legacy'): Negotiation {
  const n = createNegotiation({ transport: 'stdio', client: CLIENT, policy: { era } })
  drive(n, era === 'legacy' ? legacyServer({ capabilities }) : modernServer('stdio', { capabilities }))
  return n
}

const page = (text: string, more: JsonObject = {}): Outcome => ({
  kind: 'result',
  value: { contents: [{ uri: URI, text }], ...more },
})
const refused: Outcome = { kind: 'error', error: { code: -32601, message: 'Method not found' } }

/** A watch with a clock that only the test moves. `random` is 0 unless told, so that jitter adds nothing. */
function watching(n: Negotiation, more: Partial<WatchOptions> = {}) {
  const clock = { now: Date.parse('2026-11-29T12:00:00.000Z'), random: 0 }
  const watch = createWatch({
    uri: URI,
    era: n.era ?? 'legacy',
    can: n.can,
    now: () => clock.now,
    random: () => clock.random,
    ...more,
  })
  return { watch, clock }
}

const delay = (step: WatchStep, clock: { now: number }): number | undefined =>
  step.do === 'wait' && step.until !== undefined ? step.until - clock.now : undefined

describe('with a subscription', () => {
  it('subscribes, reads once, and reads again for each update of the resource or a part of it', () => {
    const { watch, clock } = watching(connect({ resources: { subscribe: true } }))
    expect(watch.start()).toEqual({
      do: 'subscribe',
      message: { method: 'resources/subscribe', params: { uri: URI } },
    })
    expect(watch.receive({ kind: 'subscribed', outcome: { kind: 'result', value: {} } })).toEqual({
      do: 'read',
      message: { method: 'resources/read', params: { uri: URI } },
    })
    expect(watch.receive({ kind: 'read', outcome: page('one') })).toMatchObject({
      do: 'wait',
      reading: { changed: true, by: 'first', readAt: '2026-11-29T12:00:00.000Z' },
    })
    clock.now += 60_000
    expect(watch.receive({ kind: 'updated', uri: 'docs://other' })).toEqual({ do: 'wait' })
    expect(watch.receive({ kind: 'updated', uri: `${URI}-2` })).toEqual({ do: 'wait' })
    expect(watch.receive({ kind: 'updated', uri: `${URI}/chapter/1` })).toMatchObject({ do: 'read' })
    expect(watch.receive({ kind: 'read', outcome: page('two') })).toMatchObject({
      reading: { changed: true, by: 'notification', readAt: '2026-11-29T12:01:00.000Z' },
    })
    expect(watch.stop()).toEqual({
      do: 'unsubscribe',
      message: { method: 'resources/unsubscribe', params: { uri: URI } },
    })
    expect(watch.receive({ kind: 'updated', uri: URI })).toEqual({ do: 'stop' })
    expect(watch.stop()).toEqual({ do: 'stop' })
    expect(watch.start()).toEqual({ do: 'stop' })
  })

  it('listens in the modern era, and reads when the server acknowledges', () => {
    const { watch } = watching(connect({ resources: { subscribe: true } }, 'modern'))
    expect(watch.start()).toEqual({
      do: 'subscribe',
      message: {
        method: 'subscriptions/listen',
        params: { notifications: { resourceSubscriptions: [URI] } },
      },
    })
    expect(
      watch.receive({ kind: 'acknowledged', notifications: { resourceSubscriptions: [URI] } }),
    ).toMatchObject({
      do: 'read',
    })
    expect(watch.stop()).toEqual({ do: 'unsubscribe' })
  })

  it.each<[string, JsonObject]>([
    ['leaves it out', {}],
    ['names another resource', { resourceSubscriptions: ['docs://other'] }],
    ['answers no list', { resourceSubscriptions: true }],
  ])('that the server %s in its acknowledgement counts as unsubscribed', (_, notifications) => {
    const n = connect({ resources: { subscribe: true } }, 'modern')
    const { watch } = watching(n)
    watch.start()
    expect(watch.receive({ kind: 'acknowledged', notifications })).toMatchObject({
      do: 'refuse',
      refusal: { code: 'no-subscription' },
    })
    const polling = watching(n, { policy: POLICY })
    polling.watch.start()
    expect(polling.watch.receive({ kind: 'acknowledged', notifications })).toMatchObject({ do: 'read' })
    expect(polling.watch.mode).toBe('poll')
  })

  it('declared and then refused with -32601 falls to the declared policy, once and for good', () => {
    const n = connect({ resources: { subscribe: true } })
    const { watch } = watching(n, { policy: POLICY })
    const step = watch.start() as Extract<WatchStep, { do: 'subscribe' }>
    n.observe(step.message, error(-32601))
    expect(watch.receive({ kind: 'subscribed', outcome: refused })).toMatchObject({ do: 'read' })
    expect(watch.mode).toBe('poll')
    watch.receive({ kind: 'read', outcome: page('one') })
    expect(watch.receive({ kind: 'ended' })).toMatchObject({ do: 'wait' })
    expect(watching(n, { policy: POLICY }).watch.start()).toMatchObject({ do: 'read' })
    expect(n.report()).toContain('resources.subscribe')
  })

  it('reads once more, not at once for each, when updates come during a reading or in a burst', () => {
    const { watch, clock } = watching(connect({ resources: { subscribe: true } }), { minIntervalMs: 500 })
    watch.start()
    watch.receive({ kind: 'subscribed', outcome: { kind: 'result', value: {} } })
    for (let burst = 0; burst < 50; burst += 1)
      expect(watch.receive({ kind: 'updated', uri: URI })).toEqual({ do: 'wait' })
    const step = watch.receive({ kind: 'read', outcome: page('one') })
    expect(delay(step, clock)).toBe(500)
    for (let burst = 0; burst < 50; burst += 1)
      expect(watch.receive({ kind: 'updated', uri: URI }).do).toBe('wait')
    clock.now += 500
    expect(watch.tick()).toMatchObject({ do: 'read' })
    expect(watch.receive({ kind: 'read', outcome: page('one') })).toMatchObject({
      do: 'wait',
      reading: { changed: false },
    })
    expect(watch.tick()).toEqual({ do: 'wait' })
  })

  it('is made again after the stream ended, with a growing delay where it keeps ending', () => {
    const { watch, clock } = watching(connect({ resources: { subscribe: true } }, 'modern'))
    watch.start()
    const delays: (number | undefined)[] = []
    for (let round = 0; round < 8; round += 1) {
      watch.receive({ kind: 'acknowledged', notifications: { resourceSubscriptions: [URI] } })
      watch.receive({ kind: 'read', outcome: page('one') })
      const step = watch.receive({ kind: 'ended' })
      delays.push(step.do === 'subscribe' ? 0 : delay(step, clock))
      clock.now += delay(step, clock) ?? 0
      if (step.do === 'wait') expect(watch.tick()).toMatchObject({ do: 'subscribe' })
    }
    expect(delays).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000])
    clock.now += 3_600_000
    expect(watch.receive({ kind: 'ended' })).toMatchObject({ do: 'subscribe' })
  })
})

describe('without a subscription', () => {
  it('is refused clearly without a policy, and reading stays allowed', () => {
    const n = connect({ resources: {} })
    const { watch } = watching(n)
    const step = watch.start()
    expect(step).toMatchObject({
      do: 'refuse',
      refusal: { code: 'no-subscription', permission: { missing: 'resources.subscribe' } },
    })
    expect((step as Extract<WatchStep, { do: 'refuse' }>).refusal.message).toContain(
      'can be read, not watched',
    )
    expect(watch.tick()).toEqual(step)
    expect(watch.stop()).toEqual(step)
    expect(n.can('resources/read').allowed).toBe(true)
  })

  it('polls by the policy, showing what was read and when, whether or not it changed', () => {
    const { watch, clock } = watching(connect({ resources: {} }), { policy: POLICY })
    expect(watch.start()).toMatchObject({ do: 'read' })
    const first = watch.receive({ kind: 'read', outcome: page('one', { _meta: { revision: 'r1' } }) })
    expect(first).toMatchObject({ reading: { revision: 'r1', changed: true, by: 'first' } })
    expect(delay(first, clock)).toBe(1_000)
    clock.now += 999
    expect(watch.tick()).toEqual({ do: 'wait', until: clock.now + 1 })
    clock.now += 1
    expect(watch.tick()).toMatchObject({ do: 'read' })
    const second = watch.receive({ kind: 'read', outcome: page('one') })
    expect(second.reading).toMatchObject({ changed: false, by: 'poll', readAt: '2026-11-29T12:00:01.000Z' })
    expect(second.reading?.digest).toBe(first.reading?.digest)
    expect(second.reading?.revision).toBeUndefined()
    expect(watch.last).toEqual(second.reading)
  })

  it('backs off while nothing changes, up to the limit, and starts over with a change', () => {
    const { watch, clock } = watching(connect({ resources: {} }), { policy: POLICY })
    watch.start()
    const delays = ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'b'].map((text) => {
      const step = watch.receive({ kind: 'read', outcome: page(text) })
      const after = delay(step, clock) as number
      clock.now += after
      expect(watch.tick()).toMatchObject({ do: 'read' })
      return after
    })
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 1_000, 2_000])
  })

  it('adds jitter, and never reads before ttlMs is over', () => {
    const { watch, clock } = watching(connect({ resources: {} }, 'modern'), { policy: POLICY })
    watch.start()
    clock.random = 1
    expect(delay(watch.receive({ kind: 'read', outcome: page('a') }), clock)).toBe(1_500)
    clock.now += 1_500
    watch.tick()
    clock.random = 0.5
    expect(delay(watch.receive({ kind: 'read', outcome: page('b', { ttlMs: 60_000 }) }), clock)).toBe(75_000)
    clock.now += 75_000
    watch.tick()
    expect(delay(watch.receive({ kind: 'read', outcome: page('c', { ttlMs: -1 }) }), clock)).toBe(1_250)
  })

  it('ends after failures in a row, showing each, and goes on after fewer', () => {
    const { watch, clock } = watching(connect({ resources: {} }), { policy: POLICY })
    watch.start()
    const fail: Outcome = { kind: 'error', error: { code: -32603, message: 'down' } }
    const step = watch.receive({ kind: 'read', outcome: fail })
    expect([step.failed, delay(step, clock)]).toEqual([fail, 2_000])
    clock.now += 2_000
    watch.tick()
    watch.receive({ kind: 'read', outcome: page('one') })
    for (const expected of ['wait', 'wait', 'refuse']) {
      clock.now += 8_000
      watch.tick()
      const next = watch.receive({ kind: 'read', outcome: { kind: 'input_required', value: {} } })
      expect(next.do).toBe(expected)
    }
    expect(watch.tick()).toMatchObject({ do: 'refuse', refusal: { code: 'gave-up' } })
    expect(watch.last?.changed).toBe(true)
  })

  it('takes an update that comes all the same as a reason to read', () => {
    const { watch, clock } = watching(connect({ resources: {} }), { policy: POLICY })
    watch.start()
    watch.receive({ kind: 'read', outcome: page('one') })
    clock.now += 500
    expect(watch.receive({ kind: 'updated', uri: URI })).toMatchObject({ do: 'read' })
  })
})

describe('permission', () => {
  it('is asked again before every reading: one withdrawn ends the watch before anything is sent', () => {
    const n = connect({ resources: {} })
    const asked: string[] = []
    let open = true
    const can = (method: string, params?: JsonObject): Permission => {
      asked.push(`${method} ${params?.uri ?? ''}`)
      return open
        ? n.can(method, params)
        : { allowed: false, why: 'not-declared', message: 'no longer yours' }
    }
    const { watch, clock } = watching(n, { policy: POLICY, can })
    watch.start()
    for (let round = 0; round < 3; round += 1) {
      watch.receive({ kind: 'read', outcome: page(`${round}`) })
      clock.now += 10_000
      expect(watch.tick()).toMatchObject({ do: 'read' })
    }
    expect(asked.filter((line) => line === `resources/read ${URI}`)).toHaveLength(4)
    open = false
    watch.receive({ kind: 'read', outcome: page('last') })
    clock.now += 10_000
    expect(watch.tick()).toMatchObject({
      do: 'refuse',
      refusal: { code: 'not-readable', message: 'no longer yours' },
    })
  })

  it('waits while the connection is being made anew, and goes on when it is ready', () => {
    const n = connect({ resources: { subscribe: true } })
    let up = true
    const can = (method: string): Permission =>
      up ? n.can(method) : { allowed: false, why: 'not-ready', message: 'wait' }
    const { watch } = watching(n, { can })
    watch.start()
    watch.receive({ kind: 'subscribed', outcome: { kind: 'result', value: {} } })
    watch.receive({ kind: 'read', outcome: page('one') })
    up = false
    expect(watch.receive({ kind: 'ended' })).toMatchObject({ do: 'wait' })
    up = true
    expect(watch.receive({ kind: 'ended' })).toMatchObject({ do: 'subscribe' })
  })

  it.each([true, false])(
    'begun before it is ready looks again by itself, and when it is told (%s)',
    (told) => {
      const n = connect({ resources: { subscribe: true } })
      let up = false
      const can = (method: string): Permission =>
        up ? n.can(method) : { allowed: false, why: 'not-ready', message: 'wait' }
      const { watch, clock } = watching(n, { can })
      expect(watch.receive({ kind: 'ended' })).toEqual({ do: 'wait' })
      expect(delay(watch.start(), clock)).toBe(1_000)
      clock.now += 1_000
      expect(delay(watch.tick(), clock)).toBe(1_000)
      up = true
      expect(watch.tick()).toMatchObject({ do: 'wait' })
      clock.now += told ? 0 : 1_000
      expect(told ? watch.receive({ kind: 'ended' }) : watch.tick()).toMatchObject({ do: 'subscribe' })
      watch.receive({ kind: 'subscribed', outcome: { kind: 'result', value: {} } })
      watch.receive({ kind: 'read', outcome: page('one') })
      up = false
      clock.now += 1_000
      expect(delay(watch.receive({ kind: 'updated', uri: URI }), clock)).toBe(1_000)
      up = true
      clock.now += 1_000
      expect(watch.tick()).toMatchObject({ do: 'read' })
    },
  )
})

describe('a subscription that the driver makes anew', () => {
  const lapsing = (policy?: typeof POLICY) => {
    const n = connect({ resources: { subscribe: true } }, 'modern')
    const made = watching(n, policy ? { policy } : {})
    made.watch.start()
    made.watch.receive({ kind: 'acknowledged', notifications: { resourceSubscriptions: [URI] } })
    made.watch.receive({ kind: 'read', outcome: page('one') })
    made.clock.now += 10_000
    return made
  }
  const again = { kind: 'acknowledged', notifications: { resourceSubscriptions: [URI] } } as const

  it('leaves watching to the policy meanwhile, and reads once it is there', () => {
    const { watch, clock } = lapsing(POLICY)
    const until = delay(watch.receive({ kind: 'lapsed' }), clock)
    expect([watch.mode, until]).toEqual(['poll', expect.any(Number)])
    clock.now += until ?? 0
    expect(watch.tick()).toMatchObject({ do: 'read' })
    watch.receive({ kind: 'read', outcome: page('two') })
    clock.now += 10_000
    expect(watch.receive(again)).toMatchObject({ do: 'read' })
    expect(watch.mode).toBe('subscribe')
    expect(watch.receive({ kind: 'read', outcome: page('three') })).toMatchObject({
      do: 'wait',
      reading: { by: 'notification' },
    })
  })

  it('is waited for without a policy, and for longer than failed readings are', () => {
    const { watch } = lapsing()
    expect(watch.receive({ kind: 'lapsed' })).toEqual({ do: 'wait' })
    expect(watch.receive(again)).toMatchObject({ do: 'read' })
    const patient = lapsing({ ...POLICY, giveUpAfter: 2 } as typeof POLICY)
    let step = patient.watch.receive({ kind: 'lapsed' })
    for (let failures = 0; failures < 2; failures += 1) {
      patient.clock.now += delay(step, patient.clock) ?? 0
      expect(patient.watch.tick()).toMatchObject({ do: 'read' })
      step = patient.watch.receive({ kind: 'read', outcome: refused })
    }
    expect(step).toEqual({ do: 'wait', failed: refused })
    patient.clock.now += 10_000
    expect(patient.watch.receive(again)).toMatchObject({ do: 'read' })
  })

  it('falls back for good where it comes back without the resource, and is let go of in the end', () => {
    const { watch } = lapsing()
    watch.receive({ kind: 'lapsed' })
    expect(watch.receive({ kind: 'acknowledged', notifications: {} })).toMatchObject({
      do: 'refuse',
      refusal: { code: 'no-subscription' },
    })
    const polling = lapsing(POLICY).watch
    polling.receive({ kind: 'lapsed' })
    expect(polling.receive({ kind: 'acknowledged', notifications: {} })).toMatchObject({ do: 'wait' })
    expect([polling.mode, polling.receive(again)]).toEqual(['poll', expect.objectContaining({ do: 'wait' })])
    const stopped = lapsing(POLICY).watch
    stopped.receive({ kind: 'lapsed' })
    expect(stopped.stop()).toEqual({ do: 'unsubscribe' })
  })
})

it.each<[string, unknown]>([
  ['intervalMs', 0],
  ['intervalMs', Number.NaN],
  ['intervalMs', '5'],
  ['jitter', 0],
  ['jitter', 1.5],
  ['backoff', 0.5],
  ['maxIntervalMs', 1],
  ['giveUpAfter', 0],
  ['giveUpAfter', 1.5],
])('a policy with %s %s is the caller’s error, with the member named', (member, value) => {
  const n = connect({ resources: {} })
  let thrown: unknown
  try {
    watching(n, { policy: { ...POLICY, [member]: value } as never })
  } catch (caught) {
    thrown = caught
  }
  expect(thrown).toBeInstanceOf(WatchPolicyError)
  expect(thrown).toMatchObject({ code: 'bad-policy', member, value })
})

it('a policy at its limits is a policy', () => {
  const n = connect({ resources: {} })
  const policy = { intervalMs: 1, jitter: 1, backoff: 1, maxIntervalMs: 1, giveUpAfter: 1 }
  const { watch, clock } = watching(n, { policy })
  watch.start()
  expect(delay(watch.receive({ kind: 'read', outcome: page('a') }), clock)).toBe(1)
  expect(delay(watching(n, { policy: { intervalMs: 10 } }).watch.start(), clock)).toBeUndefined()
})

it('no order of events makes it read twice at once, read too early, or speak after its end', () => {
  const event = fc.constantFrom(
    'tick',
    'updated',
    'read',
    'fail',
    'ended',
    'lapsed',
    'acknowledged',
    'unhonoured',
    'subscribed',
    'refused',
  )
  const run = (watch: WatchPlan, kind: string): WatchStep => {
    switch (kind) {
      case 'updated':
        return watch.receive({ kind, uri: URI })
      case 'read':
        return watch.receive({ kind, outcome: page('x') })
      case 'fail':
        return watch.receive({ kind: 'read', outcome: refused })
      case 'ended':
      case 'lapsed':
        return watch.receive({ kind })
      case 'acknowledged':
        return watch.receive({ kind, notifications: { resourceSubscriptions: [URI] } })
      case 'unhonoured':
        return watch.receive({ kind: 'acknowledged', notifications: {} })
      case 'subscribed':
        return watch.receive({ kind, outcome: { kind: 'result', value: {} } })
      case 'refused':
        return watch.receive({ kind: 'subscribed', outcome: refused })
      default:
        return watch.tick()
    }
  }
  fc.assert(
    fc.property(
      fc.constantFrom('legacy' as const, 'modern' as const),
      fc.boolean(),
      fc.boolean(),
      fc.array(fc.tuple(event, fc.integer({ min: 0, max: 3_000 })), { maxLength: 60 }),
      (era, subscribe, polls, events) => {
        const n = connect({ resources: { subscribe } }, era)
        const { watch, clock } = watching(n, polls ? { policy: POLICY } : {})
        let open = watch.start().do === 'read'
        let over = watch.mode === 'refused'
        let due: number | undefined
        for (const [kind, wait] of events) {
          clock.now += wait
          const step = run(watch, kind)
          if (over) expect(step.do).toBe('refuse')
          if (kind === 'read' || kind === 'fail' || kind === 'ended') open = false
          if (step.do === 'read') {
            expect(open).toBe(false)
            if (kind === 'tick') expect(clock.now).toBeGreaterThanOrEqual(due ?? Number.POSITIVE_INFINITY)
            open = true
          }
          due = step.do === 'wait' ? step.until : undefined
          over = step.do === 'refuse'
        }
      },
    ),
    { numRuns: 200 },
  )
})
