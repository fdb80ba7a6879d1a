import { expandTemplate, type Template } from '@truename/uri-codec'
import { canonicalText } from './canonical.ts'
import { comparedReadings } from './compared-readings.ts'
import { domainAutomaton, type Occurrences } from './domain-automaton.ts'
import { defaultLimits, type MatchLimits } from './limits.ts'
import { type Product, shortestWord } from './product.ts'
import { stepCounter } from './read-text.ts'
import type { Occurrence } from './reading.ts'
import { searchWords } from './search-words.ts'
import { agree, type MatchedValue, type MatchedValues, occurrenceValue, setOwn } from './settle.ts'
import { toTemplate } from './to-template.ts'
import { spansOf, walkAutomaton } from './walk-automaton.ts'

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
const walkBound = 20_000

/** The values of a path, if all occurrences of each variable can come from one. */
function settle(
  template: Template,
  occurrences: Occurrences,
  path: readonly Occurrence[],
  uri: string,
): Record<string, MatchedValue> | undefined {
  const values: Record<string, MatchedValue> = {}
  for (const [name, own] of occurrences) {
    const settled = agree(
      own.map(({ at, prefix, listed, reserved }) => {
        const spans = path.find(({ variable }) => variable === at)
        const value = spans && occurrenceValue(uri, spans, listed && !reserved, false)
        return { value, prefix, mayBeEmpty: false, keepsCommas: reserved }
      }),
    )
    if (settled === undefined) return undefined
    if (settled.value !== undefined) setOwn(values, name, settled.value)
  }
  return canonicalText(expandTemplate(template, values)) === uri ? values : undefined
}

/** Two values that differ only after what the longest prefix keeps of a variable that is nowhere full, in a shortest URI. */
function cutAmbiguity(template: Template, occurrences: Occurrences): Ambiguity | undefined {
  const found = [...occurrences].flatMap(([name, own]): Ambiguity[] => {
    const prefixes = own.map(({ prefix }) => prefix)
    if (prefixes.includes(0)) return []
    const of = (end: string): MatchedValues => ({ [name]: 'a'.repeat(Math.max(...prefixes)) + end })
    return [{ uri: canonicalText(expandTemplate(template, of('b'))), first: of('b'), second: of('c') }]
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
  const { automaton, occurrences } = domainAutomaton(parsed, maps)
  const step = stepCounter(limits?.steps ?? defaultLimits.steps)
  let best = cutAmbiguity(parsed, occurrences)
  let isDecided = true
  const isShorter = (uri: string): boolean => best === undefined || uri.length < best.uri.length
  /** Whether a text has two readings that are two sets of values, those of these paths or any; takes them. */
  const isAmbiguous = (
    uri: string,
    count = step,
    paths: readonly (readonly Occurrence[])[] = [],
  ): boolean => {
    const known: MatchedValues[] = []
    const isSecond = (path: readonly Occurrence[]): boolean => {
      const second = settle(parsed, occurrences, path, uri)
      // All name their variables in the same order.
      const first = second && known.find((other) => JSON.stringify(other) !== JSON.stringify(second))
      if (first) best = { uri, first, second }
      else if (second) known.push(second)
      return first !== undefined
    }
    if (paths.some(isSecond)) return true
    let looked = 0
    let steps = 0
    const counting = (): void => {
      steps += 1
      count()
    }
    const walk = {
      text: uri,
      start: 0,
      end: uri.length,
      visited: undefined,
      step: counting,
      bound: walkBound,
    }
    const isFound = walkAutomaton(automaton, walk, (_, path) => {
      looked += 1
      return looked > readingsBound || isSecond(spansOf(automaton, path))
    })
    isDecided &&= looked <= readingsBound && steps < walkBound
    return isFound && looked <= readingsBound
  }
  const open: Product[] = []
  for (const product of comparedReadings(parsed, maps, step)) {
    const word = shortestWord(product)
    if (word === undefined || !isShorter(word.text)) continue
    // Where the two paths contradict themselves, another two of this text may not.
    const paths = [spansOf(product.left, word.left), spansOf(product.right, word.right)]
    if (!isAmbiguous(word.text, step, paths)) open.push(product)
  }
  for (const product of open) {
    const outcome = searchWords(
      product,
      wordsBound / open.length,
      (uri, count) => !isShorter(uri) || isAmbiguous(uri, count),
    )
    isDecided &&= outcome !== 'bound'
  }
  if (best === undefined) return isDecided ? undefined : 'undecided'
  return { ...best, uri: expandTemplate(parsed, best.first) }
}
