import { parsePolicy } from '@truename/call-gate'
import type { Era } from '@truename/mcp-link'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  lockedServer,
  openSubscribedProxy,
  type ProxyOptions,
  watchingClient,
} from '../../test/subscribed-proxy.ts'
import { createWatchedServer } from '../../test/watched-server.ts'

const eras = ['legacy', 'modern'] as const
const chains = eras.flatMap((client) => eras.map((server) => ({ client, server })))
const quiet = () => new Promise((resolve) => setTimeout(resolve, 20))
const until = (check: () => void) => vi.waitFor(check, { interval: 2, timeout: 10_000 })

const held = (): { readonly promise: Promise<void>; readonly resolve: () => void } => {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

function opened(era: Era, options?: ProxyOptions, capabilities?: Parameters<typeof createWatchedServer>[1]) {
  const server = createWatchedServer(era, capabilities)
  return { server, proxy: openSubscribedProxy(server, options) }
}

describe.each(chains)(
  'a $client client that watches a resource of a $server server',
  ({ client, server: era }) => {
    it('is told of its changes and of no other’s, and no longer when it stopped', async () => {
      const { server, proxy } = opened(era)
      const one = await watchingClient(proxy.service, client)
      const other = await watchingClient(proxy.service, client)
      const watching = await one.watch('x://a')
      expect(watching.honoured).toEqual({ resourceSubscriptions: ['x://a'] })
      await other.watch('x://b')
      await server.update('x://a')
      await until(() => expect(one.told).toEqual(['x://a']))
      expect(other.told).toEqual([])
      await watching.close()
      await quiet()
      await server.update('x://a')
      await quiet()
      expect(one.told).toEqual(['x://a'])
    })

    it('shares one subscription with others, which ends when the last stops or goes', async () => {
      const { server, proxy } = opened(era)
      const clients = await Promise.all([1, 2, 3].map(() => watchingClient(proxy.service, client)))
      const watching = await Promise.all(clients.map(({ watch }) => watch('x://a')))
      expect(server.asked).toEqual(['+x://a'])
      await server.update('x://a')
      await until(() => expect(clients.every(({ told }) => told.length > 0)).toBe(true))
      expect(clients.map(({ told }) => told)).toEqual([['x://a'], ['x://a'], ['x://a']])
      await watching[0]?.close()
      await clients[1]?.upstream.close()
      await quiet()
      expect(server.asked).toEqual(['+x://a'])
      await clients[2]?.upstream.close()
      await until(() => expect(server.asked).toEqual(['+x://a', '-x://a']))
    })

    it('is told that it may have changed once the server is back, and hears of it again', async () => {
      const { server, proxy } = opened(era)
      const { watch, told } = await watchingClient(proxy.service, client)
      await watch('x://a')
      await server.crash()
      await until(() => expect(told).toEqual(['x://a']))
      expect([server.connections, server.asked, proxy.renewed]).toEqual([
        2,
        ['+x://a', '+x://a'],
        ['s x://a'],
      ])
      await server.update('x://a')
      await until(() => expect(told).toEqual(['x://a', 'x://a']))
    })

    it('is refused by the rule that refuses reading it, on record, before anything is sent', async () => {
      const { server, proxy } = opened(era, {
        policy: [{ server: 's', resource: 'x://b', decision: 'deny' }],
      })
      const { watch, upstream } = await watchingClient(proxy.service, client)
      const { honoured, refused } = await watch('x://a', 'x://b')
      expect(honoured.resourceSubscriptions).toEqual(['x://a'])
      expect(refused.get('x://b')?.error.message).toMatch(/rule|denied|policy/i)
      expect(server.asked).toEqual(['+x://a'])
      await upstream.request('resources/read', { uri: 'x://b' })
      const decided = (await proxy.records('decision')).map(
        (record) => record as unknown as Record<string, unknown>,
      )
      const on = (uri: string, method: string) => {
        const found = decided.find(
          (record) => record.method === method && (record.key as { name: string }).name === uri,
        )
        return [found?.verdict, found?.rule]
      }
      expect(on('x://b', 'resources/subscribe')).toEqual(on('x://b', 'resources/read'))
      expect(on('x://a', 'resources/subscribe')[0]).toBe('allow')
      expect(await proxy.records('outcome')).toHaveLength(3)
    })

    it('is told once more when it may no longer read it, and never again', async () => {
      for (const withdraw of [
        (proxy: ReturnType<typeof opened>['proxy']) => proxy.reload([]),
        (proxy: ReturnType<typeof opened>['proxy']) => proxy.reload([lockedServer()], 'It was changed.'),
        (proxy: ReturnType<typeof opened>['proxy']) => proxy.reload([lockedServer({ resources: {} })]),
        (proxy: ReturnType<typeof opened>['proxy']) =>
          proxy.reload([lockedServer(undefined, { modes: { resources: 'off' } })]),
        (proxy: ReturnType<typeof opened>['proxy']) =>
          proxy.narrow([{ server: 's', resource: '*', decision: 'deny' }]),
      ]) {
        const { server, proxy } = opened(era)
        const { watch, told } = await watchingClient(proxy.service, client)
        await watch('x://a')
        withdraw(proxy)
        await until(() => expect(told).toEqual(['x://a']))
        await server.update('x://a')
        await quiet()
        expect(told).toEqual(['x://a'])
        expect(await proxy.records('denial')).toMatchObject([{ method: 'resources/subscribe' }])
      }
    })

    it('knows it by the URI under its alias, in whichever case the client writes that', async () => {
      const prefixed = lockedServer(undefined, { modes: { uris: 'prefixed' } })
      const { server, proxy } = opened(era, { servers: [prefixed] })
      const { watch, told } = await watchingClient(proxy.service, client)
      expect((await watch('s+x://a', 'S+x://b')).honoured.resourceSubscriptions).toEqual([
        's+x://a',
        'S+x://b',
      ])
      expect(server.asked).toEqual(['+x://a', '+x://b'])
      await server.update('x://b')
      await server.update('x://b/c')
      await until(() => expect(told).toEqual(['S+x://b', 'S+x://b/c']))
      expect((await watch('x://a')).honoured).toEqual({})
    })

    it('is refused with what to do instead where the server does not offer it, or breaks its promise', async () => {
      const plain = opened(era, {
        servers: [
          lockedServer({ resources: {} }),
          lockedServer(undefined, { id: 't', template: 'y://{+path}' }),
        ],
      })
      const one = await watchingClient(plain.proxy.service, client)
      const refusal = (await one.watch('x://a')).refused.get('x://a')
      expect(refusal?.error.message).toMatch(/resources\.subscribe.*reading works: read it again/)
      expect([plain.server.connections, plain.server.asked]).toEqual([0, []])
      expect(await plain.proxy.records('denial')).toMatchObject([{ key: { server: 's', name: 'x://a' } }])

      const broken = opened(era)
      Object.assign(broken.server.behaviour, {
        refuses: { code: -32601, message: 'Method not found' },
        withholds: true,
      })
      const two = await watchingClient(broken.proxy.service, client)
      for (const uri of ['x://a', 'x://b', 'x://a']) {
        const { honoured, refused } = await two.watch(uri)
        expect([honoured, refused.get(uri)?.error.message]).toEqual([
          {},
          expect.stringMatching(/reading works: read it again/),
        ])
      }
      expect(await two.upstream.request('resources/read', { uri: 'x://a' })).toMatchObject({ kind: 'result' })
      // A promise that was broken once is not tested again on that connection.
      if (era === 'legacy') expect(broken.server.asked).toEqual(['+x://a'])
    })

    it('may watch so many at once, and more when it gave one up', async () => {
      const { server, proxy } = opened(era, { maxPerClient: 2, maxPerServer: 3 })
      const [one, two] = [
        await watchingClient(proxy.service, client),
        await watchingClient(proxy.service, client),
      ]
      const first = await one.watch('x://1', 'x://2')
      if (client === 'legacy') {
        const { refused } = await one.watch('x://3')
        expect(refused.get('x://3')?.error).toMatchObject({
          data: { limit: 2, reason: 'too-many-subscriptions' },
        })
      }
      const { honoured, refused } = await two.watch('x://3', 'x://4')
      expect(honoured.resourceSubscriptions).toEqual(['x://3'])
      expect(refused.get('x://4')?.error.message).toMatch(/subscriptionsPerServer/)
      await first.close()
      await until(() => expect(server.asked).toHaveLength(5))
      expect((await one.watch('x://4')).honoured.resourceSubscriptions).toEqual(['x://4'])
    })
  },
)

describe('updates that a server sends without being asked', () => {
  it.each(eras)('of resources that nobody watches reach no client and are counted (%s)', async (era) => {
    const { server, proxy } = opened(era)
    const { watch, told, upstream } = await watchingClient(proxy.service, 'legacy')
    await watch('x://a')
    for (const uri of ['x://b', 'x://ab', 'X://a', '', 5, null, {}, undefined]) await server.update(uri)
    await quiet()
    await upstream.request('ping', {})
    expect(told).toEqual([])
    if (era === 'legacy') expect(proxy.watches.dropped().get('s')).toBe(8)
    expect(proxy.events.filter((line) => /dropped|ignored/.test(line)).length).toBeLessThanOrEqual(1)
  })

  it('below a resource but of another server’s space, or that a rule forbids to read, are dropped too', async () => {
    const { server, proxy } = opened('legacy', {
      servers: [lockedServer(), lockedServer(undefined, { id: 't', template: 'x://a/t/{name}' })],
      policy: [{ server: 's', resource: 'x://a/secret', decision: 'deny' }],
    })
    const { watch, told } = await watchingClient(proxy.service, 'legacy')
    await watch('x://a')
    await server.update('x://a/secret')
    await until(() => expect(proxy.watches.dropped().get('s')).toBe(1))
    await server.update('x://a/t/1')
    await until(() => expect(proxy.watches.dropped().get('s')).toBe(2))
    await server.update('x://a/open')
    await until(() => expect(told).toEqual(['x://a/open']))
  })

  it('below a resource are another server’s where a reading of them would go there', async () => {
    const { server, proxy } = opened('legacy', {
      servers: [
        lockedServer(undefined, { template: 'x://{name}' }),
        lockedServer(undefined, { id: 't', template: 'x://{name}/{part}' }),
      ],
    })
    const { watch, told } = await watchingClient(proxy.service, 'legacy')
    await watch('x://a')
    await server.update('x://a/1')
    await until(() => expect(proxy.watches.dropped().get('s')).toBe(1))
    expect(told).toEqual([])
  })

  it('in a flood are few for the client, the last one among them', async () => {
    const { server, proxy } = opened('legacy')
    const { watch, told } = await watchingClient(proxy.service, 'modern')
    await watch('x://a')
    for (let times = 0; times < 5000; times += 1) await server.update(`x://a/${times}`)
    await until(() => expect(told.at(-1)).toBe('x://a'))
    expect(told[0]).toBe('x://a/0')
    expect(told.length).toBeLessThan(500)
    await server.update('x://a/last')
    await until(() => expect(told.at(-1)).toBe('x://a/last'))
  })
})

describe('rules that change while somebody watches', () => {
  const rule = (decision: string, name: string) => [{ server: 's', resource: name, decision }]

  it('end it at the next update where nobody looked before', async () => {
    const { server, proxy } = opened('legacy')
    const { watch, told } = await watchingClient(proxy.service, 'modern')
    await watch('x://a')
    proxy.gate.reload(parsePolicy(rule('deny', 'x://a')))
    await server.update('x://a')
    await until(() => expect(server.asked).toEqual(['+x://a', '-x://a']))
    await until(() => expect(told).toEqual(['x://a']))
    expect(await proxy.records('denial')).toHaveLength(1)
  })

  it('end what they leave to a person now, unless a person has allowed it', async () => {
    const allowed = opened('legacy')
    const one = await watchingClient(allowed.proxy.service, 'legacy')
    await one.watch('x://a')
    allowed.proxy.narrow(rule('ask', '*'))
    await until(() => expect(one.told).toEqual(['x://a']))
    await until(() => expect(allowed.server.asked).toEqual(['+x://a', '-x://a']))

    const approved = opened('legacy', { policy: rule('ask', '*') })
    const two = await watchingClient(approved.proxy.service, 'legacy')
    const message = (await two.watch('x://a')).refused.get('x://a')?.error.message
    const [, id = ''] = /answer (\S+)/.exec(String(message)) ?? []
    await approved.proxy.gate.answer(id, {
      verdict: 'allow',
      scope: 'arguments',
      who: 'a person',
      channel: 'terminal',
    })
    expect((await two.watch('x://a')).honoured.resourceSubscriptions).toEqual(['x://a'])
    approved.proxy.narrow(rule('ask', 'x://a'))
    await approved.server.update('x://a')
    await until(() => expect(two.told).toEqual(['x://a']))
    expect(approved.server.asked).toEqual(['+x://a'])
  })
})

describe('a subscription that is under way', () => {
  it.each(chains)(
    'is taken back when a $client client leaves before a $server server has answered',
    async (chain) => {
      const { server, proxy } = opened(chain.server)
      const { promise, resolve: answer } = held()
      server.behaviour.holds = promise
      const { watch, upstream } = await watchingClient(proxy.service, chain.client)
      void watch('x://a')
      await until(() => expect(server.asked).toEqual(['+x://a']))
      await upstream.close()
      answer()
      await until(() => expect(server.asked).toEqual(['+x://a', '-x://a']))
    },
  )

  it.each(chains)(
    'is made over the next connection where that of a $server server ends ($client clients)',
    async (chain) => {
      const { server, proxy } = opened(chain.server)
      server.behaviour.holds = new Promise(() => undefined)
      const clients = [
        await watchingClient(proxy.service, chain.client),
        await watchingClient(proxy.service, chain.client),
      ]
      const watching = clients.map(({ watch }) => watch('x://a'))
      await until(() => expect(server.asked).toEqual(['+x://a']))
      server.behaviour.holds = undefined
      await server.crash()
      for (const { honoured } of await Promise.all(watching))
        expect(honoured.resourceSubscriptions).toEqual(['x://a'])
      expect([server.connections, server.asked]).toEqual([2, ['+x://a', '+x://a']])
      await server.update('x://a')
      await until(() => expect(clients.map(({ told }) => told)).toEqual([['x://a'], ['x://a']]))
    },
  )

  it('is never asked for where the client leaves before the server has started', async () => {
    const { server, proxy } = opened('legacy')
    const { promise, resolve } = held()
    server.behaviour.starts = promise
    const { watch, upstream } = await watchingClient(proxy.service, 'legacy')
    void watch('x://a')
    await quiet()
    await upstream.close()
    resolve()
    await until(() => expect(server.connections).toBe(1))
    await quiet()
    expect(server.asked).toEqual([])
  })

  it('is refused where the rules forbid it meanwhile, or the client takes it back, whoever else has it', async () => {
    const { server, proxy } = opened('legacy')
    const { promise, resolve } = held()
    server.behaviour.holds = promise
    const [one, two] = [
      await watchingClient(proxy.service, 'legacy'),
      await watchingClient(proxy.service, 'legacy'),
    ]
    const forbidden = one.watch('x://b')
    const kept = one.watch('x://a')
    const takenBack = two.upstream.request('resources/subscribe', { uri: 'x://a' })
    await until(() => expect(server.asked).toEqual(['+x://b', '+x://a']))
    await quiet()
    expect(await two.upstream.request('resources/unsubscribe', { uri: 'x://a' })).toMatchObject({
      kind: 'result',
    })
    proxy.gate.reload(parsePolicy([{ server: 's', resource: 'x://b', decision: 'deny' }]))
    resolve()
    expect((await kept).honoured.resourceSubscriptions).toEqual(['x://a'])
    expect((await forbidden).refused.get('x://b')?.error.message).toBe('reading it is no longer allowed')
    expect(await takenBack).toMatchObject({ kind: 'error' })
    await server.update('x://a')
    await until(() => expect(one.told).toEqual(['x://a']))
    expect(two.told).toEqual([])
  })

  it('does not start where the decision cannot be recorded', async () => {
    const { server, proxy } = opened('legacy')
    const { watch } = await watchingClient(proxy.service, 'legacy')
    await proxy.closeLog()
    const { refused } = await watch('x://a')
    expect(refused.get('x://a')?.error).toMatchObject({ data: { reason: 'log' } })
    expect(server.asked).toEqual([])
  })
})

describe('a server that keeps going away', () => {
  it.each(eras)('is asked again with pauses, only while somebody watches (%s)', async (era) => {
    const { server, proxy } = opened(era)
    const { watch, told, upstream } = await watchingClient(proxy.service, 'legacy')
    await watch('x://a')
    for (const count of [1, 2, 3]) {
      await server.crash()
      await until(() => expect(told).toHaveLength(count))
    }
    expect(server.connections).toBe(4)
    await upstream.close()
    await quiet()
    await server.crash()
    await quiet()
    expect(server.connections).toBe(4)
  })

  it('is asked now and then whether it is there, where the era has a question for it and somebody watches', async () => {
    const { server, proxy } = opened('legacy', { pingMs: 5 })
    const { watch, upstream } = await watchingClient(proxy.service, 'legacy')
    await upstream.request('resources/read', { uri: 'x://a' })
    await quiet()
    expect(server.pings).toBe(0)
    const watching = await watch('x://a')
    await until(() => expect(server.pings).toBeGreaterThan(1))
    await watching.close()
    await until(() => expect(server.asked).toEqual(['+x://a', '-x://a']))
    const { pings } = server
    await quiet()
    expect(server.pings).toBe(pings)
  })

  it.each(eras)(
    'that ends a subscription of the modern era for a moment is heard again (%s client)',
    async (era) => {
      const { server, proxy } = opened('modern')
      const { watch, told } = await watchingClient(proxy.service, era)
      await watch('x://a')
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      await server.endSubscriptions()
      await vi.advanceTimersByTimeAsync(2000)
      vi.useRealTimers()
      expect(told).toEqual(['x://a'])
      await server.update('x://a')
      await until(() => expect(told).toEqual(['x://a', 'x://a']))
      expect([server.connections, server.asked]).toEqual([1, ['+x://a', '+x://a']])
    },
  )

  it('tells that a resource is no longer watched where it does not take the subscription again', async () => {
    const { server, proxy } = opened('legacy')
    const { watch, told } = await watchingClient(proxy.service, 'modern')
    await watch('x://a')
    server.behaviour.refuses = { code: -32002, message: 'It is gone' }
    await server.crash()
    await until(() => expect(told).toEqual(['x://a']))
    await server.update('x://a')
    await quiet()
    expect(told).toEqual(['x://a'])
    expect(proxy.events.join()).toContain('A subscription ended: It is gone')
  })
})
