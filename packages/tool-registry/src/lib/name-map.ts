import { createNamer, type FlatNameOptions } from './flat-name.ts'
import { type Key, type KeyKind, sameKey } from './key.ts'

/** Two different keys that got the same flat name: the map is not built. */
export class NameClashError extends Error {
  readonly code = 'name-clash'
  readonly flatName: string
  readonly keys: readonly [Key, Key]
  constructor(name: string, first: Key, second: Key) {
    super(
      `Two ${first.kind}s share the name ${name}: ${JSON.stringify([first, second])}; give one server another id`,
    )
    this.name = 'NameClashError'
    this.flatName = name
    this.keys = [first, second]
  }
}

/** Flat names and the keys they stand for. Routing goes through it; no flat name is ever parsed. */
export interface NameMap {
  readonly size: number
  /** The flat name of a key, or undefined if the key is not in the map. It is computed anew each time. */
  name(key: Key): string | undefined
  /** The key of a flat name, or undefined if no key of that kind has it. Kinds have name spaces of their own. */
  key(name: string, kind?: KeyKind): Key | undefined
  /** All pairs, in the order the keys were given. */
  entries(): IterableIterator<readonly [name: string, key: Key]>
}

/**
 * Builds the map of all names that stand side by side. The same key twice counts once.
 *
 * @throws {NameClashError} if two different keys of one kind would share a name
 * @throws {NameLimitError} for a limit below 24
 */
export const createNameMap = (keys: Iterable<Key>, options?: FlatNameOptions): NameMap =>
  buildNameMap(keys, createNamer(options))

/** Builds a map by any function of server and name; fails on a clash whatever the function. */
export function buildNameMap(keys: Iterable<Key>, nameOf: (key: Key) => string): NameMap {
  const byKind: Record<KeyKind, Map<string, Key>> = {
    tool: new Map(),
    prompt: new Map(),
    resource: new Map(),
  }
  const names: string[] = []
  const owners: Key[] = []
  for (const { server, kind, name } of keys) {
    const key: Key = { server, kind, name }
    const flat = nameOf(key)
    const owner = byKind[kind].get(flat)
    if (owner === undefined) {
      byKind[kind].set(flat, key)
      names.push(flat)
      owners.push(key)
    } else if (!sameKey(owner, key)) throw new NameClashError(flat, owner, key)
  }
  return {
    size: names.length,
    name(key) {
      const flat = nameOf(key)
      const owner = byKind[key.kind].get(flat)
      return owner !== undefined && sameKey(owner, key) ? flat : undefined
    },
    key: (name, kind = 'tool') => byKind[kind].get(name),
    *entries() {
      for (const [at, name] of names.entries()) yield [name, owners[at] as Key] as const
    },
  }
}
