import { QUESTION } from './characters.ts'
import {
  canBeMember,
  firstOf,
  holdsList,
  type Pair,
  pairsOf,
  type QueryWalk,
  valueStart,
} from './query-pairs.ts'
import type { Occurrence } from './reading.ts'
import { IGNORED, shareOut, shareOutAnyhow } from './share-pairs.ts'

/** What the pairs of a query say of its variables. */
export interface QueryReading {
  readonly occurrences: readonly Occurrence[]
  /** Whether they stand in the order of the template. */
  readonly inOrder: boolean
}

/**
 * What pairs say of the variables that own them: `owners` has the place of a variable for each, and that much beyond
 * their number for a member of a map. `undefined` where a query of these variables is opened otherwise.
 */
function readOwned(
  { part, text, start, unknown }: QueryWalk,
  pairs: readonly Pair[],
  owners: readonly number[],
): QueryReading | undefined {
  const { variables, opening } = part
  const found: Occurrence[] = []
  let inOrder = true
  let last = 0
  let opens = false
  for (const [at, pair] of pairs.entries()) {
    if (owners[at] === IGNORED) continue
    const from = valueStart(pair)
    const isMember = owners[at]! >= variables.length
    const j = owners[at]! % variables.length
    const form = isMember ? 'map' : variables[j]!.explode ? 'list' : 'text'
    found[j] ??= { variable: j, form, spans: [] }
    if (isMember) found[j].spans.push(pair.keyStart, from - 1)
    found[j].spans.push(from, pair.end)
    inOrder &&= j >= last
    last = Math.max(last, j)
    opens ||= j < opening
  }
  const isOpened = text.charCodeAt(start) === QUESTION
  if (isOpened ? !opens && unknown === 'refuse' : opens) return undefined
  return { occurrences: found.filter(() => true), inOrder }
}

/** With a first pair given to a map of the expression that wrote the `?`, where nothing else of it is there. */
function openedByMap(
  walk: QueryWalk,
  pairs: readonly Pair[],
  owners: readonly number[],
): readonly number[] | undefined {
  const { variables, opening } = walk.part
  const map = walk.composite ? variables.findIndex(({ explode }, j) => explode && j < opening) : -1
  const isFree = owners.every((owner) => owner < 0 || owner % variables.length >= opening)
  const at = pairs.findIndex((pair) => canBeMember(walk, pair) && !holdsList(walk, pair))
  if (firstOf(walk) > 0 || !isFree || map < 0 || at < 0) return undefined
  return owners.map((owner, each) => (each === at ? map + variables.length : owner))
}

/**
 * Calls `found` with what the text from `start` to `end` says of the variables, the preferred way first, until it
 * answers true. Others are looked for where pairs may be shared out `anyhow`.
 */
export function readQuery(
  walk: QueryWalk,
  end: number,
  anyhow: boolean,
  step: (count: number) => void,
  found: (way: QueryReading) => boolean,
): void {
  const pairs = pairsOf(walk, end)
  if (pairs === undefined) return
  const offer = (owners: readonly number[] | undefined): boolean => {
    const way = owners && readOwned(walk, pairs, owners)
    return way !== undefined && found(way)
  }
  const preferred = shareOut(walk, pairs)
  if (offer(preferred) || offer(preferred && openedByMap(walk, pairs, preferred))) return
  if (anyhow) shareOutAnyhow(walk, pairs, step, offer)
}
