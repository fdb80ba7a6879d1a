import { expandTemplate, type Template } from '@truename/uri-codec'
import type { Automaton } from './automaton.ts'
import { type Domain, type DomainOccurrence, domainAutomaton } from './domain-automaton.ts'
import { defaultLimits, type MatchLimits } from './limits.ts'
import { type Product, searchWords, shortestWord } from './product.ts'
import { stepCounter } from './read-text.ts'
import { agree, type MatchedValue, type MatchedValues, setOwn } from './settle.ts'
import { toTemplate } from './to-template.ts'
import { unitsOf } from './units.ts'

/** Two sets of values that a template expands to the same URI. */
export interface Ambiguity {
  /** A shortest such URI. */
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
/** How many readings of one text are looked at. */
const readingsBound = 200

/** All choices of values, occurrence by occurrence, that a path of the automaton reads from a text. */
function* pathsOf(
  automaton: Automaton,
  uri: string,
  step: () => void,
): Generator<(MatchedValue | undefined)[]> {
  const units = unitsOf(uri)
  interface Place {
    readonly state: number
    readonly at: number
    readonly used: number
    readonly before: Place | undefined
  }
  const stack: Place[] = [{ state: automaton.start, at: 0, used: 0, before: undefined }]
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    step()
    const { state, at, used } = place
    if (at === units.length && state === automaton.accept) {
      yield valuesOf(automaton, units, place)
      continue
    }
    for (const next of automaton.silent[state]!) stack.push({ state: next, at, used: 0, before: place })
    const unit = units[at]
    if (unit === undefined) continue
    for (const { on, to } of automaton.edges[state]!) {
      if (typeof on === 'string' ? on !== unit : !on.has(unit)) continue
      const limit = automaton.limits[to]!
      const after = limit === 0 ? 0 : (to === state ? used : 0) + 1
      if (after <= limit) stack.push({ state: to, at: at + 1, used: after, before: place })
    }
  }
}

function valuesOf(
  automaton: Automaton,
  units: readonly string[],
  last: { readonly state: number; readonly at: number; readonly before: unknown },
): (MatchedValue | undefined)[] {
  type Step = { readonly state: number; readonly at: number; readonly before: Step | undefined }
  const read: { state: number; unit: string }[] = []
  for (let place = last as Step | undefined; place?.before !== undefined; place = place.before)
    if (place.at > place.before.at) read.push({ state: place.state, unit: units[place.before.at]! })
  read.reverse()
  const texts: { occurrence: number; form: string; isKey: boolean; text: string }[] = []
  let open: (typeof texts)[number] | undefined
  for (const { state, unit } of read) {
    const role = automaton.roles[state]
    if (role === undefined) open = undefined
    else if (open?.occurrence === role.occurrence && open.isKey === role.isKey) open.text += unit
    else {
      open = { ...role, text: unit }
      texts.push(open)
    }
  }
  const values: (MatchedValue | undefined)[] = []
  let key = ''
  for (const { occurrence, form, isKey, text } of texts) {
    const value = decodeURIComponent(text)
    if (form === 'text') values[occurrence] = value
    else if (form === 'list')
      values[occurrence] = [...((values[occurrence] as string[] | undefined) ?? []), value]
    else if (isKey) key = value
    else {
      const map = { ...((values[occurrence] as Record<string, string> | undefined) ?? {}) }
      if (Object.hasOwn(map, key)) values[occurrence] = undefined
      else setOwn(map, key, value)
      values[occurrence] = map
    }
  }
  return values
}

/** The values of a path, if all occurrences of each variable can come from one. */
function settle(
  template: Template,
  occurrences: readonly DomainOccurrence[],
  path: readonly (MatchedValue | undefined)[],
  uri: string,
): Record<string, MatchedValue> | undefined {
  const values: Record<string, MatchedValue> = {}
  for (const name of template.variables) {
    const found = occurrences.flatMap((occurrence, at) =>
      occurrence.name === name
        ? [
            {
              value: path[at],
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
 * from; `undefined` where there are none. The values looked at are non-empty texts, non-empty lists of them for `*`,
 * no `%XX` within `{+v}` and `{#v}`, and any variable may be absent.
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
  const domain: Domain = { maps: options.maps ?? false }
  const { automaton, occurrences } = domainAutomaton(parsed, domain)
  const cut = cutAmbiguity(parsed, occurrences)
  const step = stepCounter(options.limits?.steps ?? defaultLimits.steps)
  const product: Product = { left: automaton, right: automaton, self: true, step }
  let found: Ambiguity | undefined
  const isAmbiguous = (uri: string, count = step): boolean => {
    const readings: Record<string, MatchedValue>[] = []
    let looked = 0
    for (const path of pathsOf(automaton, uri, count)) {
      looked += 1
      if (looked > readingsBound) return false
      const values = settle(parsed, occurrences, path, uri)
      if (values === undefined) continue
      const other = readings.find((reading) => differ(reading, values))
      if (other !== undefined) {
        found = { uri, first: other, second: values }
        return true
      }
      readings.push(values)
    }
    return false
  }
  const uri = shortestWord(product)
  if (uri === undefined || (cut !== undefined && cut.uri.length <= uri.length)) return cut
  if (isAmbiguous(uri)) return found
  const outcome = searchWords(product, wordsBound, isAmbiguous)
  return found ?? cut ?? (outcome === 'none' ? undefined : 'undecided')
}
