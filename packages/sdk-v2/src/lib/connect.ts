import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client'
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio'
import {
  type Connected,
  connectServer,
  type DialOptions,
  type SdkClientSide,
  type ServerConfig,
} from '@truename/mcp-link'

/** What logs in to servers: the SDK's own interface, passed to its transport as it is. */
export type AuthProvider = NonNullable<StreamableHTTPClientTransportOptions['authProvider']>

/** How to connect with this SDK line. */
export type SdkConnectOptions = DialOptions<AuthProvider>

const sdk: SdkClientSide<AuthProvider> = {
  StreamableHTTPClientTransport,
  SSEClientTransport,
  getDefaultEnvironment,
}

/**
 * Connects to one configured server, over stdio or HTTP, in the newest era both sides speak. Never throws for what a
 * server does: a failure names the server, the reason, and what the process wrote on stderr.
 */
export function connect(server: ServerConfig, options: SdkConnectOptions): Promise<Connected> {
  return connectServer(server, options, sdk)
}
