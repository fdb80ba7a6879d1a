import { join } from 'node:path'
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it, onTestFinished } from 'vitest'
import { knowledgeBase, proxyOver, shop, startProxy, truename, writeConfig } from './programs.ts'

const notesV1 = join(import.meta.dirname, '..', 'servers', 'notes-v1.mjs')
const info = { name: 'end-to-end', version: '1.0.0' }

/** What the two clients share, as far as the scenario needs it. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string; _meta?: Record<string, unknown> | undefined }[] }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<{ messages: unknown[] }>
  close(): Promise<void>
}

type Dial = (folder: string) => Promise<AnyClient>

const v1 = async (transport: object): Promise<AnyClient> => {
  const client = new ClientV1(info)
  await client.connect(transport as TransportV1)
  return client as AnyClient
}

const v2 = async (
  transport: ConstructorParameters<typeof StdioV2>[0] | URL,
  mode: 'auto' | 'legacy',
): Promise<AnyClient> => {
  const client = new ClientV2(info, mode === 'auto' ? { versionNegotiation: { mode: 'auto' } } : {})
  await client.connect(transport instanceof URL ? new HttpV2(transport) : new StdioV2(transport))
  expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy')
  return client as unknown as AnyClient
}

const clients: Readonly<Record<string, Dial>> = {
  'a version 1 client over stdio': (folder) => v1(new StdioV1(proxyOver(folder))),
  'a version 1 client over HTTP': async (folder) => v1(new HttpV1(new URL((await startProxy(folder)).url))),
  'a version 2 client over stdio, modern era': (folder) => v2(proxyOver(folder), 'auto'),
  'a version 2 client over stdio, legacy era': (folder) => v2(proxyOver(folder), 'legacy'),
  'a version 2 client over HTTP, modern era': async (folder) =>
    v2(new URL((await startProxy(folder)).url), 'auto'),
  'a version 2 client over HTTP, legacy era': async (folder) =>
    v2(new URL((await startProxy(folder)).url), 'legacy'),
}

/** Two shops and a knowledge base on version 2, notes on version 1, behind one lock. */
async function lockedFolder(): Promise<string> {
  const folder = temporaryFolder()
  const servers = {
    kb: knowledgeBase(folder),
    notes: { command: 'node', args: [notesV1] },
    'shop-a': shop('shop-a'),
    'shop-b': shop('shop-b'),
  }
  writeConfig(folder, servers, { policy: [{ server: '*', tool: '*', decision: 'allow' }] })
  const locked = await truename(folder, 'lock', '--yes')
  expect(locked, locked.stderr).toMatchObject({ code: 0 })
  return folder
}

describe('through the proxy, with upstreams on both SDK lines', () => {
  it.each(Object.keys(clients))('%s lists, calls, reads and prompts', { timeout: 60_000 }, async (name) => {
    const folder = await lockedFolder()
    const client = await (clients[name] as Dial)(folder)
    onTestFinished(() => client.close())

    const { tools } = await client.listTools()
    const pairs = tools.map((tool) => [tool.name, tool._meta?.['io.github.truename/key']])
    expect(pairs).toEqual(
      expect.arrayContaining([
        ['notes__search', { server: 'notes', kind: 'tool', name: 'search' }],
        ['shop-a__search', { server: 'shop-a', kind: 'tool', name: 'search' }],
        ['shop-b__search', { server: 'shop-b', kind: 'tool', name: 'search' }],
      ]),
    )
    expect(tools.map((tool) => tool.name)).toEqual(tools.map((tool) => tool.name).toSorted())

    const call = (tool: string, args: Record<string, unknown>) =>
      client.callTool({ name: tool, arguments: args })
    expect(await call('notes__search', { query: 'чай' })).toMatchObject({
      content: [{ type: 'text', text: 'notes-v1 looked for чай' }],
      structuredContent: { query: 'чай' },
    })
    expect(JSON.stringify(await call('shop-a__search', { query: 'tea' }))).toContain('shop-a')
    expect(JSON.stringify(await call('shop-b__search', { query: 'tea' }))).toContain('shop-b')
    expect(await call('notes__fails', {})).toMatchObject({
      isError: true,
      content: [{ text: 'out of paper' }],
    })

    const june =
      'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9%2F%D0%B8%D1%8E%D0%BD%D1%8C'
    expect(await client.readResource({ uri: june })).toMatchObject({ contents: [{ uri: june }] })
    expect(await client.readResource({ uri: 'note://a%20b' })).toMatchObject({
      contents: [{ text: 'the note at note://a%20b' }],
    })
    const plus = client.readResource({
      uri: 'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82+%D0%BC%D0%B0%D0%B9',
    })
    await expect(plus).rejects.toThrow(/%20/)
    expect(await client.getPrompt({ name: 'notes__greet', arguments: { who: 'world' } })).toMatchObject({
      messages: [{ content: { text: 'Hello, world' } }],
    })
  })
})
