import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { json, plain, scriptedHttp, type WireRequest } from './link/scripted-http.ts'
import { shop, startProxy, truename, writeConfig } from './programs.ts'

interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: object
}

const tool = (name: string, properties: object = {}): Tool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties },
})

/** A server over HTTP whose tools can be replaced; a call announces ten times that they were. */
async function changingServer(...first: readonly Tool[]): Promise<{
  readonly url: string
  readonly seen: readonly WireRequest[]
  tools: readonly Tool[]
}> {
  const server = { url: '', seen: [] as readonly WireRequest[], tools: first }
  const { url, seen } = await scriptedHttp(({ method, body }, response) => {
    const { id } = body
    if (method === 'initialize') {
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'changing', version: '1' },
      }
      return json(response, 200, { jsonrpc: '2.0', id, result })
    }
    if (method === 'tools/list')
      return json(response, 200, { jsonrpc: '2.0', id, result: { tools: server.tools } })
    if (method !== 'tools/call') return undefined
    const announced = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
    const messages = [
      ...new Array<object>(10).fill(announced),
      { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'kept' }] } },
    ]
    const events = messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join('')
    return plain(response, 200, events, 'text/event-stream')
  })
  return Object.assign(server, { url, seen })
}

async function clientOf(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'changed-upstream-test', version: '1.0.0' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport,
  )
  onTestFinished(() => client.close())
  return client
}

const say = async (client: Client, name: string): Promise<string> =>
  JSON.stringify((await client.callTool({ name, arguments: { query: '' } })).content)

describe('a proxy in front of a server that adds, removes and changes tools', () => {
  it('goes on listing what was approved, refuses what moved, and disturbs nobody else', async () => {
    const server = await changingServer(tool('alpha'), tool('gamma'), tool('keep'))
    const folder = temporaryFolder()
    writeConfig(
      folder,
      { changing: { url: server.url, headers: { 'x-key': 'own' } }, 'shop-a': shop('shop-a') },
      { policy: [{ server: '*', tool: '*', decision: 'allow' }] },
    )
    const locked = await truename(folder, 'lock', '--yes')
    expect(locked, locked.stderr).toMatchObject({ code: 0 })
    const proxy = await startProxy(folder)
    const client = await clientOf(proxy.url, { authorization: 'Bearer of-the-client' })
    const approved = JSON.stringify((await client.listTools()).tools)
    expect(await say(client, 'changing__alpha')).toContain('kept')

    server.tools = [tool('beta'), tool('gamma', { more: { type: 'string' } }), tool('keep')]
    const listings = () => server.seen.filter(({ method }) => method === 'tools/list').length
    const before = listings()
    // Ten announcements at once: one listing answers them all. Another may be due to the call before.
    await say(client, 'changing__keep')
    await vi.waitFor(() => expect(proxy.log()).toMatch(/held/), 10_000)
    expect(listings() - before).toBeLessThanOrEqual(2)

    expect(JSON.stringify((await client.listTools()).tools)).toBe(approved)
    expect(await say(client, 'changing__alpha')).toMatch(/alpha.*(no longer|gone|removed)/)
    expect(await say(client, 'changing__gamma')).toMatch(/gamma.*inputSchema/)
    await expect(client.callTool({ name: 'changing__beta', arguments: {} })).rejects.toThrow(/Unknown tool/)
    expect(await say(client, 'changing__keep')).toContain('kept')
    expect(await say(client, 'shop-a__search')).toContain('shop-a')

    // Each call or refusal is on record exactly once.
    const { stdout } = await truename(folder, 'log', 'query', '--json', '--type', 'decision')
    const decisions = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { key: { server: string; name: string }; verdict: string })
      .map(({ key, verdict }) => `${verdict} ${key.server}/${key.name}`)
    expect(decisions).toEqual([
      'allow changing/alpha',
      'allow changing/keep',
      'deny changing/alpha',
      'deny changing/gamma',
      'allow changing/keep',
      'allow shop-a/search',
    ])

    // What era it speaks was found when it was locked, and is remembered.
    expect(server.seen.filter(({ method }) => method === 'server/discover')).toHaveLength(1)

    // What the client authenticated with stays with the proxy; what was configured for the server goes there.
    expect(server.seen.every(({ headers }) => headers['x-key'] === 'own')).toBe(true)
    expect(JSON.stringify(server.seen)).not.toContain('of-the-client')
  })
})

describe('a proxy in front of a modern server over HTTP', () => {
  it('calls a tool by its own name, in body and header, whatever it is called downstream', async () => {
    const { url, seen } = await scriptedHttp(({ method, body }, response) => {
      const results: Readonly<Record<string, object>> = {
        'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
        'tools/list': { tools: [tool('git.get-commit')] },
        'tools/call': { content: [{ type: 'text', text: 'called' }] },
      }
      const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...results[method] }
      return json(response, 200, { jsonrpc: '2.0', id: body.id, result })
    })
    const folder = temporaryFolder()
    writeConfig(folder, { modern: { url } }, { policy: [{ server: '*', tool: '*', decision: 'allow' }] })
    const locked = await truename(folder, 'lock', '--yes')
    expect(locked, locked.stderr).toMatchObject({ code: 0 })
    const client = await clientOf((await startProxy(folder)).url)
    const [listed] = (await client.listTools()).tools
    expect(listed?.name).not.toContain('.')
    expect(await say(client, String(listed?.name))).toContain('called')
    const sent = seen.find(({ method }) => method === 'tools/call')
    expect(sent?.body.params).toMatchObject({ name: 'git.get-commit' })
    expect(sent?.headers['mcp-name']).toBe('git.get-commit')
  })
})
