import type { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { SessionTransport, Transport, WireMessage } from '@truename/mcp-link'
import { describe, expectTypeOf, it } from 'vitest'

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
})
