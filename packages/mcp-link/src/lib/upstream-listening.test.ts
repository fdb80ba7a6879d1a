import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ConnectOptions, connectLink } from './connect-link.ts'
import type { JsonObject } from './json.ts'
import { createMemoryPair } from './memory-pair.ts'
import type { WireMessage } from './message.ts'
import type { Notice } from './port.ts'
import { watchResource } from './watch-resource.ts'

const key = 'io.modelcontextprotocol/subscriptionId'
const turn = () => new Promise((resolve) => setTimeout(resolve, 5))

/** A modern server over a transport like stdio that honours whatever is listened to, and says what the test says. */
async function listening(onEvent?: (message: string) => void) {
  const [near, far] = createMemoryPair()
  /** Why listening fails now: the line is down, or the server says so. */
  const state: { fails?: 'line' | number | undefined } = {}
  const { send } = near
  near.send = async (message, options) => {
    if (state.fails === 'line' && 'method' in message && message.method === 'subscriptions/listen')
      throw new Error('connect ECONNREFUSED')
    await send(message, options)
  }
  const ids: number[] = []
  const say = (message: object) => far.send({ jsonrpc: '2.0', ...message } as WireMessage)
  const tell = (method: string, subscriptionId: unknown, params: JsonObject = {}) =>
    say({ method: `notifications/${method}`, params: { ...params, _meta: { [key]: subscriptionId } } })
  far.onmessage = (({ id, method, params }: { id: number; method: string; params: JsonObject }) => {
    if (method === 'server/discover') {
      const capabilities = {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
      }
      void say({ id, result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities } })
    }
    if (method !== 'subscriptions/listen') return
    ids.push(id)
    if (state.fails !== undefined) return void say({ id, error: { code: state.fails, message: 'no' } })
    void tell('subscriptions/acknowledged', id, { notifications: params.notifications ?? {} })
  }) as (message: never) => void
  await far.start()
  const connected = await connectLink(
    { serverId: 's', transport: 'stdio', dial: async () => ({ transport: near }) },
    { client: { name: 't', version: '1' }, onEvent: ({ message }) => onEvent?.(message) },
  )
  if (!connected.ok) throw new Error(connected.failure.message)
  const { upstream } = connected
  onTestFinished(() => upstream.close())
  const heard: Notice[] = []
  upstream.onNotification((notice) => heard.push(notice))
  const end = (id: unknown) => say({ id, result: { resultType: 'complete' } })
  return { upstream, ids, tell, heard, end, state }
}

/** A legacy server over a transport like stdio that has one kind of resource, and answers when the test says so. */
async function listeningLegacy(script: (method: string, answer: (message: object) => void) => boolean) {
  const [near, far] = createMemoryPair()
  const methods: string[] = []
  far.onmessage = (({ id, method }: { id: number; method: string }) => {
    methods.push(method)
    const answer = (message: object): void => void far.send({ jsonrpc: '2.0', id, ...message } as WireMessage)
    if (id === undefined || script(method, answer)) return
    const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } }
    if (method === 'initialize')
      answer({ result: { protocolVersion: '2025-11-25', capabilities, serverInfo: {} } })
    else if (method.startsWith('resources/')) answer({ result: { contents: [] } })
    else answer({ error: { code: -32601, message: 'Method not found' } })
  }) as (message: never) => void
  await far.start()
  const dialler = { serverId: 's', transport: 'stdio' as const, dial: async () => ({ transport: near }) }
  const open = async (options: Partial<ConnectOptions>) => {
    const connected = await connectLink(dialler, { client: { name: 't', version: '1' }, ...options })
    if (!connected.ok) throw new Error(connected.failure.message)
    onTestFinished(() => connected.upstream.close())
    return connected.upstream
  }
  return { methods, open }
}

describe('what comes for a subscription', () => {
  it('that is unknown, of another kind, or of none reaches no other', async () => {
    const { upstream, ids, tell, heard } = await listening()
    const tools = await upstream.listen({ toolsListChanged: true })
    const docs = await upstream.listen({ resourceSubscriptions: ['docs://a'] })
    expect([tools.honoured, docs.honoured]).toEqual([
      { toolsListChanged: true },
      { resourceSubscriptions: ['docs://a'] },
    ])
    const [toolsId, docsId] = ids
    for (const id of [999, String(toolsId), null, {}, undefined, docsId]) await tell('tools/list_changed', id)
    await tell('resources/updated', toolsId, { uri: 'docs://a' })
    await tell('resources/updated', docsId, { uri: 'docs://b' })
    await tell('resources/list_changed', docsId)
    await turn()
    expect(heard).toEqual([])
    await tell('tools/list_changed', toolsId)
    await tell('resources/updated', docsId, { uri: 'docs://a' })
    await turn()
    expect(heard.map(({ method, params }) => [method, params])).toEqual([
      ['notifications/tools/list_changed', { _meta: {} }],
      ['notifications/resources/updated', { uri: 'docs://a', _meta: {} }],
    ])
  })

  it('that is unknown fills no log, however much of it comes', async () => {
    const said: string[] = []
    const { tell } = await listening((message) => said.push(message))
    for (let times = 0; times < 150; times += 1) await tell('resources/updated', 999, { uri: 'docs://a' })
    await turn()
    expect(said.map((message) => /\((\d+) so far\)/.exec(message)?.[1])).toEqual(['1', '10', '100'])
  })

  it('that ends and is made anew says so, since what happened between was not told', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { upstream, ids, end } = await listening()
    const subscription = await upstream.listen({ toolsListChanged: true })
    let renewals = 0
    const stop = subscription.onRenewed(() => {
      renewals += 1
    })
    const endOnce = async (): Promise<void> => {
      await end(ids.at(-1))
      await vi.advanceTimersByTimeAsync(130_000)
    }
    await endOnce()
    expect([ids.length, renewals, subscription.honoured]).toEqual([2, 1, { toolsListChanged: true }])
    stop()
    await endOnce()
    expect([ids.length, renewals]).toEqual([3, 1])
  })

  it('is not taken for another one’s acknowledgement', async () => {
    const { upstream, ids, tell } = await listening()
    const tools = await upstream.listen({ toolsListChanged: true })
    await tell('subscriptions/acknowledged', 999, { notifications: { promptsListChanged: true } })
    await turn()
    expect(tools.honoured).toEqual({ toolsListChanged: true })
    expect(ids).toHaveLength(1)
  })
})

describe('a subscription that cannot be made anew at once', () => {
  it('is tried again with growing pauses for as long as it takes, honours nothing meanwhile, and comes back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { upstream, ids, end, state } = await listening()
    const subscription = await upstream.listen({ toolsListChanged: true })
    const told: string[] = []
    subscription.onRenewed(() => {
      told.push('renewed')
      throw new Error('a listener')
    })
    subscription.onRenewed(() => told.push(`honoured ${subscription.honoured.toolsListChanged}`))
    subscription.onEnded((renews) => told.push(`ended ${renews}`))
    for (const fails of ['line', -32603] as const) {
      told.length = 0
      state.fails = fails
      await end(ids.at(-1))
      await vi.advanceTimersByTimeAsync(600_000)
      expect([told, subscription.honoured]).toEqual([['ended true'], {}])
      state.fails = undefined
      await vi.advanceTimersByTimeAsync(80_000)
      expect(told).toEqual(['ended true', 'renewed', 'honoured true'])
    }
    await subscription.close()
  })

  it('is soon tried again after it lasted, whatever it took before', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { upstream, ids, end } = await listening()
    await upstream.listen({ toolsListChanged: true })
    for (let endings = 0; endings < 8; endings += 1) {
      await end(ids.at(-1))
      await vi.advanceTimersByTimeAsync(70_000)
    }
    const { length } = ids
    await end(ids.at(-1))
    await vi.advanceTimersByTimeAsync(1_500)
    expect(ids).toHaveLength(length + 1)
  })

  it.each([-32601, -32602])('is given up where the server has come to refuse it with %i', async (code) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { upstream, ids, end, state } = await listening()
    const subscription = await upstream.listen({ toolsListChanged: true })
    const told: boolean[] = []
    subscription.onEnded((renews) => told.push(renews))
    state.fails = code
    await end(ids.at(-1))
    await vi.advanceTimersByTimeAsync(600_000)
    expect([told, ids.length, subscription.honoured]).toEqual([[true, false], 2, {}])
  })

  it('at first is told as soon as it is there', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { upstream, state } = await listening()
    state.fails = 'line'
    const subscription = await upstream.listen({ toolsListChanged: true })
    expect(subscription.honoured).toEqual({})
    let renewals = 0
    subscription.onRenewed(() => {
      renewals += 1
    })
    state.fails = undefined
    await vi.advanceTimersByTimeAsync(1_500)
    expect([renewals, subscription.honoured]).toEqual([1, { toolsListChanged: true }])
  })
})

describe('several who listen to one resource of a legacy server', () => {
  const uris = { resourceSubscriptions: ['docs://a'] }

  it('all hear that it was refused, and one request was made; the next one asks anew', async () => {
    let refuse = true
    const { open, methods } = await listeningLegacy((method, answer) => {
      if (method !== 'resources/subscribe' || !refuse) return false
      setTimeout(() => answer({ error: { code: -32002, message: 'no' } }), 5)
      return true
    })
    const upstream = await open({ era: 'legacy' })
    const both = await Promise.all([upstream.listen(uris), upstream.listen(uris)])
    expect(both.map(({ honoured }) => honoured)).toEqual([{}, {}])
    expect(methods.filter((method) => method === 'resources/subscribe')).toHaveLength(1)
    for (const subscription of both) await subscription.close()
    refuse = false
    const [third, fourth] = await Promise.all([upstream.listen(uris), upstream.listen(uris)])
    expect([third?.honoured, fourth?.honoured]).toEqual([uris, uris])
    await third?.close()
    expect(methods).not.toContain('resources/unsubscribe')
    await fourth?.close()
    expect(methods.filter((method) => method.startsWith('resources/'))).toEqual([
      'resources/subscribe',
      'resources/subscribe',
      'resources/unsubscribe',
    ])
  })

  it('learn what it honours after the negotiation that is under way', async () => {
    let initialize: (() => void) | undefined
    const { open } = await listeningLegacy((method, answer) => {
      if (method !== 'initialize') return false
      const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } }
      initialize = () => answer({ result: { protocolVersion: '2025-11-25', capabilities, serverInfo: {} } })
      return true
    })
    const upstream = await open({ prior: { era: 'modern', version: '2026-07-28' } })
    await upstream.request('tools/list', {})
    await turn()
    expect(upstream.negotiation.state).toBe('negotiating')
    const readings: unknown[] = []
    const watch = watchResource(upstream, 'docs://a', { onReading: (reading) => readings.push(reading) })
    const listened = upstream.listen({ toolsListChanged: true, ...uris })
    await turn()
    initialize?.()
    expect((await listened).honoured).toEqual({ toolsListChanged: true, ...uris })
    await turn()
    expect([watch.mode, readings.length]).toEqual(['subscribe', 1])
    await watch.stop()
  })
})

describe('a legacy subscription', () => {
  it('that is refused says what the server said', async () => {
    const { open } = await listeningLegacy((method, answer) => {
      if (method === 'resources/subscribe') answer({ error: { code: -32002, message: 'no such thing' } })
      return method === 'resources/subscribe'
    })
    const { honoured, refused } = await (await open({})).listen({ resourceSubscriptions: ['docs://a'] })
    expect([honoured, refused.get('docs://a')]).toMatchObject([
      {},
      { kind: 'error', error: { code: -32002, message: 'no such thing' } },
    ])
  })

  it('is made anew only when the end of the one before was answered, since one may overtake the other', async () => {
    let answerEnd: () => void = () => undefined
    const { methods, open } = await listeningLegacy((method, answer) => {
      if (method === 'resources/unsubscribe') answerEnd = () => answer({ result: {} })
      return method === 'resources/unsubscribe'
    })
    const upstream = await open({ era: 'legacy' })
    const asked = () => methods.filter((method) => method.startsWith('resources/'))
    const first = await upstream.listen({ resourceSubscriptions: ['docs://a'] })
    const closing = first.close()
    const second = upstream.listen({ resourceSubscriptions: ['docs://a'] })
    await turn()
    expect(asked()).toEqual(['resources/subscribe', 'resources/unsubscribe'])
    answerEnd()
    await closing
    expect((await second).honoured.resourceSubscriptions).toEqual(['docs://a'])
    expect(asked()).toEqual(['resources/subscribe', 'resources/unsubscribe', 'resources/subscribe'])
  })
})
