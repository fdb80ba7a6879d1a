import { isObject, memberOf } from './json.ts'
import type { UriSpace } from './lock.ts'
import type { Surface } from './surface.ts'

/** Scheme and authority of a URI (RFC 3986 section 3), with the slash that ends the authority. */
const start = /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/[^/?#]*\/?)?/

/**
 * Which URIs a server claims: its templates, and the scheme and authority of everything it lists. A listed URI that
 * is no more than a scheme and authority, or no absolute URI at all, is recorded exactly.
 */
export function uriSpaceOf(surface: Surface): UriSpace {
  const texts = (list: readonly unknown[] | undefined, member: string): string[] =>
    (list ?? []).flatMap((item) => {
      const text = isObject(item) ? memberOf(item, member) : undefined
      return typeof text === 'string' ? [text] : []
    })
  const prefixes = new Set<string>()
  const exact = new Set<string>()
  for (const uri of texts(surface.resources, 'uri')) {
    const prefix = start.exec(uri)?.[0]
    if (prefix === undefined || prefix === uri) exact.add(uri)
    else prefixes.add(prefix)
  }
  return {
    templates: [...new Set(texts(surface.resourceTemplates, 'uriTemplate'))].sort(),
    prefixes: [...prefixes].sort(),
    exact: [...exact].sort(),
  }
}
