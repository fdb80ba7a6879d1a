import { listSurface } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { serverEverything } from './honest-peers.ts'
import { call, connectFor, textOf, until } from './links.ts'

const ways = (['v1', 'v2'] as const).flatMap((line) =>
  (['stdio', 'http'] as const).map((transport) => ({ line, transport })),
)

describe.each(ways)('server-everything over $transport on the $line line', ({ line, transport }) => {
  const open = async (options: Parameters<typeof connectFor>[2] = {}) =>
    (await connectFor(line, await serverEverything[transport]({ NO_COLOR: '1' }), options)).upstream

  it('reports every step of progress, and stops when a call is taken back', async () => {
    const upstream = await open()
    const steps: number[] = []
    const outcome = await call(
      upstream,
      'trigger-long-running-operation',
      { duration: 1, steps: 4 },
      { progress: (step) => steps.push(step.progress) },
    )
    expect(outcome.kind).toBe('result')
    expect(steps).toEqual([1, 2, 3, 4])
    const abort = new AbortController()
    const cancelled = call(
      upstream,
      'trigger-long-running-operation',
      { duration: 60, steps: 60 },
      { signal: abort.signal },
    )
    setTimeout(() => abort.abort(new Error('enough')), 100)
    expect(await cancelled).toMatchObject({ failure: 'cancelled' })
    expect(textOf(await call(upstream, 'echo', { message: 'still there' }))).toContain('still there')
  })

  it('offers what the client can do, and asks it within a call', async () => {
    const bare = await listSurface(await open({ capabilities: {} }))
    const upstream = await open({ capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } })
    const asked: string[] = []
    upstream.onRequest(async (method) => {
      asked.push(method)
      return { kind: 'result', value: { roots: [{ uri: 'file:///r', name: 'r' }] } }
    })
    const able = await listSurface(upstream)
    expect(able.tools.items.length).toBeGreaterThan(bare.tools.items.length)
    const answer = await call(
      upstream,
      'trigger-sampling-request',
      { prompt: 'p', maxTokens: 5 },
      {
        ask: async (method) => {
          asked.push(method)
          return {
            kind: 'result',
            value: { role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled text' } },
          }
        },
      },
    )
    expect(textOf(answer)).toContain('sampled text')
    expect(asked).toContain('sampling/createMessage')
    await until(() => asked.includes('roots/list'))
  })

  it('reads resources, completes arguments, and tells of updates', async () => {
    const upstream = await open()
    const uri = 'demo://resource/dynamic/text/1'
    expect(await upstream.request('resources/read', { uri })).toMatchObject({
      kind: 'result',
      value: { contents: [{ uri }] },
    })
    const subscription = await upstream.listen({ resourceSubscriptions: [uri], toolsListChanged: true })
    expect(subscription.honoured).toEqual({ toolsListChanged: true, resourceSubscriptions: [uri] })
    const updated: unknown[] = []
    upstream.onNotification(
      ({ method, params }) => method === 'notifications/resources/updated' && updated.push(params?.uri),
    )
    await call(upstream, 'toggle-subscriber-updates')
    await until(() => updated.includes(uri))
    await subscription.close()
    expect(
      await upstream.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'completable-prompt' },
        argument: { name: 'department', value: 'E' },
      }),
    ).toMatchObject({
      kind: 'result',
      value: { completion: { values: expect.arrayContaining(['Engineering']) } },
    })
  })
})
