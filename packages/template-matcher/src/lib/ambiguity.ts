import { expandTemplate, type Template } from '@truename/uri-codec'
import { comparedReadings } from './compared-readings.ts'
import { type DomainOccurrence, domainAutomaton } from './domain-automaton.ts'
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
  /** A shortest such URI; of a template that uses a variable more than once, a short one. */
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
  occurrences: readonly DomainOccurrence[],
  path: readonly Occurrence[],
  uri: string,
): Record<string, MatchedValue> | undefined {
  const values: Record<string, MatchedValue> = {}
  const valueAt = (at: number): MatchedValue | undefined => {
    const spans = path.find(({ variable }) => variable === at)
    const { listed, reserved } = occurrences[at]!
    return spans && occurrenceValue(uri, spans, listed && !reserved, false)
  }
  for (const name of template.variables) {
    const found = occurrences.flatMap((occurrence, at) =>
      occurrence.name === name
        ? [
            {
              value: valueAt(at),
              prefix: occurrence.prefix,
              mayBeEmpty: false,
              keepsCommas: occurrence.reserved,
            },
          ]
        : [],
    )
    const settled = agree(found)
    if (settled === undefined) return undefined
    if (settled.value !== undefined) setOwn(values, name, settled.value)
  }
  return expandTemplate(template, values) === uri ? values : undefined
}

const spelled = (values: MatchedValues, name: string): string =>
  Object.hasOwn(values, name) ? JSON.stringify(values[name]) : ''

const differ = (left: MatchedValues, right: MatchedValues): boolean =>
  [...Object.keys(left), ...Object.keys(right)].some((name) => spelled(left, name) !== spelled(right, name))

/** The longest prefix of each variable that is nowhere written in full. */
function cutVariables(occurrences: readonly DomainOccurrence[]): ReadonlyMap<string, number> {
  const cut = new Map<string, number>()
  for (const { name, prefix } of occurrences) {
    if (occurrences.some((other) => other.name === name && other.prefix === 0)) continue
    cut.set(name, Math.max(cut.get(name) ?? 0, prefix))
  }
  return cut
}

/** Two values that differ only after what a prefix keeps, in a shortest URI. */
function cutAmbiguity(template: Template, occurrences: readonly DomainOccurrence[]): Ambiguity | undefined {
  const found = [...cutVariables(occurrences)].map(([name, length]) => {
    const of = (end: string): MatchedValues => {
      const values: Record<string, MatchedValue> = {}
      setOwn(values, name, 'a'.repeat(length) + end)
      return values
    }
    return { uri: expandTemplate(template, of('b')), first: of('b'), second: of('c') }
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
  const { automaton, occurrences } = domainAutomaton(parsed, options.maps ?? false)
  const cut = cutAmbiguity(parsed, occurrences)
  const step = stepCounter(options.limits?.steps ?? defaultLimits.steps)
  const maps = options.maps ?? false
  let best = cut
  let isDecided = true
  const isShorter = (uri: string): boolean => best === undefined || uri.length < best.uri.length
  /** Takes a text of two readings, where they are two sets of values. */
  const take = (uri: string, readings: readonly (Record<string, MatchedValue> | undefined)[]): boolean => {
    const [first, second] = readings
    const isProof = first !== undefined && second !== undefined && differ(first, second)
    if (isProof) best = { uri, first, second }
    return isProof
  }
  const isAmbiguous = (uri: string, count = step): boolean => {
    const known: Record<string, MatchedValue>[] = []
    const before = best
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
    walkAutomaton(automaton, walk, (_, path) => {
      looked += 1
      if (looked > readingsBound) return true
      const values = settle(parsed, occurrences, spansOf(automaton, path), uri)
      if (values === undefined) return false
      if (known.some((other) => take(uri, [other, values]))) return true
      known.push(values)
      return false
    })
    isDecided &&= looked <= readingsBound && steps < walkBound
    return best !== before
  }
  const open: Product[] = []
  for (const product of comparedReadings(parsed, maps, step)) {
    const word = shortestWord(product)
    if (word === undefined || !isShorter(word.text)) continue
    const { text, left, right } = word
    const readings = [spansOf(product.left, left), spansOf(product.right, right)]
    // The two paths are two readings; where they contradict themselves, another two of this text may not.
    if (
      take(
        text,
        readings.map((path) => settle(parsed, occurrences, path, text)),
      )
    )
      continue
    isAmbiguous(text)
    if (isShorter(text)) open.push(product)
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
