import type { Automaton, Edge } from './automaton.ts'
import { NEWLY, octetAt, PERCENT, unitSize } from './characters.ts'
import { type Unit, usualUnits } from './units.ts'
import { type PathStep, unitCost } from './walk-automaton.ts'

/** What was read into a state that counts, or that values without triplets are read by. */
interface Read {
  /** Code points, where the state has a limit. */
  readonly used: number
  /** `%25`, or that and a digit: with two digits behind it, the value held this triplet itself. */
  readonly tail: string
}

const unread: Read = { used: 0, tail: '' }

/** A pair of states that one text leads to, and how it was reached. */
export interface Pair {
  readonly left: number
  readonly right: number
  /** What was read into the states. */
  readonly leftRead: Read
  readonly rightRead: Read
  /** How often each counted key came, left and right. */
  readonly counts: readonly number[]
  /** Whether the two paths have parted. */
  readonly parted: boolean
  /** The occurrence of `equal` that both began together and are in, or -1. */
  readonly together: number
}

interface Reached extends Pair {
  readonly before: Reached | undefined
  readonly unit: Unit
}

/** Two automata read side by side. */
export interface Product {
  readonly left: Automaton
  readonly right: Automaton
  /** Whether two different paths of one automaton are looked for. */
  readonly self: boolean
  /** An occurrence in which the paths must differ. */
  readonly differs?: number
  /** Occurrences of one text that hold the same in both: where both begin one together, they end it together. */
  readonly equal?: ReadonlySet<number>
  readonly step: () => void
}

const closures = new WeakMap<Automaton, (readonly number[])[]>()

/** The states that can be reached from one without reading, itself first. */
function closure(automaton: Automaton, state: number): readonly number[] {
  let known = closures.get(automaton)
  if (known === undefined) {
    known = []
    closures.set(automaton, known)
  }
  let found = known[state]
  if (found === undefined) {
    const states = new Set([state])
    for (const at of states) for (const next of automaton.silent[at]!) states.add(next)
    found = [...states]
    known[state] = found
  }
  return found
}

/** Whether a pair is where both automata accept, and the paths have parted where they must. */
export const accepts = ({ left, right, self, differs }: Product, pair: Pair): boolean =>
  ((!self && differs === undefined) || pair.parted) &&
  closure(left, pair.left).includes(left.accept) &&
  closure(right, pair.right).includes(right.accept)

/** Whether a step reads a unit. */
const reads = ({ on, except }: Edge, unit: Unit): boolean =>
  typeof on === 'string' ? on === unit : !except?.includes(unit) && unitSize(unit, 0, on) === unit.length

const isDigit = (unit: Unit): boolean => unit.length === 1 && octetAt(`0${unit}`, -1) >= 0
/** The same, those last that could make a triplet of what stands before them. */
const looseUnits = [...usualUnits.filter((unit) => !isDigit(unit)), ...usualUnits.filter(isDigit)]

/** A unit that both steps read. */
function meet(left: Edge, right: Edge, isLoose: boolean): Unit | undefined {
  if (typeof left.on === 'string') return reads(right, left.on) ? left.on : undefined
  if (typeof right.on === 'string') return reads(left, right.on) ? right.on : undefined
  return (isLoose ? looseUnits : usualUnits).find((unit) => reads(left, unit) && reads(right, unit))
}

/** What was read after a step; `undefined` where the state cannot hold it. */
function readAfter(
  automaton: Automaton,
  { on, to }: Edge,
  isInside: boolean,
  { used, tail }: Read,
  unit: Unit,
): Read | undefined {
  const limit = automaton.limits[to]!
  const isNewly = typeof on !== 'string' && on[PERCENT] === NEWLY
  if (limit === 0 && !isNewly) return unread
  const isReserved = isNewly || automaton.reserved[to]!
  const text = isInside ? tail + unit : unit
  const cost = unitCost(isReserved, text, text.length - unit.length, unit.length)
  // That digits make a triplet of what a value held is what a value without triplets does not do.
  if (isNewly && cost > 1) return undefined
  const after = limit === 0 ? 0 : cost + (isInside ? used : 0)
  if (after > limit) return undefined
  const isTail = isReserved && (unit === '%25' || (text.length === 4 && isDigit(unit)))
  return { used: after, tail: !isTail ? '' : unit === '%25' ? unit : text }
}

const noCounts: readonly number[] = []

function countsAfter(
  { left, right }: Product,
  counts: readonly number[],
  l: Edge,
  r: Edge,
): readonly number[] | undefined {
  if (l.counted === undefined && r.counted === undefined) return counts
  const offset = left.most.length
  const after = counts.length > 0 ? [...counts] : new Array<number>(offset + right.most.length).fill(0)
  if (l.counted !== undefined) {
    after[l.counted]! += 1
    if (after[l.counted]! > left.most[l.counted]!) return undefined
  }
  if (r.counted !== undefined) {
    after[offset + r.counted]! += 1
    if (after[offset + r.counted]! > right.most[r.counted]!) return undefined
  }
  return after
}

/** Calls `found` for each step from a pair; with `unit`, only for steps that read it. */
export function forEachStep(
  product: Product,
  pair: Pair,
  unit: Unit | undefined,
  found: (next: Pair, unit: Unit) => void,
): void {
  const { left, right, self, differs, equal, step } = product
  const symmetric = self && !pair.parted
  const rightStates = closure(right, pair.right)
  for (const [l, from] of closure(left, pair.left).entries()) {
    for (const [e, edge] of left.edges[from]!.entries()) {
      if (unit !== undefined && !reads(edge, unit)) continue
      for (let r = symmetric ? l : 0; r < rightStates.length; r += 1) {
        const rightFrom = rightStates[r]!
        const rightEdges = right.edges[rightFrom]!
        for (let f = symmetric && r === l ? e : 0; f < rightEdges.length; f += 1) {
          const other = rightEdges[f]!
          step()
          const on = unit ?? meet(edge, other, pair.leftRead.tail + pair.rightRead.tail !== '')
          if (on === undefined || (unit !== undefined && !reads(other, unit))) continue
          const isLeftIn = from === pair.left && edge.to === from
          const isRightIn = rightFrom === pair.right && other.to === rightFrom
          const leftRead = readAfter(left, edge, isLeftIn, pair.leftRead, on)
          const rightRead = readAfter(right, other, isRightIn, pair.rightRead, on)
          if (leftRead === undefined || rightRead === undefined) continue
          const counts = countsAfter(product, pair.counts, edge, other)
          if (counts === undefined) continue
          const leftIn = left.roles[edge.to]?.variable
          const rightIn = right.roles[other.to]?.variable
          const isBegun = edge.to !== from && other.to !== rightFrom
          const isSame = leftIn === rightIn && isBegun === (edge.to !== from || other.to !== rightFrom)
          const parted =
            pair.parted ||
            (self && !(r === l && f === e)) ||
            (differs !== undefined && !isSame && (leftIn === differs || rightIn === differs))
          let { together } = pair
          if (together >= 0) {
            if ((leftIn === together) !== (rightIn === together)) continue
            if (leftIn !== together) together = -1
          }
          if (isBegun && leftIn !== undefined && leftIn === rightIn && equal?.has(leftIn)) together = leftIn
          found({ left: edge.to, right: other.to, leftRead, rightRead, counts, parted, together }, on)
        }
      }
    }
  }
}

/** Where both automata start. */
export const first = ({ left, right }: Product): Reached => ({
  left: left.start,
  right: right.start,
  leftRead: unread,
  rightRead: unread,
  counts: noCounts,
  parted: false,
  together: -1,
  before: undefined,
  unit: '',
})

/** What tells pairs apart but for how much they have used. */
export function placeOf({
  left,
  right,
  leftRead,
  rightRead,
  counts,
  parted,
  together,
}: Pair): string | number {
  const place = (left * 0x1000000 + right) * 2 + (parted ? 1 : 0)
  const tails = leftRead.tail + rightRead.tail
  return counts.length === 0 && together < 0 && tails === ''
    ? place
    : `${place} ${together} ${leftRead.tail} ${rightRead.tail} ${counts.join(' ')}`
}

/** Pairs seen, each with what it had used: what has used more can reach nothing new. */
export function createSeen(): (pair: Pair) => boolean {
  const seen = new Map<string | number, Pair[]>()
  return (pair) => {
    const place = placeOf(pair)
    const known = seen.get(place)
    if (known === undefined) {
      seen.set(place, [pair])
      return true
    }
    const { leftRead, rightRead } = pair
    if (known.some((one) => one.leftRead.used <= leftRead.used && one.rightRead.used <= rightRead.used))
      return false
    known.push(pair)
    return true
  }
}

/** Adds to the list at a place. */
export function addTo<T>(lists: T[][], at: number, item: T): void {
  const list = lists[at]
  if (list === undefined) lists[at] = [item]
  else list.push(item)
}

/** A text that both automata of a product accept, and the paths by which they do. */
export interface Word {
  readonly text: string
  readonly left: PathStep
  readonly right: PathStep
}

function wordOf(reached: Reached): Word {
  const pairs: Reached[] = []
  for (let pair: Reached | undefined = reached; pair !== undefined; pair = pair.before) pairs.push(pair)
  let text = ''
  let left: PathStep | undefined
  let right: PathStep | undefined
  for (const pair of pairs.reverse()) {
    text += pair.unit
    left = { state: pair.left, at: text.length, before: left }
    right = { state: pair.right, at: text.length, before: right }
  }
  return { text, left: left!, right: right! }
}

/** A shortest text that both automata accept (in a product with itself: on two paths), if there is one. */
export function shortestWord(product: Product): Word | undefined {
  const isNew = createSeen()
  const start = first(product)
  isNew(start)
  // Units differ in length, so that pairs wait in a list for each length.
  const waiting: Reached[][] = [[start]]
  for (let length = 0; length < waiting.length; length += 1) {
    for (const pair of waiting[length] ?? []) {
      if (accepts(product, pair)) return wordOf(pair)
      forEachStep(product, pair, undefined, (next, unit) => {
        if (!isNew(next)) return
        addTo(waiting, length + unit.length, { ...next, before: pair, unit })
      })
    }
    delete waiting[length]
  }
  return undefined
}
