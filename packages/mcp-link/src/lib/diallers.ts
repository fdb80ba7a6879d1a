import { startChildTransport } from './child-transport.ts'
import type { ConnectOptions, Dialled, Dialler } from './connect-link.ts'
import { createHttpTap, type Fetch } from './http-tap.ts'
import type { ServerConfig } from './server-config.ts'
import { defaultTimeouts } from './timeouts.ts'
import type { Transport } from './transport.ts'
import type { VerdictStore } from './verdict-store.ts'

/** What an SDK's HTTP client transports are made with. */
export interface HttpSettings<Auth> {
  readonly requestInit: { readonly headers: Record<string, string> }
  readonly fetch: Fetch
  readonly authProvider?: Auth
}

/** What an adapter takes from its SDK line to reach servers: the same names on both lines. */
export interface SdkClientSide<Auth> {
  readonly StreamableHTTPClientTransport: new (
    url: URL,
    settings: HttpSettings<Auth>,
  ) => Transport & { terminateSession(): Promise<void> }
  /** The transport of 2024-11-05. */
  readonly SSEClientTransport: new (
    url: URL,
    settings: HttpSettings<Auth>,
  ) => Transport
  /** The few variables of this process that every program needs. */
  readonly getDefaultEnvironment: () => Record<string, string>
}

/** Options of connecting that only an SDK's transports have a use for. */
export interface DialOptions<Auth> extends ConnectOptions {
  /** OAuth or a token for HTTP servers, as the SDK takes it. */
  readonly authProvider?: Auth | undefined
  /** What HTTP requests go through; default the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Where verdicts on eras are remembered; without it each connection asks. */
  readonly verdicts?: VerdictStore | undefined
}

/** Says how to reach a configured server with the transports of one SDK line. */
export function createDialler<Auth>(
  server: ServerConfig,
  options: DialOptions<Auth>,
  sdk: SdkClientSide<Auth>,
): Dialler {
  return server.kind === 'stdio' ? stdioDialler(server, options, sdk) : httpDialler(server, options, sdk)
}

function stdioDialler<Auth>(
  server: Extract<ServerConfig, { kind: 'stdio' }>,
  options: DialOptions<Auth>,
  sdk: SdkClientSide<Auth>,
): Dialler {
  return {
    serverId: server.id,
    transport: 'stdio',
    async dial(): Promise<Dialled> {
      const transport = await startChildTransport({
        command: server.command,
        args: server.args,
        env: environmentOf(sdk.getDefaultEnvironment(), server.env),
        cwd: server.cwd,
        graceMs: options.timeouts?.graceMs ?? defaultTimeouts.graceMs,
        event: options.onEvent,
      })
      return { transport, stderr: transport.stderr, ending: transport.ending }
    },
  }
}

function environmentOf(
  common: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries({ ...common, ...own })
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null))
}

function httpDialler<Auth>(
  server: Extract<ServerConfig, { kind: 'http' }>,
  options: DialOptions<Auth>,
  sdk: SdkClientSide<Auth>,
): Dialler {
  const url = new URL(server.url)
  const login = options.authProvider === undefined ? {} : { authProvider: options.authProvider }
  // The SDK's login code has to see a 401 or 403 itself.
  const leave = options.authProvider === undefined ? [] : [401, 403]
  return {
    serverId: server.id,
    transport: 'http',
    sse: true,
    async dial(kind): Promise<Dialled> {
      const sse = kind === 'http+sse' || server.transport === 'sse'
      const tap = createHttpTap(options.fetch ?? globalThis.fetch, { leave, sse })
      const settings = { requestInit: { headers: { ...server.headers } }, fetch: tap.fetch, ...login }
      if (sse) return { transport: tap.wrap(new sdk.SSEClientTransport(url, settings)) }
      const transport = new sdk.StreamableHTTPClientTransport(url, settings)
      return { transport: tap.wrap(transport), farewell: () => transport.terminateSession() }
    },
  }
}
