import { type Candidates, createCandidates, noCandidates } from './candidates.ts'
import type { Glob } from './glob.ts'
import { createGlobIndex, type GlobIndex } from './glob-index.ts'
import type { Kind, Policy, Rule } from './policy.ts'

/** Finds the rules that match a pair, in the order of the policy. */
export interface RuleIndex {
  candidates(kind: Kind, server: string, name: string): Candidates
}

/** Pairs remembered per index. */
const remembered = 8192

/** Values by a pattern. */
interface Shelf<T> {
  /** Those of patterns without a wildcard, by their text. */
  readonly exact: Map<string, T>
  /** By pattern as written: patterns that are written alike share a value. */
  readonly wide: Map<string, T>
  readonly index: GlobIndex<T>
}

const createShelf = <T>(): Shelf<T> => ({ exact: new Map(), wide: new Map(), index: createGlobIndex() })

function place<T>(shelf: Shelf<T>, glob: Glob, make: () => T): T {
  const [map, key] = glob.exact ? [shelf.exact, glob.parts[0] as string] : [shelf.wide, glob.source]
  const known = map.get(key)
  if (known !== undefined) return known
  const value = make()
  map.set(key, value)
  if (!glob.exact) shelf.index.add(glob, value)
  return value
}

/** Calls back with the values of all patterns that match. */
function each<T>(shelf: Shelf<T>, text: string, action: (value: T) => void): void {
  const exact = shelf.exact.get(text)
  if (exact !== undefined) action(exact)
  if (shelf.wide.size > 0) for (const value of shelf.index.matching(text)) action(value)
}

/** The rules that name one pair of patterns. */
interface Leaf {
  readonly id: number
  readonly rules: Rule[]
}

type RulesByPair = Shelf<Shelf<Leaf>>

function shelve(rules: readonly Rule[]): RulesByPair {
  const servers: RulesByPair = createShelf()
  let leaves = 0
  const createLeaf = (): Leaf => {
    leaves += 1
    return { id: leaves, rules: [] }
  }
  for (const rule of rules) {
    const names = place(servers, rule.server, () => createShelf<Leaf>())
    place(names, rule.name, createLeaf).rules.push(rule)
  }
  return servers
}

/** Lists of more parts than this are made anew for each pair. */
const mostShared = 16

/** Makes lists of rules; the same leaves give the same list, with all that was found out about it. */
function createLists(): { of(leaves: Leaf[]): Candidates; clear(): void } {
  const lists = new Map<string, Candidates>()
  return {
    of(leaves) {
      if (leaves.length === 0) return noCandidates
      const id =
        leaves.length > mostShared
          ? undefined
          : leaves
              .map((leaf) => leaf.id)
              .sort((a, b) => a - b)
              .join()
      const known = id === undefined ? undefined : lists.get(id)
      if (known) return known
      const rules = leaves.flatMap((leaf) => leaf.rules).sort((a, b) => a.index - b.index)
      const candidates = createCandidates(rules)
      if (id !== undefined) lists.set(id, candidates)
      return candidates
    },
    clear: () => lists.clear(),
  }
}

/** Builds the index. Looking a pair up for the first time costs the rules that match it and those that nearly do. */
export function createRuleIndex(policy: Policy): RuleIndex {
  const shelves: Readonly<Record<Kind, RulesByPair>> = {
    tool: shelve(policy.rules.filter((rule) => rule.kind === 'tool')),
    prompt: shelve(policy.rules.filter((rule) => rule.kind === 'prompt')),
    resource: shelve(policy.rules.filter((rule) => rule.kind === 'resource')),
  }
  const found: Readonly<Record<Kind, Map<string, Map<string, Candidates>>>> = {
    tool: new Map(),
    prompt: new Map(),
    resource: new Map(),
  }
  const lists = { tool: createLists(), prompt: createLists(), resource: createLists() }
  let count = 0

  const search = (kind: Kind, server: string, name: string): Candidates => {
    const leaves: Leaf[] = []
    each(shelves[kind], server, (names) => each(names, name, (leaf) => leaves.push(leaf)))
    return lists[kind].of(leaves)
  }

  return {
    candidates(kind, server, name) {
      const known = found[kind].get(server)?.get(name)
      if (known) return known
      if (count >= remembered) {
        for (const names of Object.values(found)) names.clear()
        for (const list of Object.values(lists)) list.clear()
        count = 0
      }
      const candidates = search(kind, server, name)
      const names = found[kind].get(server) ?? new Map<string, Candidates>()
      names.set(name, candidates)
      found[kind].set(server, names)
      count += 1
      return candidates
    },
  }
}
