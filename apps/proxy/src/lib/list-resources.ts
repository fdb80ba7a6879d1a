import type { DecisionLog } from '@truename/decision-log'
import {
  type DownstreamContext,
  isJsonObject,
  type JsonObject,
  keyMeta,
  type Outcome,
} from '@truename/mcp-link'
import type { LockedServer } from '@truename/tool-registry'
import { askUpstream } from './ask-upstream.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import type { UpstreamPool } from './upstream-pool.ts'
import type { UriRoutes } from './uri-routes.ts'

/** What listing needs. */
export interface ListServices {
  readonly servers: readonly LockedServer[]
  readonly pool: UpstreamPool
  readonly routes: UriRoutes
  readonly log: DecisionLog | undefined
  readonly listTimeoutMs: number
  readonly onEvent: (level: 'info' | 'warn' | 'error', server: string, message: string) => void
}

/** Servers that had resources when they were locked, in the order they are listed. */
export const serversWithResources = (servers: readonly LockedServer[]): readonly LockedServer[] =>
  servers.filter(
    ({ modes, capabilities, uriSpace }) =>
      modes.resources === 'on' &&
      capabilities.resources !== undefined &&
      uriSpace.prefixes.length + uriSpace.exact.length > 0,
  )

/** `resources/list`: live, one server a page. A server that cannot be listed is passed over and reported. */
export async function listResources(
  services: ListServices,
  cursor: string | undefined,
  context: DownstreamContext,
): Promise<Outcome> {
  const servers = serversWithResources(services.servers)
  const place = cursor === undefined ? { server: servers[0]?.id, cursor: undefined } : decodeCursor(cursor)
  const at = servers.findIndex(({ id }) => id === place?.server)
  if (cursor !== undefined && at < 0) {
    return {
      kind: 'error',
      error: { code: -32602, message: 'This cursor is not one of this listing; list again from the start' },
    }
  }
  const server = servers[at]
  if (!server) return { kind: 'result', value: { resources: [] } }

  const page = await readPage(services, server, place?.cursor, context)
  const following = servers[at + 1]
  const next =
    page.nextCursor !== undefined
      ? encodeCursor({ server: server.id, cursor: page.nextCursor })
      : following && encodeCursor({ server: following.id })
  return {
    kind: 'result',
    value: { resources: page.resources, ...(next !== undefined && { nextCursor: next }) },
  }
}

async function readPage(
  services: ListServices,
  server: LockedServer,
  cursor: string | undefined,
  context: DownstreamContext,
): Promise<{ readonly resources: readonly JsonObject[]; readonly nextCursor?: string }> {
  const asked = await askUpstream(services.pool, server.id, (upstream) =>
    upstream.request('resources/list', cursor === undefined ? {} : { cursor }, {
      signal: context.signal,
      timeoutMs: services.listTimeoutMs,
    }),
  )
  if (!asked.ok) {
    services.onEvent('warn', server.id, `Its resources are not listed: ${asked.unavailable.message}`)
    return { resources: [] }
  }
  const { outcome } = asked
  if (outcome.kind !== 'result') {
    const why = outcome.kind === 'error' ? outcome.error.message : 'it asked for input first'
    services.onEvent('warn', server.id, `Its resources are not listed: ${why}`)
    return { resources: [] }
  }
  const items = Array.isArray(outcome.value.resources) ? outcome.value.resources.filter(isJsonObject) : []
  const resources = items.flatMap((item) => {
    const uri = typeof item.uri === 'string' ? item.uri : undefined
    if (uri === undefined) return []
    const shown = services.routes.toClient(server.id, uri)
    if (services.routes.owner(shown)?.server === server.id) {
      return [
        {
          ...item,
          uri: shown,
          _meta: {
            ...(item._meta as JsonObject | undefined),
            [keyMeta]: { server: server.id, kind: 'resource', name: uri },
          },
        },
      ]
    }
    // Outside every recorded space, or inside another server's: never routed by luck.
    services.onEvent(
      'warn',
      server.id,
      `A listed resource is withheld: it is outside what was recorded of this server in the lock`,
    )
    void services.log
      ?.append({
        type: 'denial',
        reason: 'a listed resource outside the recorded URI space is withheld',
        key: { server: server.id, kind: 'resource', name: uri },
        method: 'resources/list',
      })
      .catch(() => undefined)
    return []
  })
  const { nextCursor } = outcome.value
  return typeof nextCursor === 'string' ? { resources, nextCursor } : { resources }
}
