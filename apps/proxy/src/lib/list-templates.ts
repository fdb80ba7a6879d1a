import type { JsonObject } from '@truename/mcp-link'
import type { LockedServer } from '@truename/tool-registry'
import type { Catalogue } from './catalogue.ts'
import type { UriRoutes } from './uri-routes.ts'

/** `resources/templates/list`: from the lock, by server and template, under the URIs clients use. */
export function listTemplates(
  { templates }: Catalogue,
  servers: readonly LockedServer[],
  routes: UriRoutes,
): readonly JsonObject[] {
  const offered = new Set(servers.filter(({ modes }) => modes.resources === 'on').map(({ id }) => id))
  return templates
    .filter(({ server }) => offered.has(server))
    .map(({ server, uriTemplate, definition }) => ({
      ...definition,
      uriTemplate: routes.toClient(server, uriTemplate),
    }))
}
