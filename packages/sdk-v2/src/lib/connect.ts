import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client'
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio'
import {
  type Connected,
  type ConnectOptions,
  connectLink,
  type Dialled,
  type Dialler,
  defaultTimeouts,
  type Fetch,
  type ServerConfig,
  startChildTransport,
  type Transport,
  watchFetch,
} from '@truename/mcp-link'

/** What logs in to servers: the SDK's own interface, passed to its transport as it is. */
export type AuthProvider = NonNullable<StreamableHTTPClientTransportOptions['authProvider']>

/** How to connect with this SDK line. */
export interface SdkConnectOptions extends ConnectOptions {
  /** OAuth or a bearer token for HTTP servers, as the SDK takes it. */
  readonly authProvider?: AuthProvider | undefined
  /** What HTTP requests go through; default the global `fetch`. */
  readonly fetch?: Fetch | undefined
}

/**
 * Connects to one configured server, over stdio or HTTP, in the newest era both sides speak. Never throws for what a
 * server does: a failure names the server, the reason, and what the process wrote on stderr.
 */
export function connect(server: ServerConfig, options: SdkConnectOptions): Promise<Connected> {
  return connectLink(
    server.kind === 'stdio' ? stdioDialler(server, options) : httpDialler(server, options),
    options,
  )
}

function stdioDialler(server: Extract<ServerConfig, { kind: 'stdio' }>, options: SdkConnectOptions): Dialler {
  return {
    serverId: server.id,
    transport: 'stdio',
    async dial(): Promise<Dialled> {
      const transport = await startChildTransport({
        command: server.command,
        args: server.args,
        env: { ...getDefaultEnvironment(), ...server.env },
        cwd: server.cwd,
        graceMs: options.timeouts?.graceMs ?? defaultTimeouts.graceMs,
        event: options.onEvent,
      })
      return { transport, stderr: transport.stderr, ending: transport.ending }
    },
  }
}

function httpDialler(server: Extract<ServerConfig, { kind: 'http' }>, options: SdkConnectOptions): Dialler {
  const url = new URL(server.url)
  const requestInit = { headers: { ...server.headers } }
  // The SDK's login code has to see a 401 or 403 itself.
  const fetch = watchFetch(options.fetch ?? globalThis.fetch, {
    leave: options.authProvider ? [401, 403] : [],
  })
  const login = options.authProvider ? { authProvider: options.authProvider } : {}
  const dialSse = (): Dialled => ({
    transport: new SSEClientTransport(url, { requestInit, fetch, ...login }) as unknown as Transport,
  })
  return {
    serverId: server.id,
    transport: 'http',
    sse: true,
    async dial(kind): Promise<Dialled> {
      if (kind === 'http+sse' || server.transport === 'sse') return dialSse()
      const transport = new StreamableHTTPClientTransport(url, { requestInit, fetch, ...login })
      return {
        transport: transport as unknown as Transport,
        farewell: () => transport.terminateSession(),
      }
    },
  }
}
