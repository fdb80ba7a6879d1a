import {
  accepts,
  createSeen,
  first,
  forEachStep,
  type Pair,
  type Product,
  placeOf,
  shortestFirst,
} from './product.ts'
import { type Unit, usualUnits } from './units.ts'

/** The places from which an accepting pair can be reached. */
function usefulPlaces(product: Product): ReadonlySet<string | number> {
  const isNew = createSeen()
  const into = new Map<string | number, Set<string | number>>()
  const useful = new Set<string | number>()
  const reached = shortestFirst(first(product), (from, add) =>
    forEachStep(product, from, undefined, (next) => {
      const to = placeOf(next)
      into.set(to, (into.get(to) ?? new Set()).add(placeOf(from)))
      if (isNew(next)) add(next, 1)
    }),
  )
  for (const pair of reached) if (accepts(product, pair)) useful.add(placeOf(pair))
  for (const place of useful) for (const from of into.get(place) ?? []) useful.add(from)
  return useful
}

/** A character as a triplet, a triplet as its character. */
function otherSpelling(unit: Unit): Unit {
  try {
    return unit.length > 1 ? decodeURIComponent(unit) : encodeURIComponent(unit)
  } catch {
    // Triplets that are no text stand for themselves alone.
    return unit
  }
}

/**
 * Texts that both automata accept, shortest first, over the units that the automata name, in either spelling, and one
 * more, until `found` answers true. Answers `'found'`, `'none'` where there are no more, or `'bound'` where the search went on too long.
 */
export function searchWords(
  product: Product,
  bound: number,
  found: (word: string, step: () => void) => boolean,
): 'found' | 'none' | 'bound' {
  let steps = 0
  const counting: Product = {
    ...product,
    step: () => {
      steps += 1
      product.step()
    },
  }
  const useful = usefulPlaces(product)
  const edges = [product.left, product.right].flatMap((automaton) => automaton.edges.flat())
  const named = edges.flatMap(({ on }) => (typeof on === 'string' ? on : []))
  // One variable may write as a triplet what another leaves.
  const units = new Set([...named, ...named.map(otherSpelling)])
  const fresh = usualUnits.find((unit) => !units.has(unit))
  if (fresh !== undefined) units.add(fresh)
  interface Prefix {
    readonly word: string
    readonly pairs: readonly Pair[]
  }
  const start: Prefix = { word: '', pairs: [first(product)] }
  const prefixes = shortestFirst(start, ({ word, pairs }, add) => {
    for (const unit of units) {
      const next: Pair[] = []
      const isNew = createSeen()
      for (const pair of pairs)
        forEachStep(counting, pair, unit, (after) => {
          if (useful.has(placeOf(after)) && isNew(after)) next.push(after)
        })
      if (next.length > 0) add({ word: word + unit, pairs: next }, unit.length)
    }
  })
  for (const { word, pairs } of prefixes) {
    if (pairs.some((pair) => accepts(product, pair)) && found(word, counting.step)) return 'found'
    if (steps > bound) return 'bound'
  }
  return 'none'
}
