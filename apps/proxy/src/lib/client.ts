import {
  type Connected,
  type ConnectOptions,
  createVerdictStore,
  type JsonObject,
  type ServerConfig,
} from '@truename/mcp-link'
import { connect } from '@truename/sdk-v2'
import { version } from './version.ts'

/** What the proxy says of itself to servers. */
export const clientInfo: ConnectOptions['client'] = { name: 'truename', title: 'Truename', version }

/** What the proxy declares upstream, when locking and when serving: servers vary their tools by it. */
export const clientCapabilities: JsonObject = {}

/** Opens a connection to a configured server. */
export type Connect = (server: ServerConfig, options: ConnectOptions) => Promise<Connected>

/**
 * Opens connections, and keeps in a file what era each server speaks, so that it is not probed at every start.
 * `afresh`: every server is asked again, and its answer kept.
 */
export function createConnect(erasFile: string, { afresh }: { readonly afresh: boolean }): Connect {
  const store = createVerdictStore({ file: erasFile })
  const verdicts = afresh ? { ...store, get: () => undefined } : store
  return (server, options) => connect(server, { ...options, verdicts })
}
