import { literalEnd } from './literal.ts'
import type { Program } from './program.ts'
import { type UnknownKeys, walkQuery } from './query-pairs.ts'
import { createVisited, type Visited } from './visited.ts'
import { walkSlots } from './walk-slots.ts'

/** A search for the places where the parts of a text start. */
export interface Search {
  readonly program: Program
  readonly text: string
  /** Whether plain variables may hold lists, and named exploded ones maps. */
  readonly composite: boolean
  readonly unknown: UnknownKeys
  readonly step: (count?: number) => void
}

/** How many complete readings are looked at where the first does not agree with itself. */
const readingsLimit = 1000
const stepsLimit = 200_000

/** The ends of the part at `index` from `start` on, in the order of convention C6. */
function endsFrom(
  search: Search,
  index: number,
  start: number,
  visited: Visited,
  done: Uint8Array | undefined,
): number[] {
  const { program, text, composite, unknown, step } = search
  const part = program.parts[index]!
  const ends: number[] = []
  const add = (at: number): boolean => {
    if (done === undefined || done[at] === 0) {
      if (done !== undefined) done[at] = 1
      ends.push(at)
    }
    return false
  }
  if (part.type === 'literal') {
    step(part.text.length)
    const end = literalEnd(text, start, part.text)
    return end < 0 ? [] : [end]
  }
  if (part.type === 'query') {
    walkQuery({ part, text, start, composite, unknown }, (at) => visited.add(0, at, 0), step, add)
    return ends.sort((left, right) => right - left)
  }
  walkSlots({ part, text, start, end: -1, composite, visited, step }, add)
  const order = part.reserved ? 1 : -1
  return ends.sort((left, right) => order * (left - right))
}

/**
 * Searches the places where the parts can stand, in the order of convention C6, and gives each to `accept` until it
 * answers true. No pair of part and position is tried twice before the first complete reading, so that this takes at
 * most a fixed number of steps for each part and character. If that reading is not accepted, because a repeated
 * variable or key contradicts itself, others are tried within a bound.
 */
export function search(options: Search, accept: (bounds: readonly number[]) => boolean): boolean {
  const first = explore(options, accept, true)
  return first === 'refused' ? explore(options, accept, false) === 'accepted' : first === 'accepted'
}

export function explore(
  options: Search,
  accept: (bounds: readonly number[]) => boolean,
  once: boolean,
): 'accepted' | 'refused' | 'none' {
  const { program, text, step } = options
  const count = program.parts.length
  const starts: number[] = [0]
  const pending: number[][] = []
  const cursors: number[] = []
  const useful: boolean[] = []
  const visited: (Visited | undefined)[] = new Array(count)
  const done: (Uint8Array | undefined)[] = new Array(count)
  const dead = new Set<number>()
  let readings = 0
  let steps = 0

  const open = (index: number, start: number): void => {
    if (once) {
      visited[index] ??= createVisited(0, text.length, step)
      done[index] ??= new Uint8Array(text.length + 1)
    }
    pending[index] = endsFrom(
      options,
      index,
      start,
      once ? visited[index]! : createVisited(start, text.length, step),
      once ? done[index] : new Uint8Array(text.length + 1),
    )
    cursors[index] = 0
    useful[index] = false
  }
  if (count === 0) return text === '' && accept([0]) ? 'accepted' : 'none'
  open(0, 0)
  for (let index = 0; index >= 0; ) {
    step()
    steps += 1
    const at = pending[index]![cursors[index]!]
    if (at === undefined || (!once && (readings > readingsLimit || steps > stepsLimit))) {
      if (!useful[index]) dead.add(index * (text.length + 1) + starts[index]!)
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
      readings += 1
      useful[index] = true
      if (accept(starts.slice(0, count + 1))) return 'accepted'
      if (once) return 'refused'
    }
  }
  return 'none'
}
