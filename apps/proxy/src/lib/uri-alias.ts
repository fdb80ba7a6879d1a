import { digestText } from '@truename/tool-registry'

/**
 * The scheme part that stands before a server's URIs where they are prefixed: legal in RFC 3986 section 3.1 for
 * every server id, and different for different ids. A plus sign never occurs in it, so it ends at the first one.
 */
export const schemeAlias = (server: string): string =>
  /^[a-z][a-z0-9.-]{0,31}$/.test(server) && !server.startsWith('x-')
    ? server
    : `x-${server
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, '')
        .slice(0, 16)}-${digestText(server).slice(0, 20)}`

/** A server's URI under its alias. `ui:` keeps its scheme, which hosts of MCP Apps look for. */
export const aliasOf = (server: string, uri: string): string =>
  /^ui:/i.test(uri) ? uri : `${schemeAlias(server)}+${uri}`

/** The aliases of some servers. */
export interface UriAliases {
  has(server: string): boolean
  /** The server and its own URI, where the text begins with one of the aliases. */
  split(uri: string): { readonly server: string; readonly uri: string } | undefined
}

/** Reads aliases back through a map of the servers that have one; nothing is guessed from the text. */
export function createUriAliases(servers: readonly string[]): UriAliases {
  const byAlias = new Map(servers.map((server) => [schemeAlias(server), server]))
  return {
    has: (server) => byAlias.get(schemeAlias(server)) === server,
    split(uri) {
      const end = uri.indexOf('+')
      const server = end < 0 ? undefined : byAlias.get(uri.slice(0, end).toLowerCase())
      return server === undefined ? undefined : { server, uri: uri.slice(end + 1) }
    },
  }
}
