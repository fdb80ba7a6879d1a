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
  /** The flat name of a key, or undefined if the key is not in the map. */
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

/** Builds a map by any naming function; fails on a clash whatever the function. */
export function buildNameMap(keys: Iterable<Key>, nameOf: (key: Key) => string): NameMap {
  const byKind: Record<
    KeyKind,
    { readonly names: Map<string, Map<string, string>>; readonly keys: Map<string, Key> }
  > = {
    tool: { names: new Map(), keys: new Map() },
    prompt: { names: new Map(), keys: new Map() },
    resource: { names: new Map(), keys: new Map() },
  }
  const pairs: (readonly [string, Key])[] = []
  for (const { server, kind, name } of keys) {
    const key: Key = { server, kind, name }
    const flat = nameOf(key)
    const space = byKind[kind]
    const owner = space.keys.get(flat)
    if (owner) {
      if (!sameKey(owner, key)) throw new NameClashError(flat, owner, key)
      continue
    }
    space.keys.set(flat, key)
    const ofServer = space.names.get(server)
    if (ofServer) ofServer.set(name, flat)
    else space.names.set(server, new Map([[name, flat]]))
    pairs.push([flat, key])
  }
  return {
    size: pairs.length,
    name: ({ server, kind, name }) => byKind[kind].names.get(server)?.get(name),
    key: (name, kind = 'tool') => byKind[kind].keys.get(name),
    entries: () => pairs.values(),
  }
}
