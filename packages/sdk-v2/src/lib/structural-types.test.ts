import {
  InMemoryTransport,
  type SSEClientTransport,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import {
  type JSONRPCMessage,
  McpServer,
  type PerRequestHTTPServerTransport,
  type WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import {
  connectLink,
  listSurface,
  type SessionTransport,
  type Transport,
  type WireMessage,
} from '@truename/mcp-link'
import { describe, expect, expectTypeOf, it } from 'vitest'

describe('the transports of the v2 line', () => {
  it('are transports of a link as they are, and its messages are theirs', () => {
    expectTypeOf<StdioClientTransport>().toExtend<Transport>()
    expectTypeOf<StdioServerTransport>().toExtend<Transport>()
    expectTypeOf<StreamableHTTPClientTransport>().toExtend<Transport>()
    expectTypeOf<SSEClientTransport>().toExtend<Transport>()
    expectTypeOf<InMemoryTransport>().toExtend<Transport>()
    expectTypeOf<PerRequestHTTPServerTransport>().toExtend<Transport>()
    expectTypeOf<WebStandardStreamableHTTPServerTransport>().toExtend<SessionTransport>()
    expectTypeOf<WireMessage>().toExtend<JSONRPCMessage>()
    expectTypeOf<{ start(): Promise<void> }>().not.toExtend<Transport>()
  })

  it('carry a link to a server of the SDK', async () => {
    const [near, far] = InMemoryTransport.createLinkedPair()
    const server = new McpServer({ name: 'sdk', version: '2.0.0' })
    server.registerTool('hello', {}, async () => ({ content: [{ type: 'text', text: 'привет' }] }))
    await server.connect(far as never)
    const connected = await connectLink(
      { serverId: 'sdk', transport: 'stdio', dial: async () => ({ transport: near }) },
      { client: { name: 't', version: '1' } },
    )
    if (!connected.ok) throw new Error(connected.failure.message)
    const { upstream } = connected
    expect((await listSurface(upstream)).tools.items.map(({ name }) => name)).toEqual(['hello'])
    expect(await upstream.request('tools/call', { name: 'hello' })).toMatchObject({
      kind: 'result',
      value: { content: [{ type: 'text', text: 'привет' }] },
    })
    await upstream.close()
  })
})
