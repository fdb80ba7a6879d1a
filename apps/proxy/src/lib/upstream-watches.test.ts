import { errorAnswer, type ListenFilter, type Notice, type Outcome, type Upstream } from '@truename/mcp-link'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Acquired } from './upstream-pool.ts'
import { createUpstreamWatches } from './upstream-watches.ts'

type Refused = Extract<Outcome, { kind: 'error' }>

/** A connection whose every answer is in the test's hands. */
function connection(generation: number) {
  const state: { refuses?: Refused | undefined; forbids?: string } = {}
  const listened: string[] = []
  const notices = new Set<(notice: Notice) => void>()
  const closes = new Set<(reason: string) => void>()
  const renewals: (() => void)[] = []
  const ends: ((renews: boolean) => void)[] = []
  let honoured: ListenFilter = {}
  const upstream = {
    serverId: 's',
    generation,
    negotiation: {
      era: 'modern',
      can: () =>
        state.forbids === undefined
          ? { allowed: true }
          : { allowed: false, why: 'not-declared', message: state.forbids },
    },
    request: async () => ({ kind: 'result', value: {} }),
    async listen({ resourceSubscriptions: [uri = ''] = [] }: ListenFilter) {
      listened.push(uri)
      honoured = state.refuses ? {} : { resourceSubscriptions: [uri] }
      return {
        get honoured() {
          return honoured
        },
        refused: new Map(state.refuses && [[uri, state.refuses]]),
        onRenewed: (listener: () => void) => renewals.push(listener),
        onEnded: (listener: (renews: boolean) => void) => ends.push(listener),
        close: async () => void listened.push(`-${uri}`),
      }
    },
    onNotification: (listener: (notice: Notice) => void) => {
      notices.add(listener)
      return () => notices.delete(listener)
    },
    onClose: (listener: (reason: string) => void) => {
      closes.add(listener)
      return () => closes.delete(listener)
    },
  }
  return {
    upstream: upstream as unknown as Upstream,
    state,
    listened,
    update: (uri: string) => {
      for (const listener of notices) listener({ method: 'notifications/resources/updated', params: { uri } })
    },
    renew: (still: ListenFilter) => {
      honoured = still
      for (const listener of renewals) listener()
    },
    end: (renews: boolean) => {
      for (const listener of ends) listener(renews)
    },
    close: () => {
      for (const listener of [...closes]) listener('gone')
    },
    listeners: () => notices.size + closes.size,
  }
}

/** Watches of one server, whose next connections are in the test's hands. */
function watching() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const next: Acquired[] = []
  let attempts = 0
  const unavailable = { code: 'cannot-connect', message: 'It does not start' } as const
  const watches = createUpstreamWatches({
    pool: {
      acquire: async () => {
        attempts += 1
        return next.shift() ?? { ok: false, unavailable }
      },
    },
    maxPerServer: 2,
    onEvent: () => undefined,
    now: () => Date.now(),
  })
  const told: string[] = []
  const watcher = (name = '') => ({
    updated: (uri: string) => void told.push(name + uri),
    ended: (why: string) => void told.push(`${name}ended: ${why}`),
  })
  return {
    watches,
    watcher,
    told,
    attempts: () => attempts,
    comes: ({ upstream }: ReturnType<typeof connection>) =>
      void next.push({ ok: true, verified: { upstream } } as never),
  }
}

const agreed = { kind: 'result', value: {} }

describe('what is watched of a server', () => {
  it('goes over its newest connection, whichever one whoever comes has in hand', async () => {
    const { watches, watcher, told } = watching()
    const [first, second] = [connection(1), connection(2)]
    watches.connected('s', first.upstream)
    watches.connected('s', second.upstream)
    expect(await watches.join('s', 'x://a', watcher(), first.upstream)).toEqual(agreed)
    expect([first.listened, second.listened, first.listeners()]).toEqual([[], ['x://a'], 0])
    second.update('x://a')
    expect(told).toEqual(['x://a'])
  })

  it('is tried again where subscribing anew fails on the way, and given up where it is refused', async () => {
    const { watches, watcher, told } = watching()
    const [first, second] = [connection(1), connection(2)]
    await watches.join('s', 'x://a', watcher(), first.upstream)
    second.state.refuses = { ...errorAnswer(-32001, 'late'), failure: 'timeout' }
    watches.connected('s', second.upstream)
    await vi.advanceTimersByTimeAsync(5000)
    const tries = second.listened.filter((line) => line === 'x://a').length
    // A quarter of a second, then twice as long each time.
    expect(tries).toBe(5)
    expect(told).toEqual([])
    second.state.refuses = undefined
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual(['x://a'])

    const third = connection(3)
    third.state.refuses = errorAnswer(-32002, 'It is gone')
    watches.connected('s', third.upstream)
    await vi.advanceTimersByTimeAsync(100_000)
    expect(told).toEqual(['x://a', 'ended: It is gone'])
    expect(third.listened.filter((line) => line === 'x://a')).toHaveLength(1)
  })

  it('is told when its subscription was made anew, and ends with one that is not, or no longer for this', async () => {
    for (const over of [
      (one: ReturnType<typeof connection>) => one.end(false),
      (one: ReturnType<typeof connection>) => one.renew({}),
    ]) {
      const { watches, watcher, told } = watching()
      const one = connection(1)
      await watches.join('s', 'x://a', watcher(), one.upstream)
      one.end(true)
      expect(told).toEqual([])
      one.renew({ resourceSubscriptions: ['x://a'] })
      expect(told).toEqual(['x://a'])
      over(one)
      expect(told).toEqual(['x://a', expect.stringMatching(/^ended: Server "s" no longer agrees/)])
      one.update('x://a')
      expect([told.length, watches.dropped().get('s')]).toEqual([2, 1])
    }
  })

  it('is not asked for where the connection forbids it, and the refusal says why and what to do', async () => {
    const { watches, watcher } = watching()
    const one = connection(1)
    one.state.forbids = 'it needs a flag'
    expect(await watches.join('s', 'x://a', watcher(), one.upstream)).toMatchObject({
      error: {
        message: expect.stringMatching(/it needs a flag.*reading works/),
        data: { reason: 'no-subscription' },
      },
    })
    expect(one.listened).toEqual([])
  })
})

describe('a server that is away', () => {
  it('is tried with growing pauses while somebody watches, a new connection’s short life included', async () => {
    const { watches, watcher, told, attempts, comes } = watching()
    let one = connection(1)
    const me = watcher()
    await watches.join('s', 'x://a', me, one.upstream)
    one.close()
    await vi.advanceTimersByTimeAsync(600_000)
    const failing = attempts()
    // 250 ms doubled up to a minute, a tenth more or less.
    expect(failing).toBeGreaterThanOrEqual(15)
    expect(failing).toBeLessThanOrEqual(22)
    for (let generation = 2; generation < 12; generation += 1) {
      one = connection(generation)
      comes(one)
      await vi.advanceTimersByTimeAsync(70_000)
      one.close()
    }
    expect(told).toEqual(Array.from({ length: 10 }, () => 'x://a'))

    for (let generation = 12; generation < 30; generation += 1) {
      one = connection(generation)
      comes(one)
      while (one.listened.length === 0) await vi.advanceTimersByTimeAsync(50)
      one.close()
    }
    const began = Date.now()
    one = connection(30)
    comes(one)
    while (one.listened.length === 0) await vi.advanceTimersByTimeAsync(50)
    expect(Date.now() - began).toBeGreaterThan(50_000)
    one.close()
    watches.leave('s', 'x://a', me)
    const last = attempts()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(attempts()).toBe(last)
  })
})
