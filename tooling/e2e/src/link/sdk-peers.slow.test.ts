import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { type JsonObject, listSurface, type ServerConfig } from '@truename/mcp-link'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { adapters, call, callAnswering, connectFor, textOf } from './links.ts'
import { httpConfig, program, stdioConfig } from './programs.ts'
import { sampleService } from './sample-service.ts'
import { sdkServer } from './sdk-servers.ts'

const closers: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

async function listen(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** A sessionful server on the v1 line. */
async function httpServerV1(): Promise<string> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  return listen(async (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']))
    if (known) return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    const server = new McpServerV1({ name: 'sdk', version: '1.0.0' })
    server.registerTool('double', { inputSchema: { n: z.number() } }, async ({ n }) => ({
      content: [{ type: 'text', text: String(n * 2) }],
    }))
    server.registerTool('ask', {}, async (extra) => {
      const answer = await server.server.elicitInput(
        { message: 'Which?', requestedSchema: { type: 'object', properties: { pick: { type: 'string' } } } },
        { relatedRequestId: extra.requestId },
      )
      return { content: [{ type: 'text', text: JSON.stringify(answer.content ?? answer.action) }] }
    })
    await server.connect(transport as never)
    await transport.handleRequest(request, response)
  })
}

async function httpServerV2(legacy: 'stateless' | 'reject'): Promise<string> {
  const handler = toNodeHandler(createMcpHandler(() => sdkServer(), { legacy }))
  return listen((request, response) => void handler(request as never, response))
}

interface Peer {
  readonly config: () => Promise<ServerConfig>
  /** The era each line ends up in; nothing where it cannot connect. */
  readonly v1?: 'legacy'
  readonly v2: 'legacy' | 'modern'
  /** Whether it can ask a client that is in the legacy era. */
  readonly push: boolean
}

const peers: Record<string, Peer> = {
  'a v1 server over stdio': {
    config: async () => stdioConfig('s', [await program('sdk-server-v1')]),
    v1: 'legacy',
    v2: 'legacy',
    push: true,
  },
  'a v1 server over HTTP': {
    config: async () => httpConfig('s', await httpServerV1()),
    v1: 'legacy',
    v2: 'legacy',
    push: true,
  },
  'a v2 server over stdio': {
    config: async () => stdioConfig('s', [await program('sdk-server-v2')]),
    v1: 'legacy',
    v2: 'modern',
    push: true,
  },
  'a v2 server over HTTP': {
    config: async () => httpConfig('s', await httpServerV2('stateless')),
    v1: 'legacy',
    v2: 'modern',
    push: false,
  },
  'a modern-only server over stdio': {
    config: async () => stdioConfig('s', [await program('sdk-server-v2'), 'modern-only']),
    v2: 'modern',
    push: false,
  },
  'a modern-only server over HTTP': {
    config: async () => httpConfig('s', await httpServerV2('reject')),
    v2: 'modern',
    push: false,
  },
}

describe.each(Object.keys(peers))('%s', (name) => {
  const peer = peers[name] as Peer
  it.each(['v1', 'v2'] as const)(
    'is listed, called and answered on our %s line, or refused with the versions named',
    async (line) => {
      const era = peer[line]
      const server = await peer.config()
      if (era === undefined) {
        const connected = await adapters[line].connect(server, { client: { name: 't', version: '1' } })
        expect(connected).toMatchObject({ ok: false, failure: { retry: false } })
        if (!connected.ok) expect(connected.failure.message).toContain('2026-07-28')
        return
      }
      const { upstream } = await connectFor(line, server)
      expect(upstream.negotiation.era).toBe(era)
      expect((await listSurface(upstream)).tools.items.map((tool) => tool.name)).toEqual(['double', 'ask'])
      expect(textOf(await call(upstream, 'double', { n: 21 }))).toBe('42')
      if (era === 'legacy' && !peer.push) return
      const { outcome, rounds } = await callAnswering(upstream, 'ask', {}, () => ({
        action: 'accept',
        content: { pick: 'б' },
      }))
      expect(textOf(outcome)).toBe('{"pick":"б"}')
      expect(rounds).toBe(era === 'modern' ? 2 : 1)
    },
  )
})

const answer = { action: 'accept' as const, content: { pick: 'й' } }
const info = { name: 'sdk-client', version: '1.0.0' }

async function clientV1(
  transport: StdioV1 | HttpV1,
): Promise<{ client: ClientV1; ask: () => Promise<unknown> }> {
  const client = new ClientV1(info, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, async () => answer)
  await client.connect(transport as never)
  onTestFinished(() => client.close())
  return { client, ask: () => client.callTool({ name: 'ask', arguments: {} }) }
}

async function clientV2(transport: StdioV2 | HttpV2, mode: 'legacy' | 'auto'): Promise<ClientV2> {
  const client = new ClientV2(info, {
    capabilities: { elicitation: {} },
    ...(mode === 'auto' ? { versionNegotiation: { mode } } : {}),
  })
  client.setRequestHandler('elicitation/create', async () => answer)
  await client.connect(transport)
  onTestFinished(() => client.close())
  expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy')
  return client
}

const served = {
  stdio: async () => ({
    command: process.execPath,
    args: [await program('sample-server')],
    stderr: 'ignore' as const,
  }),
  http: async (line: 'v1' | 'v2') => {
    const endpoint = await adapters[line].serveHttp(sampleService().service)
    closers.push(() => endpoint.close())
    return new URL(endpoint.url)
  },
}

const textIn = (result: unknown): string =>
  String((result as { content: { text: string }[] }).content[0]?.text)

describe('the SDKs’ own clients are served', () => {
  it.each(['stdio', 'http v1', 'http v2'])('the v1 client over %s', async (way) => {
    const transport =
      way === 'stdio'
        ? new StdioV1(await served.stdio())
        : new HttpV1(await served.http(way.slice(-2) as 'v1' | 'v2'))
    const { client, ask } = await clientV1(transport)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo')
    expect(textIn(await client.callTool({ name: 'echo', arguments: { text: 'Отчёт' } }))).toBe('Отчёт')
    const steps: number[] = []
    await client.callTool({ name: 'steps', arguments: { count: 3, pauseMs: 30 } }, undefined, {
      onprogress: ({ progress }) => steps.push(progress),
    })
    expect(steps).toEqual([1, 2, 3])
    expect(textIn(await ask())).toBe('{"pick":"й"}')
    await expect(client.callTool({ name: 'fail', arguments: {} })).rejects.toMatchObject({
      code: -31999,
      data: { why: ['x'] },
    })
    expect((await client.readResource({ uri: 'docs://a' })).contents).toEqual([
      { uri: 'docs://a', text: 'text' },
    ])
  })

  it.each([
    ['stdio', 'legacy'],
    ['stdio', 'auto'],
    ['http v2', 'legacy'],
    ['http v2', 'auto'],
    ['http v1', 'legacy'],
  ] as const)('the v2 client over %s, mode %s', async (way, mode) => {
    const transport =
      way === 'stdio'
        ? new StdioV2(await served.stdio())
        : new HttpV2(await served.http(way.slice(-2) as 'v1' | 'v2'))
    const client = await clientV2(transport, mode)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo')
    expect(textIn(await client.callTool({ name: 'echo', arguments: { text: 'Отчёт' } }))).toBe('Отчёт')
    const steps: number[] = []
    await client.callTool(
      { name: 'steps', arguments: { count: 3, pauseMs: 30 } },
      { onprogress: ({ progress }) => void steps.push(progress) },
    )
    expect(steps).toEqual([1, 2, 3])
    expect(textIn(await client.callTool({ name: 'ask', arguments: {} }))).toBe('{"pick":"й"}')
    await expect(client.callTool({ name: 'fail', arguments: {} })).rejects.toMatchObject({
      code: -31999,
      data: { why: ['x'] },
    })
    await expect(client.callTool({ name: 'none', arguments: {} })).rejects.toMatchObject({ code: -32602 })
    const abort = new AbortController()
    const waiting = client.callTool({ name: 'wait', arguments: { label: 'sdk' } }, { signal: abort.signal })
    setTimeout(() => abort.abort(), 50)
    await expect(waiting).rejects.toThrow()
    const report = async (): Promise<JsonObject> =>
      (await client.callTool({ name: 'report', arguments: {} })).structuredContent as JsonObject
    while (!((await report()).cancelled as string[]).includes('sdk'))
      await new Promise((resolve) => setTimeout(resolve, 20))
  })
})
