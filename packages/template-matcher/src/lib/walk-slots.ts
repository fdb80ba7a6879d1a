import { COMMA, EQUALS, isUriText, octetAt, PERCENT, unitSize } from './characters.ts'
import type { PartVariable, SlotsPart } from './program.ts'
import type { Visited } from './visited.ts'

/** What a path through an expression has passed: the start of a slot, or the end of a key in it. */
export interface SlotEvent {
  readonly variable: number
  readonly what: 'text' | 'list' | 'map' | 'key'
  readonly at: number
  readonly before: SlotEvent | undefined
}

// The states of a variable. KEYED: its name was read. FILL: its `=` was read, and text must follow.
const TEXT = 0
const LIST = 1
const MAP_VALUE = 2
const MAP_KEY = 3
const KEYED_TEXT = 4
const KEYED_LIST = 5
const FILL_TEXT = 6
const FILL_LIST = 7
const FILL_MAP = 8
/** The variable may take the next slot, or leave it to those after it. */
const GATE = 9
/** The text of a prefix variable ends here. */
const CUT = 10
const states = 11

/** How an expression is walked. */
export interface SlotWalk {
  readonly part: SlotsPart
  readonly text: string
  readonly start: number
  /** The end to reach, or -1 for every end there is. */
  readonly end: number
  /** Whether plain variables may hold lists, and named exploded ones maps. */
  readonly composite: boolean
  /** Pairs that lead to nothing new; `undefined` to see every path. */
  readonly visited: Visited | undefined
  /** Counts one step. */
  readonly step: () => void
}

/**
 * The fewest code points of a value that this unit can come from. What `{+v}` leaves as it is can only arrive as a
 * triplet where the value itself held that triplet.
 */
function unitCost(reserved: boolean, text: string, at: number, size: number): number {
  if (!reserved || size !== 3 || text.charCodeAt(at) !== PERCENT) return 1
  const octet = octetAt(text, at)
  if (octet === PERCENT) return octetAt(text, at + 2) < 0 ? 1 : 3
  return isUriText(octet) ? 3 : 1
}

/** Calls `end` for every place where a text of at most `prefix` code points from `start` on can end for the first time. */
function countPrefix(
  walk: SlotWalk,
  visited: Visited,
  state: number,
  prefix: number,
  end: (at: number) => void,
): void {
  const { part, text, start: from, step } = walk
  const { counts, stretches } = visited.counted(state)
  // Positions are kept from the start of the text that `visited` was made for.
  let at = from
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
    const isSeparator = text.charCodeAt(at) === part.separator
    const size = isSeparator && !part.merge ? 0 : unitSize(text, at, part.set)
    if (size === 0) return
    used += unitCost(part.reserved, text, at, size)
    if (used > prefix) return
    at += size
  }
}

/**
 * Walks the ways to give the slots of an expression to its variables, the preferred first (conventions C3 and C4),
 * and calls `onEnd` at each end, with the events that led there where `end` is given, until it answers true.
 */
export function walkSlots(
  walk: SlotWalk,
  onEnd: (at: number, events: SlotEvent | undefined) => boolean,
): boolean {
  const { part, text, start, end, composite, visited, step } = walk
  const { variables, separator, named, set, merge } = part
  const recording = end >= 0
  if ((start === end || !recording) && onEnd(start, undefined)) return true
  if (start === end || (part.first >= 0 && text.charCodeAt(start) !== part.first)) return false

  const stack: { state: number; at: number; used: number; events: SlotEvent | undefined }[] = []
  const push = (j: number, kind: number, at: number, events: SlotEvent | undefined, used = 0): void => {
    if (j < variables.length) stack.push({ state: j * states + kind, at, used, events })
  }
  const event = (variable: number, what: SlotEvent['what'], at: number, before: SlotEvent | undefined) =>
    recording ? { variable, what, at, before } : undefined
  const holdsComma = ({ prefix }: PartVariable): boolean => part.listsInText && composite && prefix === 0
  const enterOne = (j: number, at: number, before: SlotEvent | undefined): void => {
    const { key, explode } = variables[j]!
    const events = event(j, explode ? 'list' : 'text', at, before)
    if (!named) push(j, explode ? LIST : TEXT, at, events)
    else if (text.startsWith(key, at)) push(j, explode ? KEYED_LIST : KEYED_TEXT, at + key.length, events)
  }
  const enterMap = (j: number, at: number, before: SlotEvent | undefined): void => {
    if (named ? composite : part.mapsApart) push(j, MAP_KEY, at, event(j, 'map', at, before))
  }

  const isCounted = (state: number): boolean =>
    state % states === TEXT && variables[Math.trunc(state / states)]!.prefix > 0

  push(0, GATE, part.first < 0 ? start : start + 1, undefined)
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { state, at, used, events } = top
    step()
    const counting = visited !== undefined && !recording && isCounted(state)
    if (visited !== undefined && !counting && !visited.add(state, at, used)) continue
    const j = Math.trunc(state / states)
    const kind = state % states
    const variable = variables[j]!
    if (kind === GATE) {
      push(j + 1, GATE, at, events)
      if (variable.explode) enterMap(j, at, events)
      enterOne(j, at, events)
      continue
    }
    if (counting) {
      countPrefix({ ...walk, start: at }, visited, state, variable.prefix, (place) =>
        push(j, CUT, place, undefined),
      )
      continue
    }
    const mayEnd =
      kind < MAP_KEY ||
      kind === CUT ||
      kind === KEYED_TEXT ||
      kind === KEYED_LIST ||
      (kind === MAP_KEY && named)
    if (mayEnd && (!recording || at === end) && onEnd(at, events)) return true
    if (at === end || at >= text.length) continue
    const code = text.charCodeAt(at)
    const isSeparator = code === separator
    if (code === EQUALS && (kind === MAP_KEY || kind === KEYED_TEXT || kind === KEYED_LIST)) {
      if (kind === MAP_KEY) push(j, named ? FILL_MAP : MAP_VALUE, at + 1, event(j, 'key', at, events))
      else push(j, kind === KEYED_TEXT ? FILL_TEXT : FILL_LIST, at + 1, events)
      continue
    }
    // Further text of the same slot.
    if (kind !== KEYED_TEXT && kind !== KEYED_LIST && kind !== CUT) {
      const next = kind >= FILL_TEXT ? kind - FILL_TEXT : kind
      let size = 0
      if (isSeparator && kind !== LIST) size = merge && kind < FILL_TEXT ? 1 : 0
      else if (!isSeparator) size = unitSize(text, at, set)
      if (size === 0 && code === COMMA && next === TEXT && holdsComma(variable)) size = 1
      if (size > 0) {
        const cost = variable.prefix === 0 ? 0 : used + unitCost(part.reserved, text, at, size)
        if (cost <= variable.prefix) push(j, next, at + size, events, cost)
      }
    }
    if (!isSeparator || !mayEnd) continue
    // The next slot. A named list takes all it can; without names one slot is left to each variable.
    if (named) push(j + 1, GATE, at + 1, events)
    if (variable.explode) {
      if (kind === MAP_KEY || kind === MAP_VALUE) enterMap(j, at + 1, events)
      else enterOne(j, at + 1, events)
    }
    if (!named) push(j + 1, GATE, at + 1, events)
  }
  return false
}

/** The spans of one variable in the order of its slots. */
export interface SlotSpans {
  readonly variable: number
  readonly form: 'text' | 'list' | 'map'
  readonly spans: readonly number[]
}

/** Turns the events of a path that ended at `end` into spans. */
export function slotSpans(part: SlotsPart, last: SlotEvent | undefined, end: number): SlotSpans[] {
  const events: SlotEvent[] = []
  for (let event = last; event !== undefined; event = event.before) events.push(event)
  events.reverse()
  const found: { variable: number; form: SlotSpans['form']; spans: number[] }[] = []
  for (const [at, { variable, what, at: from }] of events.entries()) {
    if (what === 'key') continue
    let next = at + 1
    const key = events[next]?.what === 'key' ? events[next++] : undefined
    const to = next < events.length ? events[next]!.at - 1 : end
    let current = found.at(-1)
    if (current?.variable !== variable) {
      current = { variable, form: what, spans: [] }
      found.push(current)
    }
    if (what === 'map') {
      // `;k` stands for an empty value: there is no `=`, and key and value end together.
      current.spans.push(from, key?.at ?? to, key === undefined ? to : key.at + 1, to)
      continue
    }
    const name = part.named ? part.variables[variable]!.key.length : 0
    current.spans.push(Math.min(from + name + (part.named ? 1 : 0), to), to)
  }
  return found
}
