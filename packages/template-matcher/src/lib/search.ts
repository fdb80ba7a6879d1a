import { unitSize } from './characters.ts'
import { literalEnd, unencoded } from './literal.ts'
import type { Program } from './program.ts'
import { type UnknownKeys, walkQuery } from './query-pairs.ts'
import { slotsAutomaton } from './slots-automaton.ts'
import { createVisited, type Visited } from './visited.ts'
import { walkAutomaton } from './walk-automaton.ts'

/** A search for the places where the parts of a text start. */
export interface Search {
  readonly program: Program
  readonly text: string
  /** Whether plain variables may hold lists, and named exploded ones maps. */
  readonly composite: boolean
  readonly unknown: UnknownKeys
  readonly step: (count?: number) => void
}

/** How many steps are spent on other readings where the first does not agree with itself. */
const patience = 1_000_000

/** The ends of the part at `index` from `start` on that are new, in the order of convention C6. */
function endsFrom(
  { program, text, composite, unknown, step, isPlain }: Search & { readonly isPlain: boolean },
  index: number,
  start: number,
  remembered: () => Visited,
): number[] {
  const part = program.parts[index]!
  const ends: number[] = []
  if (part.type === 'literal') {
    step(1 + (part.text.length >> 6))
    const end = literalEnd(text, start, part.text, isPlain)
    return end < 0 ? [] : [end]
  }
  const visited = remembered()
  const add = (at: number): boolean => {
    ends.push(at)
    return false
  }
  if (part.type === 'query') {
    const isNew = (at: number): boolean => visited.add(0, at, 0)
    walkQuery(
      { part, text, start, composite, unknown },
      isNew,
      step,
      (at) => visited.add(1, at, 0) && add(at),
    )
  } else if (part.plain) {
    // Most expressions: its text is a run of characters, and what lies behind a place already seen was seen with it.
    const ran = visited.row(0)
    const ended = visited.row(1)
    const opened =
      part.first < 0 ? start : text.charCodeAt(start) === part.first ? start + 1 : text.length + 1
    const set = part.delimited && (composite || part.variables[0]!.listed) ? part.run : part.set
    if (ended[start] === 0) ends.push(start)
    ended[start] = 1
    for (let at = opened; ran[at] === 0; ) {
      ran[at] = 1
      if (ended[at] === 0) ends.push(at)
      ended[at] = 1
      // Behind the end there is no place.
      at += unitSize(text, at, set) || text.length + 1
    }
    // Memory counts as work.
    step(ends.length * 16 + 1)
    return part.reserved ? ends : ends.reverse()
  } else walkAutomaton(slotsAutomaton(part, composite), { text, start, end: -1, visited, step }, add)
  const order = part.type === 'slots' && part.reserved ? 1 : -1
  return ends.sort((left, right) => order * (left - right))
}

/** Looks at a complete reading: where each part starts, and the end. True where no more are needed. */
export type Accept = (bounds: readonly number[], step: Search['step']) => boolean

/**
 * Searches the places where the parts can stand, in the order of convention C6, and gives each to `accept` until it
 * answers true. No pair of part and position is tried twice before the first complete reading, so that this takes at
 * most a fixed number of steps for each part and character. If that reading is not accepted, because a repeated
 * variable or key contradicts itself, others are tried within a bound.
 */
export const search = (options: Search, accept: Accept): void => {
  if (explore(options, accept, true)) explore(options, accept, false)
}

/** One search, each place but once or not. Answers whether a reading was found that was not accepted. */
export function explore(options: Search, accept: Accept, once: boolean): boolean {
  const { program, text } = options
  const count = program.parts.length
  const starts: number[] = [0]
  const pending: number[][] = []
  const cursors: number[] = []
  const useful: boolean[] = []
  const visited: (Visited | undefined)[] = new Array(count)
  const dead = new Set<number>()
  let steps = 0
  const step = (more = 1): void => {
    steps += more
    options.step(more)
  }
  const counting = { ...options, step, isPlain: !unencoded.test(text) }

  // Memory counts as work, so that the limit on steps bounds it too: about a gigabyte at the default.
  const charge = (cells: number): void => step(once ? cells * 4 : cells >> 5)
  const open = (index: number, start: number): void => {
    if (!once) visited[index] = undefined
    pending[index] = endsFrom(
      counting,
      index,
      start,
      () => (visited[index] ??= createVisited(0, text.length, charge)),
    )
    cursors[index] = 0
    useful[index] = false
  }
  if (count === 0) return text === '' && !accept([0], step)
  open(0, 0)
  for (let index = 0; index >= 0 && (once || steps < patience); ) {
    step()
    const at = pending[index]![cursors[index]!]
    if (at === undefined) {
      if (!useful[index] && !once) dead.add(index * (text.length + 1) + starts[index]!)
      else if (index > 0) useful[index - 1] = true
      index -= 1
      continue
    }
    cursors[index]! += 1
    starts[index + 1] = at
    if (index + 1 < count) {
      if (dead.has((index + 1) * (text.length + 1) + at)) continue
      index += 1
      open(index, at)
    } else if (at === text.length) {
      useful[index] = true
      if (accept(starts.slice(0, count + 1), step)) return false
      if (once) return true
    }
  }
  return false
}
