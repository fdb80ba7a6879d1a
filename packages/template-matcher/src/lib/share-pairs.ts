import type { QueryPart } from './parts.ts'
import {
  canBeMember,
  countUnits,
  firstOf,
  holdsList,
  isPlain,
  type Pair,
  type QueryWalk,
} from './query-pairs.ts'

/** The owner of a pair that is ignored. */
export const IGNORED = -1
/** How many pairs are compared where they can be shared out in several ways. */
const sharingBound = 200_000

/**
 * Which exploded variables are maps here: as few as the keys without a list of their own need. `counts` are the pairs
 * of each key that no variable without `*` took.
 */
function chooseMaps(
  part: QueryPart,
  first: number,
  counts: ReadonlyMap<string, number>,
): Set<number> | undefined {
  const maps = new Set<number>()
  for (const [j, { explode }] of part.variables.entries()) if (explode && j >= first) maps.add(j)
  const lists = (key: string): boolean =>
    part.byKey.get(key)?.some((j) => j >= first && part.variables[j]!.explode && !maps.has(j)) ?? false
  const fails = (): string | undefined => {
    for (const [key, count] of counts) if (!lists(key) && count > maps.size) return key
    return undefined
  }
  // A key that comes more often than there are maps to hold it can only be a list.
  for (let key = fails(); key !== undefined; key = fails()) {
    const own = part.byKey.get(key)?.find((j) => maps.has(j))
    if (own === undefined) return undefined
    maps.delete(own)
  }
  // Every variable with pairs of its name is a list, unless other keys need it.
  const own = [...maps].filter((j) => counts.has(part.variables[j]!.key))
  for (const j of own) maps.delete(j)
  for (const j of own) {
    if (fails() === undefined) break
    maps.add(j)
  }
  return maps
}

/** How many pairs of each key nothing owns yet. */
function countFree(pairs: readonly Pair[], owners: readonly (number | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [at, { key }] of pairs.entries())
    if (owners[at] === undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** Shares pairs out in the preferred way; `undefined` where there is none. */
export function shareOut(walk: QueryWalk, pairs: readonly Pair[]): number[] | undefined {
  const { part, composite, unknown } = walk
  const { variables, byKey } = part
  const first = firstOf(walk)
  // First each variable without `*` takes a pair of its name, then the exploded ones share what is left.
  const owners: (number | undefined)[] = new Array(pairs.length)
  const places = new Map<string, number[]>()
  for (const [at, { key }] of pairs.entries()) {
    const same = places.get(key)
    if (same === undefined) places.set(key, [at])
    else same.push(at)
  }
  let isBehind = false
  for (const [j, { key, explode, prefix }] of variables.entries()) {
    isBehind ||= explode
    if (explode || j < first) continue
    const fits = (at: number): boolean =>
      owners[at] === undefined && (prefix === 0 || countUnits(walk, pairs[at]!) <= prefix)
    const same = places.get(key) ?? []
    // What exploded variables hold stands before what those behind them do.
    const own = isBehind && same.length > 1 ? [...same].reverse() : same
    // Only a variable without modifier can hold a list in one pair.
    const list = prefix === 0 ? own.find((at) => fits(at) && holdsList(walk, pairs[at]!)) : undefined
    const at = list ?? own.find(fits)
    if (at !== undefined) owners[at] = j
  }
  if (unknown === 'ignore')
    for (const [at, pair] of pairs.entries()) {
      if (byKey.has(pair.key)) continue
      if (!canBeMember(walk, pair)) owners[at] = IGNORED
      // What a map can hold is not unknown.
      else if (!composite) return undefined
    }
  let counts = countFree(pairs, owners)
  let maps = composite && part.maps ? chooseMaps(part, first, counts) : new Set<number>()
  if (maps === undefined && unknown === 'ignore') {
    for (const [at, { key }] of pairs.entries()) if (!byKey.has(key)) owners[at] = IGNORED
    counts = countFree(pairs, owners)
    maps = chooseMaps(part, first, counts)
  }
  if (maps === undefined) return undefined
  const mapOrder = [...maps]
  const taken = new Map<string, number>()
  for (const [at, pair] of pairs.entries()) {
    if (owners[at] !== undefined) continue
    const { key } = pair
    if (byKey.has(key) && holdsList(walk, pair)) return undefined
    const place = taken.get(key) ?? 0
    taken.set(key, place + 1)
    const lists = byKey.get(key)?.filter((j) => j >= first && variables[j]!.explode && !maps.has(j)) ?? []
    // A repeated list is written once for each time, whole.
    if (counts.get(key)! % Math.max(lists.length, 1) !== 0) return undefined
    const list = lists[Math.trunc((place * lists.length) / counts.get(key)!)]
    if (list === undefined && place >= mapOrder.length) return undefined
    owners[at] = list ?? mapOrder[place]! + variables.length
  }
  return owners as number[]
}

/** Every way to share pairs out, within a bound, until `found` answers true. */
export function shareOutAnyhow(
  walk: QueryWalk,
  pairs: readonly Pair[],
  step: (count: number) => void,
  found: (owners: readonly number[]) => boolean,
): void {
  const { part, composite, unknown } = walk
  const { variables, byKey } = part
  const count = variables.length
  const first = firstOf(walk)
  const members = [...variables.keys()].filter((j) => j >= first && variables[j]!.explode && composite)
  const choices = pairs.map((pair) => {
    const own = byKey.get(pair.key) ?? []
    const isList = holdsList(walk, pair)
    const fitting = own.filter((j) => {
      const { explode, prefix } = variables[j]!
      if (j < first) return false
      return isList ? isPlain(variables[j]!) : explode || prefix === 0 || countUnits(walk, pair) <= prefix
    })
    const maps = isList || !canBeMember(walk, pair) ? [] : members.map((j) => j + count)
    return [...fitting, ...maps, ...(own.length === 0 && unknown === 'ignore' ? [IGNORED] : [])]
  })
  const owners: number[] = []
  const clashes = (owner: number, { key }: Pair): boolean =>
    owners.some((other, at) =>
      other !== owner
        ? other % count === owner % count
        : owner >= count
          ? pairs[at]!.key === key
          : owner >= 0 && !variables[owner]!.explode,
    )
  const cursors = [0]
  for (let compared = 0; cursors.length > 0 && compared < sharingBound; compared += cursors.length + 1) {
    step(cursors.length)
    const at = cursors.length - 1
    owners.length = at
    if (at === pairs.length ? found(owners) : false) return
    const owner = choices[at]?.[cursors[at]!]
    cursors[at]! += 1
    if (owner === undefined) cursors.pop()
    else if (!clashes(owner, pairs[at]!)) {
      owners.push(owner)
      cursors.push(0)
    }
  }
}
