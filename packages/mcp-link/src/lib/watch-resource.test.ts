import type { Reading } from '@truename/capability-negotiator'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from './json.ts'
import { connectInMemory } from './memory-link.ts'
import type { Downstream, Era, ListenFilter, Upstream } from './port.ts'
import { type WatchResourceOptions, watchResource } from './watch-resource.ts'

const uri = 'docs://manual/current'

/** A server with one document, and everything a test wants to know of it. */
async function served(
  era: Era,
  resources: JsonObject,
  more: Partial<WatchResourceOptions> = {},
  changed: (upstream: Upstream) => Upstream = (upstream) => upstream,
) {
  const state = { text: 'one', reads: 0, filters: [] as ListenFilter[], fails: false }
  const clients: Downstream[] = []
  const connected = await connectInMemory(
    'kb',
    {
      declare: () => ({ info: { name: 'kb', version: '1' }, capabilities: { resources } }),
      accept(client) {
        clients.push(client)
        client.serve(async (method) => {
          if (method !== 'resources/read' || state.fails)
            return { kind: 'error', error: { code: -32603, message: 'no' } }
          state.reads += 1
          return { kind: 'result', value: { contents: [{ uri, text: state.text }] } }
        })
      },
      listening: (_client, filter) => void state.filters.push(filter),
    },
    { client: { name: 't', version: '1' }, era },
  )
  if (!connected.ok) throw new Error(connected.failure.message)
  const { upstream } = connected
  onTestFinished(() => upstream.close())
  const readings: Reading[] = []
  const ends: { code: string; message: string }[] = []
  const watch = watchResource(changed(upstream), uri, {
    onReading: (reading) => readings.push(reading),
    onEnd: (why) => ends.push(why),
    minIntervalMs: 1,
    ...more,
  })
  onTestFinished(() => watch.stop())
  const change = async (text: string): Promise<void> => {
    state.text = text
    await Promise.all(clients.map((client) => client.notify('notifications/resources/updated', { uri })))
  }
  const texts = () => readings.map(({ result }) => (result.contents as { text: string }[])[0]?.text)
  return { upstream, watch, state, readings, ends, change, texts }
}
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2))
}

describe.each(['legacy', 'modern'] as const)('a resource watched in the %s era', (era) => {
  it('by subscription is read at first and at each update, and let go at the server in the end', async () => {
    const { watch, state, readings, change, texts } = await served(era, { subscribe: true })
    await until(() => readings.length === 1)
    expect([watch.mode, texts()]).toEqual(['subscribe', ['one']])
    await change('two')
    await until(() => readings.length === 2)
    expect(readings[1]).toMatchObject({ uri, changed: true, by: 'notification' })
    expect(readings[1]?.readAt).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect(readings[1]?.digest).not.toBe(readings[0]?.digest)
    await watch.stop()
    await until(() => (state.filters.at(-1)?.resourceSubscriptions ?? []).length === 0)
    await change('three')
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect([watch.mode, texts()]).toEqual(['stopped', ['one', 'two']])
  })

  it('without a subscription is polled by the policy, and each reading is permitted anew', async () => {
    let may = true
    const { state, readings, ends, texts, watch } = await served(
      era,
      {},
      {
        policy: { intervalMs: 2, jitter: 0.1, backoff: 1 },
        may: () =>
          may
            ? { allowed: true }
            : { allowed: false, why: 'not-declared', message: 'withdrawn by the operator' },
      },
    )
    await until(() => readings.length >= 2)
    state.text = 'two'
    await until(() => texts().includes('two'))
    expect([watch.mode, readings.find(({ changed, by }) => changed && by === 'poll')?.uri]).toEqual([
      'poll',
      uri,
    ])
    may = false
    await until(() => ends.length === 1)
    const reads = state.reads
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([ends[0]?.code, state.reads]).toEqual(['not-readable', reads])
    expect(ends[0]?.message).toContain('withdrawn')
  })

  it('without either is refused with the reason, and can be read', async () => {
    const { upstream, watch, ends, readings } = await served(era, {})
    expect([watch.mode, readings, ends[0]?.code]).toEqual(['refused', [], 'no-subscription'])
    expect(ends[0]?.message).toContain('without a polling policy')
    expect(await upstream.request('resources/read', { uri })).toMatchObject({ kind: 'result' })
  })

  it('that cannot be read any more is given up in the end, each failure told', async () => {
    const failed: unknown[] = []
    const { state, ends, readings } = await served(
      era,
      {},
      {
        policy: { intervalMs: 1, backoff: 1, giveUpAfter: 3 },
        onFailed: (outcome) => failed.push(outcome),
      },
    )
    await until(() => readings.length > 0)
    state.fails = true
    await until(() => ends.length === 1)
    expect([ends[0]?.code, failed.length]).toEqual(['gave-up', 3])
  })

  it('ends with its connection, and says so once', async () => {
    const { upstream, ends, readings, watch } = await served(era, { subscribe: true })
    await until(() => readings.length === 1)
    await upstream.close()
    expect(ends).toEqual([{ code: 'closed', message: 'closed by this side' }])
    await watch.stop()
    expect(ends).toHaveLength(1)
  })
})

describe('a modern subscription that lapses and comes back', () => {
  it('is bridged by the policy, and read again when it is there', async () => {
    const { upstream, readings, state, watch, texts, lapse, renew } = await lapsing({
      policy: { intervalMs: 5, jitter: 0.1, backoff: 1 },
    })
    await until(() => readings.length === 1)
    lapse(true)
    expect(watch.mode).toBe('poll')
    state.text = 'two'
    await until(() => texts().includes('two'))
    state.text = 'three'
    renew([uri])
    expect(watch.mode).toBe('subscribe')
    await until(() => texts().includes('three'))
    await upstream.close()
  })

  it('ends the watch where it does not come back and there is no policy', async () => {
    const { readings, watch, ends, lapse } = await lapsing({})
    await until(() => readings.length === 1)
    lapse(true)
    expect([watch.mode, ends]).toEqual(['subscribe', []])
    lapse(false)
    expect([watch.mode, ends.map(({ code }) => code)]).toEqual(['refused', ['no-subscription']])
  })

  /** A served resource whose subscription is in the test's hands. */
  async function lapsing(more: Partial<WatchResourceOptions>) {
    let honoured: ListenFilter = { resourceSubscriptions: [uri] }
    const renewed: (() => void)[] = []
    const ended: ((renews: boolean) => void)[] = []
    const made = await served('modern', { subscribe: true }, more, (upstream) => ({
      ...upstream,
      negotiation: upstream.negotiation,
      listen: async () => ({
        get honoured() {
          return honoured
        },
        refused: new Map(),
        onRenewed(listener) {
          renewed.push(listener)
          return () => undefined
        },
        onEnded(listener) {
          ended.push(listener)
          return () => undefined
        },
        close: async () => undefined,
      }),
    }))
    return {
      ...made,
      lapse: (renews: boolean) => {
        honoured = {}
        for (const listener of ended) listener(renews)
      },
      renew: (uris: string[]) => {
        honoured = { resourceSubscriptions: uris }
        for (const listener of renewed) listener()
      },
    }
  }
})

it('a time to live beyond what a timer can keep is waited for, not polled away', async () => {
  let looks = 0
  const { readings, state } = await served(
    'modern',
    {},
    {
      policy: { intervalMs: 1_000 },
      now: () => {
        looks += 1
        return Date.now()
      },
    },
    (upstream) => ({
      ...upstream,
      negotiation: upstream.negotiation,
      request: async (method, params) => {
        const outcome = await upstream.request(method, params)
        return outcome.kind === 'result'
          ? { kind: 'result', value: { ...outcome.value, ttlMs: 3_000_000_000 } }
          : outcome
      },
    }),
  )
  await until(() => readings.length === 1)
  const before = looks
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect([looks, state.reads]).toEqual([before, 1])
})

it('what a listener throws is told, and ends no watch', async () => {
  const events: string[] = []
  let thrown = 0
  const { watch, change } = await served(
    'legacy',
    { subscribe: true },
    {
      onReading: () => {
        thrown += 1
        throw new Error('a fault of the listener')
      },
      onEvent: ({ message }) => events.push(message),
    },
  )
  await until(() => thrown === 1)
  await change('two')
  await until(() => thrown === 2)
  expect([watch.mode, events.length, events[0]]).toEqual([
    'subscribe',
    2,
    expect.stringContaining('a fault of the listener'),
  ])
})
