import { type DownstreamContext, isJsonObject, type JsonObject, type Outcome } from '@truename/mcp-link'
import type { LockedServer } from '@truename/tool-registry'
import { askUpstream } from './ask-upstream.ts'
import type { Catalogue } from './catalogue.ts'
import type { UpstreamPool } from './upstream-pool.ts'
import { ownsUri, type UriRoutes } from './uri-routes.ts'

/** What completion needs. */
export interface CompleteServices {
  readonly servers: readonly LockedServer[]
  readonly catalogue: Catalogue
  readonly pool: UpstreamPool
  readonly routes: UriRoutes
  readonly listTimeoutMs: number
}

const invalid = (message: string): Outcome => ({ kind: 'error', error: { code: -32602, message } })

const nothing: Outcome = { kind: 'result', value: { completion: { values: [], total: 0, hasMore: false } } }

/** `completion/complete`: to the server whose prompt, template or resource is named, under its own name for it. */
export async function complete(
  { servers, catalogue, pool, routes, listTimeoutMs }: CompleteServices,
  params: JsonObject,
  context: DownstreamContext,
): Promise<Outcome> {
  const { ref } = params
  if (!isJsonObject(ref)) return invalid('completion/complete needs "ref", an object')
  const target = ref.type === 'ref/prompt' ? promptOf(catalogue, ref) : resourceOf(servers, routes, ref)
  if (!target) return invalid(`Nothing of this catalogue is named by ${JSON.stringify(ref)}`)
  const asked = await askUpstream(pool, target.server, async (upstream, locked) =>
    upstream.negotiation.can('completion/complete').allowed === false || !isIn(locked, target.ref)
      ? nothing
      : upstream.request(
          'completion/complete',
          { ...params, ref: target.ref },
          { signal: context.signal, timeoutMs: listTimeoutMs },
        ),
  )
  if (!asked.ok) return { kind: 'error', error: { code: -32000, message: asked.unavailable.message } }
  // It may have been taken out while the server thought.
  const now = pool.peek(target.server)
  return now && isIn(now.locked, target.ref) ? asked.outcome : nothing
}

/**
 * Whether this entry promises to complete this, and still has it: either may have been taken out while the server was
 * started.
 */
const isIn = (locked: LockedServer, { type, name, uri }: JsonObject): boolean =>
  isJsonObject(locked.capabilities.completions) &&
  (type === 'ref/prompt'
    ? locked.prompts.has(String(name))
    : locked.templates.has(String(uri)) || ownsUri(locked, String(uri)))

interface Target {
  readonly server: string
  readonly ref: JsonObject
}

function promptOf(catalogue: Catalogue, ref: JsonObject): Target | undefined {
  const key = typeof ref.name === 'string' ? catalogue.names.key(ref.name, 'prompt') : undefined
  return key && { server: key.server, ref: { ...ref, name: key.name } }
}

function resourceOf(
  servers: readonly LockedServer[],
  routes: UriRoutes,
  ref: JsonObject,
): Target | undefined {
  const { uri } = ref
  if (typeof uri !== 'string') return undefined
  for (const { id, templates } of servers) {
    for (const template of templates.keys()) {
      if (routes.toClient(id, template) === uri) return { server: id, ref: { ...ref, uri: template } }
    }
  }
  const owner = routes.owner(uri)
  return owner && { server: owner.server, ref: { ...ref, uri: owner.uri } }
}
