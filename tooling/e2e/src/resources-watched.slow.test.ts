import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it, onTestFinished, vi } from 'vitest'
import { knowledgeBase, proxyOver, shop, startProxy, truename, writeConfig } from './programs.ts'

const watchedV1 = join(import.meta.dirname, '..', 'servers', 'watched-v1.mjs')
const info = { name: 'end-to-end', version: '1.0.0' }

/** A client of either SDK line as the scenario needs it. */
interface Watching {
  /** The URIs it was told of. */
  readonly told: readonly string[]
  /** Returns how to stop. */
  watch(uri: string): Promise<() => Promise<void>>
  touch(uri: string): Promise<unknown>
  call(name: string): Promise<unknown>
  subscribes(): boolean | undefined
  close(): Promise<void>
}

async function v1(transport: object): Promise<Watching> {
  const client = new ClientV1(info)
  const told: string[] = []
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri))
  await client.connect(transport as TransportV1)
  return {
    told,
    async watch(uri) {
      await client.subscribeResource({ uri })
      return async () => void (await client.unsubscribeResource({ uri }))
    },
    touch: (uri) => client.callTool({ name: 'watched__touch', arguments: { uri } }),
    call: (name) => client.callTool({ name, arguments: {} }),
    subscribes: () => client.getServerCapabilities()?.resources?.subscribe,
    close: () => client.close(),
  }
}

async function v2(transport: StdioV2 | HttpV2, era: 'modern' | 'legacy'): Promise<Watching> {
  const client = new ClientV2(info, era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {})
  const told: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
  await client.connect(transport)
  expect(client.getProtocolEra()).toBe(era)
  return {
    told,
    async watch(uri) {
      if (era === 'legacy') {
        await client.subscribeResource({ uri })
        return async () => void (await client.unsubscribeResource({ uri }))
      }
      const subscription = await client.listen({ resourceSubscriptions: [uri] })
      expect(subscription.honoredFilter.resourceSubscriptions).toEqual([uri])
      return () => subscription.close()
    },
    touch: (uri) => client.callTool({ name: 'watched__touch', arguments: { uri } }),
    call: (name) => client.callTool({ name, arguments: {} }),
    subscribes: () => client.getServerCapabilities()?.resources?.subscribe,
    close: () => client.close(),
  }
}

const clients: Readonly<Record<string, (folder: string, url: string) => Promise<Watching>>> = {
  'a version 1 client over HTTP': (_folder, url) => v1(new HttpV1(new URL(url))),
  'a version 1 client over stdio': (folder) => v1(new StdioV1(proxyOver(folder))),
  'a version 2 client over HTTP, modern era': (_folder, url) => v2(new HttpV2(new URL(url)), 'modern'),
  'a version 2 client over HTTP, legacy era': (_folder, url) => v2(new HttpV2(new URL(url)), 'legacy'),
  'a version 2 client over stdio, modern era': (folder) => v2(new StdioV2(proxyOver(folder)), 'modern'),
}

/** A knowledge base (both eras, so that the proxy speaks the modern one) and a server of the legacy era. */
async function lockedFolder() {
  const folder = temporaryFolder()
  const asked = join(folder, 'asked.txt')
  const servers = {
    kb: knowledgeBase(folder),
    'shop-a': shop('shop-a'),
    watched: { command: 'node', args: [watchedV1, asked] },
  }
  const configure = (rules: readonly object[]): void =>
    void writeConfig(folder, servers, { policy: [{ server: '*', tool: '*', decision: 'allow' }, ...rules] })
  configure([])
  const locked = await truename(folder, 'lock', '--yes')
  expect(locked, locked.stderr).toMatchObject({ code: 0 })
  return {
    folder,
    configure,
    report: join(folder, 'knowledge-base', 'sum.txt'),
    asked: (): readonly string[] => (existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : []),
  }
}

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 30_000, interval: 50 })

it.each(Object.keys(clients))(
  '%s watches resources of servers of both eras through the proxy',
  async (name) => {
    const { folder, asked, report } = await lockedFolder()
    const { url } = await startProxy(folder)
    const client = await (clients[name] as (typeof clients)[string])(folder, url)
    onTestFinished(() => client.close())
    expect(client.subscribes()).toBe(true)

    const stop = await client.watch('note://one')
    await client.touch('note://two')
    await client.touch('note://one')
    await until(() => expect(client.told).toEqual(['note://one']))
    // A process that is gone is started again, since somebody watches; what happened between was not told.
    await expect(client.call('watched__leave')).rejects.toThrow(/process ended/)
    await until(() => expect(client.told).toEqual(['note://one', 'note://one']))
    expect(asked()).toEqual(['+note://one', '+note://one'])
    await stop()
    await until(() => expect(asked().at(-1)).toBe('-note://one'))

    const document = 'docs://tree/sum.txt'
    writeFileSync(report, 'first')
    await client.watch(document)
    writeFileSync(report, `changed ${Date.now()}`)
    await until(() => expect(client.told.at(-1)).toBe(document))
  },
)

it('a rule that is put into the policy while the proxy serves ends the subscriptions it forbids', async () => {
  const { folder, configure, asked } = await lockedFolder()
  const { url } = await startProxy(folder)
  const client = await v1(new HttpV1(new URL(url)))
  onTestFinished(() => client.close())
  await client.watch('note://one')
  await client.watch('note://two')
  configure([{ server: 'watched', resource: 'note://one', decision: 'deny' }])
  await until(() => expect(client.told).toEqual(['note://one']))
  await until(() => expect(asked()).toEqual(['+note://one', '+note://two', '-note://one']))
  await client.touch('note://one')
  await client.touch('note://two')
  await until(() => expect(client.told).toEqual(['note://one', 'note://two']))
  await expect(client.watch('note://one')).rejects.toThrow(/note:\/\/one/)
})

it('clients of one proxy share a subscription and hear of nothing else, until the last has gone', async () => {
  const { folder, asked } = await lockedFolder()
  const { url, log } = await startProxy(folder)
  const open = async (name: string): Promise<Watching> => {
    const client = await (clients[name] as (typeof clients)[string])(folder, url)
    onTestFinished(() => client.close())
    return client
  }
  const [one, two, three] = [
    await open('a version 1 client over HTTP'),
    await open('a version 2 client over HTTP, modern era'),
    await open('a version 2 client over HTTP, legacy era'),
  ]
  const stop = await one.watch('note://one')
  await two.watch('note://one')
  await three.watch('note://three')
  await one.touch('note://one')
  await until(() => expect([one.told, two.told]).toEqual([['note://one'], ['note://one']]))
  for (const uri of ['note://nobody', 'note://oneself', 'docs://tree/sum.txt']) await one.touch(uri)
  await one.touch('note://three')
  await until(() => expect(three.told).toEqual(['note://three']))
  expect([one.told, two.told]).toEqual([['note://one'], ['note://one']])
  expect(log().match(/nobody subscribed to are dropped/g)).toHaveLength(1)

  await stop()
  expect(asked()).toEqual(['+note://one', '+note://three'])
  await two.close()
  await until(() => expect(asked()).toEqual(['+note://one', '+note://three', '-note://one']))
  const { stdout } = await truename(folder, 'log', 'query', '--json', '--type', 'decision')
  const methods = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).method)
  expect(methods.filter((method) => method === 'resources/subscribe')).toHaveLength(3)
})
