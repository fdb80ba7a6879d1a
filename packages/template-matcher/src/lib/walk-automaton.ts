import type { Automaton, Role } from './automaton.ts'
import { isUriText, octetAt, PERCENT, unitSize } from './characters.ts'
import type { Occurrence } from './reading.ts'
import type { Visited } from './visited.ts'

/** How a text is walked. */
export interface Walk {
  readonly text: string
  readonly start: number
  /** The end to reach, or -1 for every end there is. */
  readonly end: number
  /** Pairs that lead to nothing new; `undefined` to see every path. */
  readonly visited: Visited | undefined
  /** Counts one step. */
  readonly step: () => void
  /** After how many steps to stop. */
  readonly bound?: number | undefined
}

/** A place on a path through an automaton. */
export interface PathStep {
  readonly state: number
  readonly at: number
  readonly before: PathStep | undefined
}

/** Stands for what was used of a state whose text was counted. */
const COUNTED = -3

/** Whether the two units behind `%25` are digits, with which a bare `%` would have been a triplet. */
const isTripletAfter = (text: string, at: number): boolean =>
  at > 2 && text.startsWith('%25', at - 3) && octetAt(text, at - 1) >= 0

/**
 * How many more code points a value has at the least with one more unit. What `{+v}` leaves as it is can only arrive as a
 * triplet where the value itself held that triplet; that `%25` was one shows with the second digit behind it.
 */
export function unitCost(reserved: boolean, text: string, at: number, size: number): number {
  if (!reserved) return 1
  if (size === 1) return isTripletAfter(text, at - 1) ? 3 : 1
  const octet = octetAt(text, at)
  return size === 3 && octet !== PERCENT && isUriText(octet) ? 3 : 1
}

/** What will be counted too much of a value that starts here: a digit behind a `%25` that is not its own. */
const startCost = (reserved: boolean, text: string, at: number): number =>
  reserved && (isTripletAfter(text, at) || isTripletAfter(text, at - 1)) ? -2 : 0

/**
 * Calls `end` for every place where a text of at most as many code points as its state allows can end for the first
 * time. `visited` remembers stretches of text, so that nothing is counted twice.
 */
function countText(
  automaton: Automaton,
  { text, start, visited, step }: Walk,
  state: number,
  end: (at: number) => void,
): void {
  const { counts, stretches } = visited!.counted(state)
  const { on } = automaton.edges[state]!.at(-1)!
  let at = start
  let used = startCost(automaton.reserved[state]!, text, start)
  let stretch: { end: number; used: number } | undefined
  for (;;) {
    step()
    const known = stretches[at]
    if (known !== undefined && known !== stretch) {
      used += counts[known.end]! - counts[at]!
      if (known.used <= used) return
      known.used = used
      at = known.end
      stretch = known
    } else if (known === undefined) {
      stretch ??= { end: at, used }
      counts[at] = stretch.end === at ? 0 : counts[stretch.end]! + used - stretch.used
      stretch.end = at
      stretch.used = used
      stretches[at] = stretch
      end(at)
    }
    const size = typeof on === 'string' ? 0 : unitSize(text, at, on)
    if (size === 0) return
    used += unitCost(automaton.reserved[state]!, text, at, size)
    if (used > automaton.limits[state]!) return
    at += size
  }
}

/**
 * Walks the paths through an automaton, the preferred first, and calls `onEnd` at each end until it answers true; with
 * the path that led there, where an end is given.
 */
export function walkAutomaton(
  automaton: Automaton,
  walk: Walk,
  onEnd: (at: number, path: PathStep | undefined) => boolean,
): boolean {
  const { edges, silent, limits, reserved, accept } = automaton
  const { text, start, end, visited, step, bound = Number.POSITIVE_INFINITY } = walk
  const recording = end >= 0
  /** State, place and code points used of all that is to be looked at, one after the other. */
  const stack: number[] = []
  /** The places before them. */
  const befores: (PathStep | undefined)[] = []
  const push = (state: number, at: number, used: number, before: PathStep | undefined): void => {
    stack.push(state, at, used)
    if (recording) befores.push(before)
  }
  /** Offers all steps from a place, the last first; not those within a state whose text was counted. */
  const leave = (state: number, at: number, used: number, place: PathStep | undefined): void => {
    const ways = edges[state]!
    const code = text.charCodeAt(at)
    for (let each = ways.length - 1; each >= 0; each -= 1) {
      const { on, to } = ways[each]!
      if (to === state && used === COUNTED) continue
      let size = 0
      if (typeof on !== 'string') size = unitSize(text, at, on)
      else if (on.charCodeAt(0) === code && (on.length === 1 || text.startsWith(on, at))) size = on.length
      if (size === 0 || (recording && at + size > end)) continue
      const limit = limits[to]!
      const before = to === state ? used : startCost(reserved[to]!, text, at)
      const after = limit > 0 ? before + unitCost(reserved[to]!, text, at, size) : 0
      if (after <= limit) push(to, at + size, after, place)
    }
    const skips = silent[state]!
    for (let each = skips.length - 1; each >= 0; each -= 1)
      push(skips[each]!, at, startCost(reserved[skips[each]!]!, text, at), place)
  }
  push(automaton.start, start, 0, undefined)
  for (let steps = 0; stack.length > 0 && steps < bound; steps += 1) {
    const used = stack.pop()!
    const at = stack.pop()!
    const state = stack.pop()!
    const before = befores.pop()
    step()
    if (visited !== undefined && !recording && limits[state]! > 0 && used <= 0) {
      countText(automaton, { ...walk, start: at }, state, (place) => leave(state, place, COUNTED, undefined))
      continue
    }
    if (visited !== undefined && !visited.add(state, at, Math.max(used, 0))) continue
    const place = recording ? { state, at, before } : undefined
    if (state !== accept) leave(state, at, used, place)
    else if ((!recording || at === end) && onEnd(at, place)) return true
  }
  return false
}

/** The values on a path. */
export function spansOf({ roles }: Automaton, last: PathStep | undefined): Occurrence[] {
  const path: PathStep[] = []
  for (let place = last; place !== undefined; place = place.before) path.push(place)
  const found: Occurrence[] = []
  let open: Role | undefined
  for (let each = path.length - 2; each >= 0; each -= 1) {
    const { state, at } = path[each]!
    const role = roles[state]
    if (role !== undefined) {
      const { variable, form } = role
      if (found.at(-1)?.variable !== variable) found.push({ variable, form, spans: [] })
      const { spans } = found.at(-1)!
      if (role === open) spans[spans.length - 1] = at
      else spans.push(path[each + 1]!.at, at)
    }
    open = role
  }
  return found
}
