import { describe, expect, it, onTestFinished } from 'vitest'
import { connectInMemory } from './memory-link.ts'
import type { ListenFilter, Service } from './port.ts'

/** A client of a service whose answers to who listens are in the test's hands. */
async function client(era: 'legacy' | 'modern', listening: NonNullable<Service['listening']>) {
  const service: Service = {
    declare: () => ({ info: { name: 's', version: '1' }, capabilities: { resources: { subscribe: true } } }),
    accept: (downstream) => downstream.serve(async () => ({ kind: 'result', value: {} })),
    listening,
  }
  const connected = await connectInMemory('s', service, { client: { name: 't', version: '1' }, era })
  if (!connected.ok) throw new Error(connected.failure.message)
  onTestFinished(() => connected.upstream.close())
  return connected.upstream
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('requests to listen that overlap', () => {
  it('are one filter together: what is still asked for is not given up by the next', async () => {
    const filters: (readonly string[])[] = []
    let answer: (filter: ListenFilter) => void = () => undefined
    const first = new Promise((resolve) => {
      answer = resolve
    })
    const upstream = await client('modern', (_to, filter) => {
      filters.push(filter.resourceSubscriptions ?? [])
      return filters.length === 1 ? first : filter
    })
    const a = upstream.listen({ resourceSubscriptions: ['x://a'] })
    await tick()
    const b = await upstream.listen({ resourceSubscriptions: ['x://b'] })
    answer({ resourceSubscriptions: ['x://a'] })
    expect((await a).honoured).toEqual({ resourceSubscriptions: ['x://a'] })
    await (await a).close()
    await tick()
    await b.close()
    await tick()
    expect(filters.map((uris) => uris.toSorted())).toEqual([['x://a'], ['x://a', 'x://b'], ['x://b'], []])
  })

  it('that a service refuses or fails leave nothing behind', async () => {
    const filters: (readonly string[])[] = []
    const upstream = await client('modern', async (_to, filter) => {
      filters.push(filter.resourceSubscriptions ?? [])
      if (filters.length === 1) throw new Error('it fails')
      return {}
    })
    for (const uri of ['x://a', 'x://b', 'x://c']) {
      const { honoured, close } = await upstream.listen({ resourceSubscriptions: [uri] })
      expect(honoured).toEqual({})
      await close()
    }
    expect(filters).toEqual([['x://a'], ['x://b'], ['x://c']])
  })
})

describe('why a resource is not subscribed to', () => {
  const error = { code: -32602, message: 'It is nobody’s', data: { reason: 'no-template' } }
  const listening: NonNullable<Service['listening']> = (_to, { resourceSubscriptions = [] }) => ({
    resourceSubscriptions: resourceSubscriptions.filter((uri) => uri === 'x://a'),
    refused: new Map(resourceSubscriptions.flatMap((uri) => (uri === 'x://a' ? [] : [[uri, error]]))),
  })

  it('is the error that a legacy client gets', async () => {
    const upstream = await client('legacy', listening)
    expect(await upstream.request('resources/subscribe', { uri: 'x://a' })).toEqual({
      kind: 'result',
      value: {},
    })
    expect(await upstream.request('resources/subscribe', { uri: 'x://b' })).toMatchObject({ error })
  })

  it('stands in the acknowledgement of a modern client, for as many as it has room for', async () => {
    const uris = Array.from({ length: 50 }, (_, at) => `x://${at}`)
    const upstream = await client('modern', listening)
    const { honoured, refused } = await upstream.listen({ resourceSubscriptions: ['x://a', ...uris] })
    expect(honoured.resourceSubscriptions).toEqual(['x://a'])
    expect([...refused.keys()]).toEqual(uris.slice(0, 32))
    const { code, message } = error
    expect(refused.get('x://7')).toEqual({ kind: 'error', error: { code, message } })
  })
})
