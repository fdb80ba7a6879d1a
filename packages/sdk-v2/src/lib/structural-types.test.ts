import type {
  InMemoryTransport,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type {
  JSONRPCMessage,
  PerRequestHTTPServerTransport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { SessionTransport, Transport, WireMessage } from '@truename/mcp-link'
import { describe, expectTypeOf, it } from 'vitest'

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
})
