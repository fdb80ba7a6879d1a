import type { Connected, ConnectOptions, JsonObject, ServerConfig } from '@truename/mcp-link'
import { connect as connectV2 } from '@truename/sdk-v2'
import { version } from './version.ts'

/** What the proxy says of itself to servers. */
export const clientInfo: ConnectOptions['client'] = { name: 'truename', title: 'Truename', version }

/** What the proxy declares upstream, when locking and when serving: servers vary their tools by it. */
export const clientCapabilities: JsonObject = {}

/** Opens a connection to a configured server. */
export const connect = (server: ServerConfig, options: ConnectOptions): Promise<Connected> =>
  connectV2(server, options)
