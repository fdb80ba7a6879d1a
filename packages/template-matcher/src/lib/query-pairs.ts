import {
  AMPERSAND,
  type CharacterSet,
  characterSet,
  EQUALS,
  ignorable,
  REFUSE,
  runEnd,
  unitSize,
  unreserved,
} from './characters.ts'
import type { PartVariable, QueryPart } from './program.ts'
import type { Occurrence } from './reading.ts'

/** How keys are met that no variable has. */
export type UnknownKeys = 'refuse' | 'ignore'

/** A query expression in a text. */
export interface QueryWalk {
  readonly part: QueryPart
  readonly text: string
  readonly start: number
  /** Whether plain variables may hold lists, and exploded ones maps. */
  readonly composite: boolean
  readonly unknown: UnknownKeys
}

interface Pair {
  readonly key: string
  readonly keyStart: number
  /** Where the pair can end first: for what is ignored, where it starts. */
  readonly from: number
  readonly end: number
}

const lists = characterSet(',', unreserved)

/** Whether a query can start with this character. */
export const opensQuery = ({ first, second }: QueryPart, code: number): boolean =>
  code === first || code === second

/** The pair that starts at `at`, its value taken as far as it goes; `undefined` where none can start. */
function pairAt(
  { part, text, composite, unknown }: QueryWalk,
  at: number,
): (Pair & { set: CharacterSet }) | undefined {
  const keyEnd = runEnd(text, at, unreserved)
  const key = text.slice(at, keyEnd)
  const isPair = text.charCodeAt(keyEnd) === EQUALS
  const owners = part.byKey.get(key)
  if (owners === undefined && unknown === 'ignore')
    return { key, keyStart: at, from: at, end: runEnd(text, at, ignorable), set: ignorable }
  if (!isPair || (owners === undefined && !(composite && part.maps))) return undefined
  const mayList = composite && owners?.some((j) => isPlain(part.variables[j]!))
  const set = mayList && part.set[0x20] === REFUSE ? lists : part.set
  return { key, keyStart: at, from: keyEnd + 1, end: runEnd(text, keyEnd + 1, set), set }
}

const valueStart = ({ keyStart, key }: Pair): number => keyStart + key.length + 1

/** Whether a pair of a key that no variable has is written as a member of a map is. */
const canBeMember = ({ part, text }: QueryWalk, pair: Pair): boolean =>
  part.maps &&
  text.charCodeAt(valueStart(pair) - 1) === EQUALS &&
  valueStart(pair) <= pair.end &&
  runEnd(text, valueStart(pair), part.set) >= pair.end

const isPlain = ({ explode, prefix }: PartVariable): boolean => !explode && prefix === 0

/** Calls `onEnd` at each place where the query can end, until it answers true. */
export function walkQuery(
  walk: QueryWalk,
  isNew: (pairStart: number) => boolean,
  step: () => void,
  onEnd: (at: number) => boolean,
): boolean {
  const { part, text, start } = walk
  if (onEnd(start)) return true
  if (!opensQuery(part, text.charCodeAt(start))) return false
  for (let at = start + 1; isNew(at); ) {
    const pair = pairAt(walk, at)
    if (pair === undefined) return false
    for (let end = pair.from; ; ) {
      step()
      if (onEnd(end)) return true
      if (end >= pair.end) break
      end += unitSize(text, end, pair.set)
    }
    if (text.charCodeAt(pair.end) !== AMPERSAND) return false
    at = pair.end + 1
  }
  return false
}

const holdsComma = ({ text, composite }: QueryWalk, pair: Pair): boolean =>
  composite && text.slice(valueStart(pair), pair.end).includes(',')

/** The code points of a pair's value. */
function countUnits({ part, text }: QueryWalk, pair: Pair): number {
  let count = 0
  for (let at = valueStart(pair); at < pair.end; at += unitSize(text, at, part.set) || 1) count += 1
  return count
}

/** The pairs from `start` to `end`; `undefined` where that is no query of this expression. */
function pairsOf(walk: QueryWalk, end: number): Pair[] | undefined {
  const { part, text, start } = walk
  if (!opensQuery(part, text.charCodeAt(start))) return undefined
  const pairs: Pair[] = []
  for (let at = start + 1; ; ) {
    const pair = pairAt(walk, at)
    if (pair === undefined || pair.from > end) return undefined
    if (pair.end >= end) {
      pairs.push(pair.end === end ? pair : { ...pair, end })
      return pairs
    }
    pairs.push(pair)
    if (text.charCodeAt(pair.end) !== AMPERSAND) return undefined
    at = pair.end + 1
  }
}

/**
 * Which exploded variables are maps here: as few as the keys without a list of their own need. `counts` are the pairs
 * of each key that no variable without `*` took.
 */
function chooseMaps(part: QueryPart, counts: ReadonlyMap<string, number>): Set<number> | undefined {
  const maps = new Set<number>()
  for (const [j, { explode }] of part.variables.entries()) if (explode) maps.add(j)
  const lists = (key: string): boolean =>
    part.byKey.get(key)?.some((j) => part.variables[j]!.explode && !maps.has(j)) ?? false
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

/** The owner of a pair that is ignored. */
const IGNORED = -1

/** How many pairs of each key nothing owns yet. */
function countFree(pairs: readonly Pair[], owner: readonly (number | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [at, { key }] of pairs.entries())
    if (owner[at] === undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** What the text from `start` to `end` says of the variables, or `undefined` where no values expand to it. */
export function readQuery(
  walk: QueryWalk,
  end: number,
): { readonly occurrences: Occurrence[]; readonly inOrder: boolean } | undefined {
  const { part, text, start, composite, unknown } = walk
  const { variables, byKey } = part
  if (start === end) return { occurrences: [], inOrder: true }
  const pairs = pairsOf(walk, end)
  if (pairs === undefined) return undefined
  // First each variable without `*` takes a pair of its name, then the exploded ones share what is left.
  const owner: (number | undefined)[] = new Array(pairs.length)
  const places = new Map<string, number[]>()
  for (const [at, { key }] of pairs.entries()) {
    const same = places.get(key)
    if (same === undefined) places.set(key, [at])
    else same.push(at)
  }
  for (const [j, { key, explode, prefix }] of variables.entries()) {
    if (explode) continue
    const fits = (at: number): boolean =>
      owner[at] === undefined && (prefix === 0 || countUnits(walk, pairs[at]!) <= prefix)
    const own = places.get(key) ?? []
    // Only a variable without modifier can hold a list in one pair.
    const list = prefix === 0 ? own.find((at) => fits(at) && holdsComma(walk, pairs[at]!)) : undefined
    const at = list ?? own.find(fits)
    if (at !== undefined) owner[at] = j
  }
  if (unknown === 'ignore')
    for (const [at, pair] of pairs.entries()) {
      if (byKey.has(pair.key)) continue
      if (!canBeMember(walk, pair)) owner[at] = IGNORED
      // What a map can hold is not unknown.
      else if (!composite) return undefined
    }
  let counts = countFree(pairs, owner)
  let maps = composite && part.maps ? chooseMaps(part, counts) : new Set<number>()
  if (maps === undefined && unknown === 'ignore') {
    for (const [at, { key }] of pairs.entries()) if (!byKey.has(key)) owner[at] = IGNORED
    counts = countFree(pairs, owner)
    maps = chooseMaps(part, counts)
  }
  if (maps === undefined) return undefined
  const mapOrder = [...maps]

  const found: (number[] | undefined)[] = new Array(variables.length)
  const taken = new Map<string, number>()
  let inOrder = true
  let last = 0
  for (const [at, pair] of pairs.entries()) {
    const { key, keyStart, end: valueEnd } = pair
    let j = owner[at]
    if (j === IGNORED) continue
    const from = valueStart(pair)
    let spans = [from, valueEnd]
    if (j === undefined) {
      if (byKey.has(key) && holdsComma(walk, pair)) return undefined
      const place = taken.get(key) ?? 0
      taken.set(key, place + 1)
      const lists = byKey.get(key)?.filter((each) => variables[each]!.explode && !maps.has(each)) ?? []
      if (lists.length > 0) {
        // A repeated list is written once for each time, whole.
        j = lists[Math.trunc((place * lists.length) / counts.get(key)!)]
        if (counts.get(key)! % lists.length !== 0) return undefined
      } else {
        j = mapOrder[place]
        spans = [keyStart, from - 1, from, valueEnd]
        if (j === undefined) return undefined
      }
    }
    if (j! < last) inOrder = false
    last = Math.max(last, j!)
    const before = found[j!]
    if (before === undefined) found[j!] = spans
    else before.push(...spans)
  }
  const opened = text.charCodeAt(start) === 0x3f
  const openingPresent = found.slice(0, part.opening).some((spans) => spans !== undefined)
  if (opened ? !openingPresent && unknown === 'refuse' : openingPresent) return undefined
  const occurrences: Occurrence[] = []
  for (const [j, spans] of found.entries()) {
    if (spans === undefined) continue
    const { name, explode, prefix } = variables[j]!
    const form = !explode ? 'text' : maps.has(j) ? 'map' : 'list'
    occurrences.push({ name, form, prefix, spans })
  }
  return { occurrences, inOrder }
}
