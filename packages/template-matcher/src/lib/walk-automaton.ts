import type { Automaton, Role } from './automaton.ts'
import { isUriText, octetAt, PERCENT, unitSize } from './characters.ts'
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
}

/** A place on a path through an automaton. */
export interface PathStep {
  readonly state: number
  readonly at: number
  /** Code points read into the state, where it has a limit. */
  readonly used: number
  /** The place before; not kept where every end is looked for. */
  readonly before: PathStep | undefined
}

/**
 * The fewest code points of a value that a unit can come from. What `{+v}` leaves as it is can only arrive as a triplet
 * where the value itself held that triplet.
 */
export function unitCost(reserved: boolean, text: string, at: number, size: number): number {
  if (!reserved || size !== 3 || text.charCodeAt(at) !== PERCENT) return 1
  const octet = octetAt(text, at)
  if (octet === PERCENT) return octetAt(text, at + 2) < 0 ? 1 : 3
  return isUriText(octet) ? 3 : 1
}

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
  let used = 0
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

/** Walks the paths through an automaton, the preferred first, and calls `onEnd` at each end until it answers true. */
export function walkAutomaton(
  automaton: Automaton,
  walk: Walk,
  onEnd: (at: number, path: PathStep) => boolean,
): boolean {
  const { edges, silent, limits, reserved, accept } = automaton
  const { text, start, end, visited, step } = walk
  const recording = end >= 0
  const stack: PathStep[] = []
  const push = (state: number, at: number, used: number, before: PathStep): void => {
    stack.push({ state, at, used, before: recording ? before : undefined })
  }
  /** Offers all steps from a place; the last pushed comes first. */
  const leave = (place: PathStep): void => {
    const { state, at, used } = place
    const ways = edges[state]!
    for (let each = ways.length - 1; each >= 0; each -= 1) {
      const { on, to } = ways[each]!
      // What was counted was followed already.
      if (to === state && used < 0) continue
      const size = typeof on !== 'string' ? unitSize(text, at, on) : text.startsWith(on, at) ? on.length : 0
      if (size === 0 || (recording && at + size > end)) continue
      const limit = limits[to]!
      const after = limit > 0 ? (to === state ? used : 0) + unitCost(reserved[to]!, text, at, size) : 0
      if (after <= limit) push(to, at + size, after, place)
    }
    const skips = silent[state]!
    for (let each = skips.length - 1; each >= 0; each -= 1) push(skips[each]!, at, 0, place)
  }
  stack.push({ state: automaton.start, at: start, used: 0, before: undefined })
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { state, at, used } = top
    step()
    if (visited !== undefined && !recording && limits[state]! > 0 && used === 0) {
      countText(automaton, { ...walk, start: at }, state, (place) =>
        leave({ state, at: place, used: -1, before: undefined }),
      )
      continue
    }
    if (visited !== undefined && !visited.add(state, at, used)) continue
    if (state !== accept) leave(top)
    else if ((!recording || at === end) && onEnd(at, top)) return true
  }
  return false
}

/** The spans of one variable in the order of its slots. */
export interface SlotSpans {
  readonly variable: number
  readonly form: Role['form']
  /** Start and end of each text, each list member, and each key and value of a map. */
  readonly spans: number[]
}

/** The values on a path. */
export function spansOf({ roles }: Automaton, last: PathStep): SlotSpans[] {
  const path: PathStep[] = []
  for (let place: PathStep | undefined = last; place !== undefined; place = place.before) path.push(place)
  const found: SlotSpans[] = []
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
