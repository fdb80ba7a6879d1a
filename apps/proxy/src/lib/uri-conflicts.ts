import { overlap } from '@truename/template-matcher'
import type { LockedServer } from '@truename/tool-registry'
import { schemeAlias } from './uri-alias.ts'
import { literalTemplate } from './uri-space-template.ts'

/** Two servers that claim the same URI. */
export interface UriConflict {
  readonly servers: readonly [string, string]
  /** What each claims it by: a template, or a prefix of what it lists. */
  readonly claims: readonly [string, string]
  /** A URI both would answer; undefined where it could not be decided, which counts as a conflict. */
  readonly witness: string | undefined
}

interface Claim {
  readonly server: string
  readonly shown: string
  readonly template: string
}

const claimsOf = ({ id, modes, uriSpace }: LockedServer): readonly Claim[] => {
  if (modes.resources === 'off') return []
  const alias = modes.uris === 'prefixed' ? `${schemeAlias(id)}+` : ''
  const claim = (shown: string, template: string): Claim => ({
    server: id,
    shown: alias + shown,
    template: alias + template,
  })
  return [
    ...uriSpace.templates.map((template) => claim(template, template)),
    ...uriSpace.prefixes.map((prefix) => claim(`${prefix}…`, literalTemplate(prefix))),
    ...uriSpace.exact.map((uri) => claim(uri, literalTemplate(uri).replace(/\{\+rest\}$/, ''))),
  ]
}

/**
 * Every pair of claims of different servers that some URI satisfies both of, with such a URI. Conflicts are
 * computed in tolerant mode, since clients that substitute instead of expanding are served too.
 */
export function findUriConflicts(servers: readonly LockedServer[]): readonly UriConflict[] {
  const claims = servers.flatMap(claimsOf)
  const conflicts: UriConflict[] = []
  claims.forEach((first, index) => {
    for (const second of claims.slice(index + 1)) {
      if (first.server === second.server) continue
      const found = overlap(first.template, second.template, { mode: 'tolerant' })
      if (found === undefined) continue
      conflicts.push({
        servers: [first.server, second.server],
        claims: [first.shown, second.shown],
        witness: found === 'undecided' ? undefined : found.uri,
      })
    }
  })
  return conflicts
}
