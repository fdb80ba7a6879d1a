import {
  AMPERSAND,
  type CharacterSet,
  careless,
  characterSet,
  EQUALS,
  REFUSE,
  runEnd,
  unitSize,
  unreserved,
  without,
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
  readonly valueStart: number
  readonly end: number
}

/** What an ignored pair may hold: anything that does not end it. */
const ignorable: CharacterSet = characterSet('?', without(careless, '&'))
/** What a query with ignored pairs may hold. */
export const ignorableRun: CharacterSet = characterSet('&', ignorable)
const lists = characterSet(',', unreserved)

const opens = (part: QueryPart, code: number): boolean =>
  code === 0x3f ? part.opening > 0 : code === AMPERSAND && part.opening < part.variables.length

/** The pair that starts at `at`, its value taken as far as it goes; `undefined` where none can start. */
function pairAt(
  { part, text, composite, unknown }: QueryWalk,
  at: number,
): (Pair & { set: CharacterSet }) | undefined {
  const keyEnd = runEnd(text, at, unreserved)
  const key = text.slice(at, keyEnd)
  const isPair = text.charCodeAt(keyEnd) === EQUALS
  const owners = part.byKey.get(key)
  if (isPair && (owners !== undefined || (composite && part.maps))) {
    const mayList = composite && owners?.some((j) => isPlain(part.variables[j]!))
    const set = mayList && part.set[0x20] === REFUSE ? lists : part.set
    return { key, keyStart: at, valueStart: keyEnd + 1, end: runEnd(text, keyEnd + 1, set), set }
  }
  if (unknown === 'refuse' || owners !== undefined) return undefined
  return { key, keyStart: at, valueStart: at, end: runEnd(text, at, ignorable), set: ignorable }
}

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
  if (!opens(part, text.charCodeAt(start))) return false
  for (let at = start + 1; isNew(at); ) {
    const pair = pairAt(walk, at)
    if (pair === undefined) return false
    for (let end = pair.valueStart; ; ) {
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

/** The pairs from `start` to `end`; `undefined` where that is no query of this expression. */
function pairsOf(walk: QueryWalk, end: number): Pair[] | undefined {
  const { part, text, start } = walk
  if (!opens(part, text.charCodeAt(start))) return undefined
  const pairs: Pair[] = []
  for (let at = start + 1; ; ) {
    const pair = pairAt(walk, at)
    if (pair === undefined || pair.valueStart > end) return undefined
    if (pair.end >= end) {
      pairs.push(pair.end === end ? pair : { ...pair, end })
      return pairs
    }
    pairs.push(pair)
    if (text.charCodeAt(pair.end) !== AMPERSAND) return undefined
    at = pair.end + 1
  }
}

/** Which exploded variables are maps here: as few as the keys without a list of their own need. */
function chooseMaps(part: QueryPart, counts: ReadonlyMap<string, number>): Set<number> | undefined {
  const maps = new Set<number>()
  for (const [j, { explode }] of part.variables.entries()) if (explode) maps.add(j)
  const spare = (key: string, count: number): number =>
    count - (part.byKey.get(key)?.filter((j) => !part.variables[j]!.explode).length ?? 0)
  const lists = (key: string): boolean =>
    part.byKey.get(key)?.some((j) => part.variables[j]!.explode && !maps.has(j)) ?? false
  const fails = (): string | undefined => {
    for (const [key, count] of counts) if (!lists(key) && spare(key, count) > maps.size) return key
    return undefined
  }
  // A key that comes more often than there are maps to hold it can only be a list.
  for (let key = fails(); key !== undefined; key = fails()) {
    const own = part.byKey.get(key)?.find((j) => maps.has(j))
    if (own === undefined) return undefined
    maps.delete(own)
  }
  for (const j of [...maps]) {
    if (!counts.has(part.variables[j]!.key)) continue
    maps.delete(j)
    if (fails() !== undefined) maps.add(j)
  }
  return maps
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
  const counts = new Map<string, number>()
  for (const { key } of pairs) counts.set(key, (counts.get(key) ?? 0) + 1)
  const maps = composite && part.maps ? chooseMaps(part, counts) : undefined
  if (composite && part.maps && maps === undefined) return undefined

  const found: (number[] | undefined)[] = new Array(variables.length)
  const taken = new Map<string, number>()
  let inOrder = true
  let last = 0
  for (const { key, keyStart, valueStart, end: valueEnd } of pairs) {
    const place = taken.get(key) ?? 0
    taken.set(key, place + 1)
    const owners = byKey.get(key) ?? []
    const singles = owners.filter((j) => !variables[j]!.explode)
    const exploded = owners.filter((j) => variables[j]!.explode && maps?.has(j) !== true)
    let j: number | undefined
    let spans = [valueStart, valueEnd]
    if (place < singles.length) j = singles[place]
    else if (exploded.length > 0) {
      // A repeated list is written once for each time, whole.
      const share = (counts.get(key)! - singles.length) / exploded.length
      j = Number.isInteger(share) ? exploded[Math.trunc((place - singles.length) / share)] : undefined
      if (j === undefined) return undefined
    } else if (maps !== undefined && maps.size > 0) {
      j = [...maps][place - singles.length]
      spans = [keyStart, valueStart - 1, valueStart, valueEnd]
    }
    if (j === undefined) {
      if (unknown === 'ignore' && owners.length === 0) continue
      return undefined
    }
    if (j < last) inOrder = false
    last = Math.max(last, j)
    const before = found[j]
    if (before === undefined) found[j] = spans
    else before.push(...spans)
  }
  const opened = text.charCodeAt(start) === 0x3f
  const openingPresent = found.slice(0, part.opening).some((spans) => spans !== undefined)
  if (opened ? !openingPresent && unknown === 'refuse' : openingPresent) return undefined
  const occurrences: Occurrence[] = []
  for (const [j, spans] of found.entries()) {
    if (spans === undefined) continue
    const { name, explode, prefix } = variables[j]!
    const form = !explode ? 'text' : maps?.has(j) === true ? 'map' : 'list'
    occurrences.push({ name, form, prefix, spans })
  }
  return { occurrences, inOrder }
}
