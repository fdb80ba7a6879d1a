import {
  AMPERSAND,
  type CharacterSet,
  COMMA,
  characterSet,
  EQUALS,
  ignorable,
  QUESTION,
  REFUSE,
  runEnd,
  unitSize,
  unreserved,
} from './characters.ts'
import type { PartVariable, QueryPart } from './parts.ts'

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

/** One pair of a query. */
export interface Pair {
  readonly key: string
  readonly keyStart: number
  /** Where the pair can end first: for what is ignored, where it starts. */
  readonly from: number
  readonly end: number
}

const lists = characterSet(',', unreserved)

/** The place of the first variable that a query can hold which starts as this one does. */
export const firstOf = ({ part, text, start }: QueryWalk): number =>
  text.charCodeAt(start) === QUESTION ? 0 : part.opening

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
  const mayList = owners?.some((j) => part.variables[j]!.listed || (composite && isPlain(part.variables[j]!)))
  const set = mayList && part.set[0x20] === REFUSE ? lists : part.set
  return { key, keyStart: at, from: keyEnd + 1, end: runEnd(text, keyEnd + 1, set), set }
}

export const valueStart = ({ keyStart, key }: Pair): number => keyStart + key.length + 1

/** Whether a pair of a key that no variable has is written as a member of a map is. */
export const canBeMember = ({ part, text }: QueryWalk, pair: Pair): boolean =>
  part.maps &&
  text.charCodeAt(valueStart(pair) - 1) === EQUALS &&
  valueStart(pair) <= pair.end &&
  runEnd(text, valueStart(pair), part.set) >= pair.end

export const isPlain = ({ explode, prefix }: PartVariable): boolean => !explode && prefix === 0

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

/** Whether a pair holds a list: a comma that no text is written with. */
export const holdsList = ({ part, text }: QueryWalk, pair: Pair): boolean =>
  part.set[COMMA] === REFUSE && text.slice(valueStart(pair), pair.end).includes(',')

/** The code points of a pair's value. */
export function countUnits({ part, text }: QueryWalk, pair: Pair): number {
  let count = 0
  for (let at = valueStart(pair); at < pair.end; at += unitSize(text, at, part.set) || 1) count += 1
  return count
}

/** The pairs from `start` to `end`; `undefined` where that is no query of this expression. */
export function pairsOf(walk: QueryWalk, end: number): Pair[] | undefined {
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
