import type { Template } from '@truename/uri-codec'
import { type DomainOccurrence, domainAutomaton } from './domain-automaton.ts'
import { type Product, shortestWord } from './product.ts'

/** Up to how many repeated variables each choice of which of them are there is looked at by itself. */
const repeatedBound = 3

/** The occurrences that say most of a variable. */
function fullest(occurrences: readonly DomainOccurrence[], name: string): number[] {
  const length = ({ prefix }: DomainOccurrence): number => prefix || Number.POSITIVE_INFINITY
  const own = [...occurrences.keys()].filter((at) => occurrences[at]!.name === name)
  const most = Math.max(...own.map((at) => length(occurrences[at]!)))
  return own.filter((at) => length(occurrences[at]!) === most)
}

/**
 * The pairs of readings that can tell that a template is ambiguous: whatever two sets of values expand to one URI, one
 * of these products accepts it. None where there are no two such sets.
 *
 * A repeated variable is there in all its occurrences, or in none. Where two readings cannot differ in one occurrence of
 * a variable, it has one value, and each of its occurrences is as long in both: which can show the same of others.
 */
export function comparedReadings(template: Template, maps: boolean, step: () => void): Product[] {
  const { occurrences } = domainAutomaton(template, maps)
  const names = occurrences.map(({ name }) => name)
  const repeated = template.variables.filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (repeated.length > repeatedBound) repeated.length = 0
  const sides = Array.from({ length: 1 << repeated.length }, (_, present) => {
    const isPresent = (name: string): boolean | undefined =>
      repeated.includes(name) ? ((present >> repeated.indexOf(name)) & 1) === 1 : undefined
    return { automaton: domainAutomaton(template, maps, isPresent).automaton, isPresent }
  })
  /** Variables that have one value. */
  const known = new Set<string>()
  const products = (): Product[] => {
    const texts = [...occurrences.keys()].filter((at) => known.has(names[at]!) && !occurrences[at]!.explode)
    const equal = new Set(texts)
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
    const next = template.variables.find(
      (name) =>
        !known.has(name) &&
        fullest(occurrences, name).some(
          (differs) => !products().some((product) => shortestWord({ ...product, self: false, differs })),
        ),
    )
    if (next !== undefined) known.add(next)
    else return known.size === template.variables.length ? [] : products()
  }
}
