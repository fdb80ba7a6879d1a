import { byCodeUnits } from './json.ts'

/** What a key names: a tool, a prompt, or a resource (an exact URI or a URI template). */
export type KeyKind = 'tool' | 'prompt' | 'resource'

/**
 * The identity of something a server offers: the id under which the operator configured the server, and the
 * server's own name for it. Both are compared exactly, code unit by code unit. For resources the name is the
 * URI, or the template's text.
 */
export interface Key {
  readonly server: string
  readonly kind: KeyKind
  readonly name: string
}

/** One string per key, different for different keys; for maps and sets, not for reading. */
export const keyId = (key: Key): string => JSON.stringify([key.kind, key.server, key.name])

/** Whether two keys are the same pair of the same kind. */
export const sameKey = (a: Key, b: Key): boolean =>
  a.kind === b.kind && a.server === b.server && a.name === b.name

/** A total order: by server, then kind, then name, each by UTF-16 code units. */
export const compareKeys = (a: Key, b: Key): number =>
  byCodeUnits(a.server, b.server) || byCodeUnits(a.kind, b.kind) || byCodeUnits(a.name, b.name)
