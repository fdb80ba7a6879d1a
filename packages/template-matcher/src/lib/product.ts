import type { Automaton, Edge } from './automaton.ts'
import { NEWLY, octetAt, PERCENT, unitSize } from './characters.ts'
import { type Unit, usualUnits } from './units.ts'
import { type PathStep, unitCost } from './walk-automaton.ts'

/** Where one of the two paths is. */
interface Side {
  readonly state: number
  /** Code points read into the state, where it has a limit. */
  readonly used: number
  /** `%25`, or that and a digit, read into a state that counts triplets: with two digits the value held this triplet. */
  readonly tail: string
  /** How often each counted key came. */
  readonly counts: readonly number[]
}

/** A pair of states that one text leads to, and how it was reached. */
export interface Pair {
  readonly left: Side
  readonly right: Side
  /** Whether the two paths have parted. */
  readonly parted: boolean
  /** The occurrence of `equal` that both began together and are in, or -1. */
  readonly together: number
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
  readonly step: (count?: number) => void
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
  closure(left, pair.left.state).includes(left.accept) &&
  closure(right, pair.right.state).includes(right.accept)

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

/** Where a path is after a step from a state that it reaches without reading; `undefined` where it cannot be taken. */
function sideAfter(
  { limits, reserved, most }: Automaton,
  before: Side,
  from: number,
  { on, to, counted }: Edge,
  unit: Unit,
): Side | undefined {
  let { counts } = before
  if (counted !== undefined) {
    const count = (counts[counted] ?? 0) + 1
    if (count > most[counted]!) return undefined
    counts = Object.assign([...counts], { [counted]: count })
  }
  const limit = limits[to]!
  const isNewly = typeof on !== 'string' && on[PERCENT] === NEWLY
  if (limit === 0 && !isNewly) return { state: to, used: 0, tail: '', counts }
  const isInside = from === before.state && from === to
  const isReserved = isNewly || reserved[to]!
  const text = isInside ? before.tail + unit : unit
  const cost = unitCost(isReserved, text, text.length - unit.length, unit.length)
  // That digits make a triplet of what a value held is what a value without triplets does not do.
  if (isNewly && cost > 1) return undefined
  const used = limit === 0 ? 0 : cost + (isInside ? before.used : 0)
  if (used > limit) return undefined
  const isTail = isReserved && (unit === '%25' || (text.length === 4 && isDigit(unit)))
  return { state: to, used, tail: !isTail ? '' : unit === '%25' ? unit : text, counts }
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
  const rightStates = closure(right, pair.right.state)
  for (const [l, from] of closure(left, pair.left.state).entries()) {
    for (const [e, edge] of left.edges[from]!.entries()) {
      if (unit !== undefined && !reads(edge, unit)) continue
      for (let r = symmetric ? l : 0; r < rightStates.length; r += 1) {
        const rightFrom = rightStates[r]!
        const rightEdges = right.edges[rightFrom]!
        for (let f = symmetric && r === l ? e : 0; f < rightEdges.length; f += 1) {
          const other = rightEdges[f]!
          step()
          const on = unit ?? meet(edge, other, pair.left.tail + pair.right.tail !== '')
          if (on === undefined || (unit !== undefined && !reads(other, unit))) continue
          const leftAfter = sideAfter(left, pair.left, from, edge, on)
          const rightAfter = sideAfter(right, pair.right, rightFrom, other, on)
          if (leftAfter === undefined || rightAfter === undefined) continue
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
          found({ left: leftAfter, right: rightAfter, parted, together }, on)
        }
      }
    }
  }
}

const sideAt = (state: number): Side => ({ state, used: 0, tail: '', counts: [] })

/** Where both automata start. */
export const first = ({ left, right }: Product): Pair => ({
  left: sideAt(left.start),
  right: sideAt(right.start),
  parted: false,
  together: -1,
})

const isPlain = ({ tail, counts }: Side): boolean => tail === '' && counts.length === 0

/** What tells pairs apart but for how much they have used; a number, which is faster, for nearly all. */
export const placeOf = ({ left, right, parted, together }: Pair): string | number =>
  together < 0 && isPlain(left) && isPlain(right)
    ? (left.state * 0x1000000 + right.state) * 2 + Number(parted)
    : [left.state, left.tail, left.counts, right.state, right.tail, right.counts, parted, together].join(' ')

/** Pairs seen, each with what it had used: what has used more can reach nothing new. */
export function createSeen(remember: () => void = () => {}): (pair: Pair) => boolean {
  const seen = new Map<string | number, Pair[]>()
  return (pair) => {
    const place = placeOf(pair)
    const known = seen.get(place)
    if (known === undefined) {
      remember()
      seen.set(place, [pair])
      return true
    }
    if (known.some(({ left, right }) => left.used <= pair.left.used && right.used <= pair.right.used))
      return false
    known.push(pair)
    return true
  }
}

/** What can be reached from an item by `follow`, the shortest first. */
export function* shortestFirst<T>(
  start: T,
  follow: (item: T, add: (next: T, length: number) => void) => void,
): Generator<T> {
  // Units differ in length, so that items wait in a list for each length.
  const waiting: T[][] = [[start]]
  for (let length = 0; length < waiting.length; length += 1) {
    for (const item of waiting[length] ?? []) {
      yield item
      follow(item, (next, more) => {
        waiting[length + more] ??= []
        waiting[length + more]!.push(next)
      })
    }
    delete waiting[length]
  }
}

/** A text that both automata of a product accept, and the paths by which they do. */
export interface Word {
  readonly text: string
  readonly left: PathStep
  readonly right: PathStep
}

const wordAt = (text: string, { left, right }: Pair, before?: Word): Word => ({
  text,
  left: { state: left.state, at: text.length, before: before?.left },
  right: { state: right.state, at: text.length, before: before?.right },
})

/** A shortest text that both automata accept (in a product with itself: on two paths), if there is one. */
export function shortestWord(product: Product): Word | undefined {
  // Memory counts as work. Two templates can have as many pairs as their lengths multiplied, one with itself hardly.
  const isNew = createSeen(() => product.step(product.self ? 100 : 400))
  const start = first(product)
  const reached = shortestFirst({ pair: start, word: wordAt('', start) }, (from, add) =>
    forEachStep(product, from.pair, undefined, (pair, unit) => {
      if (isNew(pair)) add({ pair, word: wordAt(from.word.text + unit, pair, from.word) }, unit.length)
    }),
  )
  for (const { pair, word } of reached) if (accepts(product, pair)) return word
  return undefined
}
