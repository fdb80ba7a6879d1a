import { expandTemplate, type Template } from '@truename/uri-codec'
import { canonicalText } from './canonical.ts'
import { comparedReadings } from './compared-readings.ts'
import { domainOf } from './domain.ts'
import { graphOf } from './graph.ts'
import { defaultLimits, type MatchLimits, stepCounter } from './limits.ts'
import type { MatchedValues } from './matched-values.ts'
import { type Product, shortestWord, textOf, type WordStep, writtenOn } from './product.ts'
import type { Readable } from './program.ts'
import { readPath } from './read-path.ts'
import { searchWords } from './search-words.ts'
import { settle } from './settle.ts'
import { toTemplate } from './to-template.ts'
import { walk } from './walk.ts'

/** Two sets of values that a template expands to the same URI. */
export interface Ambiguity {
  /**
   * A shortest such URI, as `first` expands to it; where the template spells triplets otherwise than expansion does, that of
   * `second` may be spelled otherwise (RFC 3986 section 6.2.2). Of a template that uses a variable more than once, a short
   * one.
   */
  readonly uri: string
  readonly first: MatchedValues
  readonly second: MatchedValues
}

/** What values are looked at. */
export interface AmbiguityOptions {
  /** Whether exploded variables may hold maps as well as lists. */
  readonly maps?: boolean
  readonly limits?: Pick<MatchLimits, 'steps'>
}

/** How many steps are spent on further texts where repeated variables decide. */
const wordsBound = 300_000
/** How many readings of one text are looked at, and how many steps that may take. */
const readingsBound = 200
const walkBound = 100_000

/** Two values that differ only after what the longest prefix keeps of a variable that is nowhere full, in a shortest URI. */
function cutAmbiguity(template: Template, { occurrences, owners }: Readable): Ambiguity | undefined {
  const found = [...owners].flatMap(([name, places]): Ambiguity[] => {
    const prefixes = places.map((at) => occurrences[at]!.prefix)
    if (prefixes.includes(0)) return []
    const of = (end: string): MatchedValues => ({ [name]: 'a'.repeat(Math.max(...prefixes)) + end })
    return [{ uri: expandTemplate(template, of('b')), first: of('b'), second: of('c') }]
  })
  return found.sort((left, right) => left.uri.length - right.uri.length)[0]
}

/**
 * Finds two sets of values that the template expands to the same URI, so that no matcher can tell which it was made
 * from; `undefined` where there are none. The values looked at are non-empty texts, non-empty lists of them for `*`
 * (texts, where the variable is also cut by a prefix), no `%XX` within `{+v}` and `{#v}`, and any variable may be absent.
 *
 * The answer is exact but for templates that use a variable more than once: there candidates are tried within a bound,
 * and beyond it the answer is `'undecided'`.
 *
 * @throws {MatchLimitError} where this takes more steps than the limits allow
 */
export function findAmbiguity(
  template: Template | string,
  options: AmbiguityOptions = {},
): Ambiguity | 'undecided' | undefined {
  const parsed = toTemplate(template)
  const { maps = false, limits } = options
  const domain = domainOf(parsed)
  const graph = graphOf(domain.parts, { composite: maps, ignoring: 'none' })
  const step = stepCounter(limits?.steps ?? defaultLimits.steps)
  let best = cutAmbiguity(parsed, domain)
  let isDecided = true
  const isShorter = (uri: string): boolean => best === undefined || uri.length < best.uri.length
  /** Takes a value set of a text where another one is known: all name their variables in the same order. */
  const isSecond = (uri: string, known: MatchedValues[], second: MatchedValues | undefined): boolean => {
    if (second === undefined || canonicalText(expandTemplate(parsed, second)) !== uri) return false
    const first = known.find((other) => JSON.stringify(other) !== JSON.stringify(second))
    known.push(second)
    if (first) best = { uri: expandTemplate(parsed, first), first, second }
    return first !== undefined
  }
  /** Whether a text has two readings that are two sets of values; takes them. */
  const isAmbiguous = (uri: string, count: (steps?: number) => void = step): boolean => {
    const known: MatchedValues[] = []
    let isFound = false
    let looked = 0
    const isWhole = walk(
      graph,
      uri,
      domain.owners.size < domain.occurrences.length,
      count,
      (last, reached) => {
        const values = readPath(domain, uri, last, reached, false)?.values
        if (reached <= domain.parts.length) return values !== undefined
        looked += 1
        isFound = isSecond(uri, known, values)
        return isFound || looked > readingsBound
      },
      walkBound,
    )
    isDecided &&= isFound || (isWhole && looked <= readingsBound)
    return isFound
  }
  /** Whether the two paths of a word are two sets of values; takes them. */
  const isProof = ({ left, right }: Product, word: readonly WordStep[]): boolean => {
    const sides = [writtenOn(left, word, 'left'), writtenOn(right, word, 'right')]
    const known: MatchedValues[] = []
    return sides.some((written) =>
      isSecond(
        textOf(word),
        known,
        settle(domain, written, () => false),
      ),
    )
  }
  const open: Product[] = []
  for (const product of comparedReadings(domain, maps, step)) {
    const word = shortestWord(product)
    if (word === undefined || !isShorter(textOf(word))) continue
    // Where the two paths contradict themselves, another two of this text may not.
    if (!isProof(product, word) && !isAmbiguous(textOf(word))) open.push(product)
  }
  for (const product of open) {
    const outcome = searchWords(
      product,
      wordsBound / open.length,
      (uri, count) => !isShorter(uri) || isAmbiguous(uri, count),
    )
    isDecided &&= outcome !== 'bound'
  }
  return best ?? (isDecided ? undefined : 'undecided')
}
