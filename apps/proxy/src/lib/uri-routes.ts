import {
  createTemplateSet,
  type Explanation,
  type ReadTrace,
  type TemplateSet,
} from '@truename/template-matcher'
import type { LockedServer } from '@truename/tool-registry'
import { aliasOf, createUriAliases } from './uri-alias.ts'
import { literalTemplate } from './uri-space-template.ts'

/** Whose a URI is. */
export interface UriOwner {
  readonly server: string
  /** As the server knows it: without the alias, otherwise byte for byte. */
  readonly uri: string
  /** The template of the server that this URI belongs to; absent for a concrete resource. */
  readonly template: string | undefined
  /** How the URI departs from an expansion of the template. */
  readonly deviations: readonly string[]
  /** How the URI was read: the steps `match` and `decode`. */
  readonly trace: ReadTrace
}

/** Where resource URIs go, as it was settled when the lock was written. */
export interface UriRoutes {
  /** The one server whose space holds this URI, or undefined. */
  owner(uri: string): UriOwner | undefined
  /** Why no server has it, in at most three lines. */
  explain(uri: string): Explanation
  /** A server's own URI as clients see it. */
  toClient(server: string, uri: string): string
}

interface Claim {
  readonly server: string
  /** Set where the claim is a template of the server's own. */
  readonly template: string | undefined
}

/** Puts what a server of the lock claims into a set. */
function claim(set: TemplateSet<Claim>, { id, uriSpace }: LockedServer): TemplateSet<Claim> {
  for (const template of uriSpace.templates) set.add(template, { server: id, template })
  for (const prefix of uriSpace.prefixes)
    set.add(literalTemplate(prefix), { server: id, template: undefined })
  for (const uri of uriSpace.exact) set.addExact(uri, { server: id, template: undefined })
  return set
}

const spaces = new WeakMap<LockedServer, TemplateSet<Claim>>()

/** What one server of the lock claims, made once for each entry. */
function spaceOf(server: LockedServer): TemplateSet<Claim> {
  const space = spaces.get(server) ?? claim(createTemplateSet<Claim>({ mode: 'tolerant' }), server)
  spaces.set(server, space)
  return space
}

/** Whether an entry of the lock has a URI of the server's own among its resources. */
export const ownsUri = (server: LockedServer, uri: string): boolean =>
  server.modes.resources === 'on' && spaceOf(server).matchAll(uri).length > 0

/** Builds the routes from the lock. Servers with `resources: "off"` have none; `uris: "prefixed"` come under an alias. */
export function createUriRoutes(servers: readonly LockedServer[]): UriRoutes {
  const aliases = createUriAliases(
    servers.filter(({ modes }) => modes.uris === 'prefixed').map(({ id }) => id),
  )
  const plain = createTemplateSet<Claim>({ mode: 'tolerant' })
  const own = new Map<string, TemplateSet<Claim>>()
  for (const server of servers) {
    if (server.modes.resources === 'off') continue
    if (server.modes.uris !== 'prefixed') claim(plain, server)
    own.set(server.id, spaceOf(server))
  }
  /** Several templates of one server may hold a URI; of two servers, it is nobody's. */
  const read = (set: TemplateSet<Claim> | undefined, uri: string): UriOwner | undefined => {
    const [first, ...others] = set?.matchAll(uri) ?? []
    if (!first || others.some(({ data }) => data.server !== first.data.server)) return undefined
    const named = [first, ...others].find(({ data }) => data.template !== undefined) ?? first
    return {
      server: first.data.server,
      uri,
      template: named.data.template,
      deviations: named.deviations.map(({ code }) => code),
      trace: named.trace,
    }
  }
  return {
    owner(uri) {
      const aliased = aliases.split(uri)
      if (aliased) return read(own.get(aliased.server), aliased.uri)
      return read(plain, uri)
    },
    explain: (uri) => plain.explain(uri),
    toClient: (server, uri) => (aliases.has(server) ? aliasOf(server, uri) : uri),
  }
}
