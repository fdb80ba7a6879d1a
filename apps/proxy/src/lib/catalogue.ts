import { type JsonObject, keyMeta } from '@truename/mcp-link'
import {
  createNameMap,
  type Key,
  type LockedServer,
  type MachineFacts,
  type NameMap,
  servedSurface,
} from '@truename/tool-registry'

/** One server of the lock with this machine's own values. */
export interface CatalogueServer {
  readonly locked: LockedServer
  readonly machine: MachineFacts
}

/** What clients may see, made from the lock alone: the same bytes for the same lock, whatever servers do. */
export interface Catalogue {
  readonly names: NameMap
  readonly tools: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  /** Under their own URIs: how clients see those is for the routes to say. */
  readonly templates: readonly ServedTemplate[]
  readonly instructions: string | undefined
}

/** A resource template of one server, as it was approved. */
export interface ServedTemplate {
  readonly server: string
  readonly uriTemplate: string
  readonly definition: JsonObject
}

const withKey = (definition: JsonObject, key: Key): JsonObject => ({
  ...definition,
  _meta: { ...(definition._meta as JsonObject | undefined), [keyMeta]: { ...key } },
})

/**
 * Makes the catalogue: each definition as it was approved, under its flat name, with its key in `_meta`.
 *
 * @throws NameClashError if two pairs would share a flat name
 */
export function createCatalogue(servers: readonly CatalogueServer[], nameLength: number): Catalogue {
  const served = servers.map(({ locked, machine }) => ({
    id: locked.id,
    surface: servedSurface(locked, machine),
  }))
  const pairs = served.flatMap(({ id, surface }) => [
    ...surface.tools.map(
      (definition) => [{ server: id, kind: 'tool', name: String(definition.name) }, definition] as const,
    ),
    ...surface.prompts.map(
      (definition) => [{ server: id, kind: 'prompt', name: String(definition.name) }, definition] as const,
    ),
  ])
  const names = createNameMap(
    pairs.map(([key]) => key),
    { limit: nameLength },
  )
  const listed = (kind: Key['kind']): readonly JsonObject[] =>
    pairs
      .filter(([key]) => key.kind === kind)
      .map(([key, definition]) => withKey({ ...definition, name: names.name(key) as string }, key))
      .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1))
  const instructions = served.flatMap(({ id, surface }) =>
    surface.instructions === null || surface.instructions.trim() === ''
      ? []
      : [`Server "${id}" says:\n\n${surface.instructions}`],
  )
  return {
    names,
    tools: listed('tool'),
    prompts: listed('prompt'),
    templates: served.flatMap(({ id, surface }) =>
      surface.resourceTemplates.map((definition) => {
        const uriTemplate = String(definition.uriTemplate)
        return {
          server: id,
          uriTemplate,
          definition: withKey(definition, { server: id, kind: 'resource', name: uriTemplate }),
        }
      }),
    ),
    instructions: instructions.length === 0 ? undefined : instructions.join('\n\n'),
  }
}
