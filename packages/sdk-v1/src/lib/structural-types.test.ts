import type { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import {
  connectLink,
  listSurface,
  type SessionTransport,
  type Transport,
  type WireMessage,
} from '@truename/mcp-link'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

describe('the transports of the v1 line', () => {
  it('are transports of a link as they are, and its messages are theirs', () => {
    expectTypeOf<StdioClientTransport>().toExtend<Transport>()
    expectTypeOf<StdioServerTransport>().toExtend<Transport>()
    expectTypeOf<StreamableHTTPClientTransport>().toExtend<Transport>()
    expectTypeOf<SSEClientTransport>().toExtend<Transport>()
    expectTypeOf<InMemoryTransport>().toExtend<Transport>()
    expectTypeOf<WebStandardStreamableHTTPServerTransport>().toExtend<SessionTransport>()
    expectTypeOf<WireMessage>().toExtend<JSONRPCMessage>()
    expectTypeOf<{ start(): Promise<void> }>().not.toExtend<Transport>()
  })

  it('carry a link to a server of the SDK', async () => {
    const [near, far] = InMemoryTransport.createLinkedPair()
    const server = new McpServer({ name: 'sdk', version: '1.0.0' })
    server.registerTool('double', { inputSchema: { n: z.number() } }, async ({ n }) => ({
      content: [{ type: 'text', text: String(n * 2) }],
    }))
    await server.connect(far)
    const connected = await connectLink(
      { serverId: 'sdk', transport: 'stdio', dial: async () => ({ transport: near }) },
      { client: { name: 't', version: '1' } },
    )
    if (!connected.ok) throw new Error(connected.failure.message)
    const { upstream } = connected
    expect(upstream.negotiation.era).toBe('legacy')
    expect((await listSurface(upstream)).tools.items.map(({ name }) => name)).toEqual(['double'])
    expect(await upstream.request('tools/call', { name: 'double', arguments: { n: 21 } })).toMatchObject({
      kind: 'result',
      value: { content: [{ type: 'text', text: '42' }] },
    })
    await upstream.close()
  })
})
