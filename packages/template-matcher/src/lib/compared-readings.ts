import type { Template } from '@truename/uri-codec'
import { type DomainOccurrence, domainAutomaton } from './domain-automaton.ts'
import { type Product, shortestWord } from './product.ts'
import { subsets } from './subsets.ts'

/** Up to how many repeated variables each choice of which of them are there is looked at by itself. */
const repeatedBound = 3

const lengthOf = ({ prefix }: DomainOccurrence): number => prefix || Number.POSITIVE_INFINITY

/** The occurrences of a variable that say most of it. */
const fullest = (own: readonly DomainOccurrence[]): readonly DomainOccurrence[] =>
  own.filter((each) => lengthOf(each) === Math.max(...own.map(lengthOf)))

/**
 * The pairs of readings that can tell that a template is ambiguous: whatever two sets of values expand to one URI, one
 * of these products accepts it. None where there are no two such sets.
 *
 * A repeated variable is there in all its occurrences, or in none. Where two readings cannot differ in one occurrence of
 * a variable, it has one value, and each of its occurrences is as long in both: which can show the same of others.
 */
export function comparedReadings(template: Template, maps: boolean, step: () => void): Product[] {
  const { occurrences } = domainAutomaton(template, maps)
  const repeated = template.variables.filter((name) => occurrences.get(name)!.length > 1)
  if (repeated.length > repeatedBound) repeated.length = 0
  const sides = subsets(repeated).map((present) => {
    const isPresent = (name: string): boolean | undefined =>
      repeated.includes(name) ? present.has(name) : undefined
    return { present, automaton: domainAutomaton(template, maps, isPresent).automaton }
  })
  /** Variables that have one value. */
  const known = new Set<string>()
  const products = (): Product[] => {
    const texts = [...known].flatMap((name) => occurrences.get(name)!).filter(({ explode }) => !explode)
    const equal = new Set(texts.map(({ at }) => at))
    return sides.flatMap((left, at) =>
      sides
        .slice(at)
        .filter((right) => [...known].every((name) => left.present.has(name) === right.present.has(name)))
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
    const next = template.variables.find(
      (name) =>
        !known.has(name) &&
        fullest(occurrences.get(name)!).some(
          ({ at: differs }) =>
            !products().some((product) => shortestWord({ ...product, self: false, differs })),
        ),
    )
    if (next !== undefined) known.add(next)
    else return known.size === template.variables.length ? [] : products()
  }
}
