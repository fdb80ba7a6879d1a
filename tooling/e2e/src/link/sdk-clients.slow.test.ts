import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '@truename/mcp-link'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adapters } from './links.ts'
import { program } from './programs.ts'
import { sampleService } from './sample-service.ts'

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
    onTestFinished(() => endpoint.close())
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
