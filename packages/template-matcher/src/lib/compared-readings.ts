import { graphOf } from './graph.ts'
import { automatonOf } from './graph-automaton.ts'
import { type Product, shortestWord } from './product.ts'
import type { Readable } from './program.ts'
import { subsets } from './subsets.ts'

/** Up to how many repeated variables each choice of which of them are there is looked at by itself. */
const repeatedBound = 3

/** The occurrences that say most of a variable. */
function fullest({ occurrences }: Readable, places: readonly number[]): number[] {
  const lengths = places.map((at) => occurrences[at]!.prefix || Number.POSITIVE_INFINITY)
  return places.filter((_, each) => lengths[each] === Math.max(...lengths))
}

/**
 * The pairs of readings that can tell that a template is ambiguous: whatever two sets of values expand to one URI, one
 * of these products accepts it. None where there are no two such sets.
 *
 * A repeated variable is there in all its occurrences, or in none. Where two readings cannot differ in one occurrence of
 * a variable, it has one value, and each of its occurrences is as long in both: which can show the same of others.
 */
export function comparedReadings(domain: Readable, maps: boolean, step: () => void): Product[] {
  const { parts, occurrences, owners } = domain
  const repeated = [...owners].flatMap(([name, places]) => (places.length > 1 ? name : []))
  if (repeated.length > repeatedBound) repeated.length = 0
  const sides = subsets(repeated).map((present) => {
    const isPresent = (name: string): boolean | undefined =>
      repeated.includes(name) ? present.has(name) : undefined
    const graph = graphOf(parts, { composite: maps, ignoring: 'none', isPresent })
    return { automaton: automatonOf(graph, domain), isPresent }
  })
  /** Variables that have one value. */
  const known = new Set<string>()
  const products = (): Product[] => {
    const equal = new Set(
      [...occurrences.keys()].filter((at) => known.has(occurrences[at]!.name) && !occurrences[at]!.explode),
    )
    return sides.flatMap((left, at) =>
      sides
        .slice(at)
        .filter((right) => [...known].every((name) => left.isPresent(name) === right.isPresent(name)))
        .map((right) => ({
          left: left.automaton,
          right: right.automaton,
          self: left === right,
          equal,
          step,
        })),
    )
  }
  if (repeated.length === 0) return products()
  for (;;) {
    const next = [...owners].find(
      ([name, places]) =>
        !known.has(name) &&
        fullest(domain, places).some(
          (differs) => !products().some((product) => shortestWord({ ...product, self: false, differs })),
        ),
    )
    if (next !== undefined) known.add(next[0])
    else return known.size === owners.size ? [] : products()
  }
}
