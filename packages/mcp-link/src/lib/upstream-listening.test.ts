import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connectLink } from './connect-link.ts'
import type { JsonObject } from './json.ts'
import { createMemoryPair } from './memory-pair.ts'
import type { WireMessage } from './message.ts'
import type { Notice } from './port.ts'

const key = 'io.modelcontextprotocol/subscriptionId'
const turn = () => new Promise((resolve) => setTimeout(resolve, 5))

/** A modern server over a transport like stdio that honours whatever is listened to, and says what the test says. */
async function listening() {
  const [near, far] = createMemoryPair()
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
    void tell('subscriptions/acknowledged', id, { notifications: params.notifications ?? {} })
  }) as (message: never) => void
  await far.start()
  const connected = await connectLink(
    { serverId: 's', transport: 'stdio', dial: async () => ({ transport: near }) },
    { client: { name: 't', version: '1' } },
  )
  if (!connected.ok) throw new Error(connected.failure.message)
  const { upstream } = connected
  onTestFinished(() => upstream.close())
  const heard: Notice[] = []
  upstream.onNotification((notice) => heard.push(notice))
  const end = (id: unknown) => say({ id, result: { resultType: 'complete' } })
  return { upstream, ids, tell, heard, end }
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
