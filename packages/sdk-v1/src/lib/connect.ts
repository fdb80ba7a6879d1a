import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  type Connected,
  connectServer,
  type DialOptions,
  type SdkClientSide,
  type ServerConfig,
} from '@truename/mcp-link'
import { legacyVersions } from './legacy-versions.ts'

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
 * Connects to one configured server, over stdio or HTTP, in the legacy era: this SDK line ends at 2025-11-25. Never
 * throws for what a server does: a failure names the server, the reason, and what the process wrote on stderr.
 */
export async function connect(server: ServerConfig, options: SdkConnectOptions): Promise<Connected> {
  if (options.era === 'modern') {
    const message = `Server ${JSON.stringify(server.id)}: the modern era was asked for, which this SDK line does not speak; use @truename/sdk-v2`
    return {
      ok: false,
      failure: {
        code: 'version-mismatch',
        serverId: server.id,
        message,
        reason: undefined,
        retry: false,
        stderr: [],
      },
    }
  }
  return connectServer(server, { versions: legacyVersions, ...options, era: 'legacy' }, sdk)
}
