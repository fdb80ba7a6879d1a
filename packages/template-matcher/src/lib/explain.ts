import { expandTemplate, type Template, TemplateValueError, type TemplateValues } from '@truename/uri-codec'
import { tripletSize } from './characters.ts'
import { foldScheme } from './exact-uris.ts'
import type { DeviationCode, Match } from './match.ts'
import { type Misspelling, misspellings } from './misspelled.ts'
import { programOf } from './program.ts'
import { readText, spellRight } from './read-text.ts'
import { parseLeniently } from './to-template.ts'

/** What a request was meant to name: a URI that gives these values is right, however it is spelled. */
export interface Expectation {
  /**
   * The identifier: a document's name or path, as the single value of a template. Where `{/v*}` takes it, its slashes
   * part the segments; one at the start is the one that the operator writes. Everywhere else it is one text.
   */
  readonly name?: string
  /** The values, where there are several; of templates that have none of these variables nothing is said. */
  readonly values?: TemplateValues
  /** Whether the application found what the match named; `false` puts the failure at `locating`. */
  readonly located?: boolean
}

/** The step that failed, as people read it. */
export interface Explanation {
  /** `none`: everything went as it should. */
  readonly step: 'expansion' | 'matching' | 'locating' | 'none'
  /** At most three. */
  readonly lines: readonly string[]
  /** The URI that should have been sent, where it is known. */
  readonly repaired?: string
}

/** What is known of a URI when it is explained. */
export interface ExplainFacts {
  readonly uri: string
  /** What matched strictly, most specific first; where nothing did, the tolerant readings. */
  readonly readings: readonly Match[]
  readonly isMatch: boolean
  readonly templates: readonly Template[]
  readonly exact: boolean
  readonly expected: Expectation
}

/** What a client does about a mistake whose name does not say it. */
const advice: { readonly [code in Misspelling]?: string } = {
  'plus-for-space': 'a space was sent as "+"; write %20',
  'double-encoding': 'the value was encoded before it was put into the template, which encodes it',
  normalization: 'it is the same text in another normalization form of Unicode',
}

/** What shows nothing, or makes what stands beside it show elsewhere: a line stays one line, and says what is there. */
const unshowable = /(?! )[\p{C}\p{Z}\p{DI}]/gu

const shown = (text: string): string =>
  (text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text).replace(
    unshowable,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  )

/** The first `%` that starts no text: its place, or -1. */
export function badEscapeAt(uri: string): number {
  for (let at = uri.indexOf('%'); at >= 0; ) {
    const size = tripletSize(uri, at)
    if (size === 0) return at
    at = uri.indexOf('%', at + size)
  }
  return -1
}

/** What was sent, decoded as often as it was encoded as a whole. */
function unwrapped(uri: string): string {
  let text = uri
  while (/^[a-z][a-z\d+.-]*%(25)*3a/i.test(text) && badEscapeAt(text) < 0) text = decodeURIComponent(text)
  return text
}

/** What a template should have been expanded with, and to what, where it can be; `undefined` where that is not said. */
function meantOf(
  template: Template,
  { name, values }: Expectation,
): { readonly values: TemplateValues; readonly right?: string } | undefined {
  const { variables, source } = template
  const value = /\{\/[^}]*\*/.test(source) ? name?.replace(/^\//, '').split('/') : name
  const meant = values ?? (variables.length === 1 && value !== undefined && { [variables[0]!]: value })
  const names = Object.keys(meant || {})
  if (!meant || (names.length > 0 && !names.some((each) => variables.includes(each)))) return undefined
  try {
    return { values: meant, right: expandTemplate(template, meant) }
  } catch (error) {
    // What no URI can hold has none that is right; anything else is a fault of ours.
    if (!(error instanceof TemplateValueError)) throw error
    return { values: meant }
  }
}

/** Values as a text, members of maps in one order. */
const inOneOrder = (values: unknown): string | undefined =>
  JSON.stringify(values, (_key, value) =>
    Object(value) === value && !Array.isArray(value) ? Object.entries(value).sort() : value,
  )

/** Whether a reading has the values that the URI has which should have been sent. */
function isMeant({ template, values }: Match, expected: Expectation): boolean {
  const right = meantOf(template, expected)?.right
  if (right === undefined) return false
  const found = readText(programOf(template, false), right, 'refuse', undefined)
  return inOneOrder(found?.reading.values) === inOneOrder(values)
}

/** The step that failed, what is the matter with it, and more lines where there is more to say. */
const failed = (step: Explanation['step'], what: string, ...more: readonly string[]): Explanation => ({
  step,
  lines: [`${step}: ${what}`, ...more],
})

/** That a client sent something else than it should have, by which mistakes, and at most one more line. */
const explainExpansion = (
  what: string,
  codes: readonly (Misspelling | DeviationCode)[],
  right: string,
  more = '',
): Explanation => ({
  ...failed(
    'expansion',
    `${what} (${[...new Set(codes)].join(', ')})`,
    `it should have sent ${shown(right)}`,
    ...(more ? [more] : []),
  ),
  repaired: right,
})

/** The template that keeps the slashes which were put in as they are, where `{+v}` for `{v}` makes it. */
function slashKeeping({ template, deviations }: Match, values: TemplateValues): string | undefined {
  const names = deviations.map(({ code, variable }) => code === 'raw-slash' && variable)
  const keeping = template.source.replace(/\{([^{}+#./;?&,*:]+)\}/g, (all, name: string) =>
    names.includes(name) ? `{+${name}}` : all,
  )
  return keeping === template.source
    ? undefined
    : `a template that keeps the slash: ${shown(keeping)} expands to ${shown(expandTemplate(parseLeniently(keeping), values))}`
}

function explainTolerant(match: Match, expected: Expectation): Explanation {
  const { template, values, deviations, raw } = match
  const names = [...new Set(deviations.flatMap(({ variable }) => variable ?? []))].map((name) => `{${name}}`)
  return explainExpansion(
    `the client put the value of ${names.join(', ')} into ${shown(template.source)} as it is, instead of expanding the template`,
    deviations.map(({ code }) => code),
    meantOf(template, expected)?.right ?? expandTemplate(template, values),
    slashKeeping(match, values) ??
      (raw.some(({ type, text }) => type === 'value' && text.includes('+'))
        ? 'a "+" is a plus sign; if a space was meant, it must be sent as %20'
        : undefined),
  )
}

/** What was sent instead of what was meant; `only` is the reading that there is, where there is one. */
function explainMisread(
  { uri, readings, isMatch, templates, expected }: ExplainFacts,
  only: Match | undefined,
): Explanation | undefined {
  const own = only && meantOf(only.template, expected)
  if (own && own.right === undefined)
    return failed('expansion', `${shown(only.template.source)} cannot be expanded with what was meant`)
  // What is read may well be called by that name, where it is no value of the template.
  const named =
    only && (own ?? expected.values)
      ? `${shown(uri)} names ${shown(JSON.stringify(only.values))}, not what was meant`
      : ''
  if (isMatch && !named) return undefined
  const text = only ? uri : unwrapped(uri)
  let wrong: Explanation | undefined
  for (const [template, sent, reading] of [
    // An expansion is without what may differ: the order of a query, what is ignored of it, literals as they are.
    ...readings.flatMap((each) =>
      [uri, expandTemplate(each.template, each.values)].map((sent) => [each.template, sent, each] as const),
    ),
    ...templates.map((each) => [each, text] as const),
  ]) {
    const { values, right } = meantOf(template, expected) ?? {}
    if (!values || right === undefined) continue
    const codes = misspellings(foldScheme(sent), foldScheme(right))
    if (codes[0] === 'different') {
      if (named) wrong ??= explainExpansion(named, codes, right)
      continue
    }
    if (text !== uri) codes.unshift('whole-uri-encoded')
    if (codes.length === 0) return undefined
    return explainExpansion(
      isMatch ? named : `${shown(uri)} is no expansion of ${shown(template.source)}`,
      codes,
      right,
      (reading && slashKeeping(reading, values)) ?? codes.flatMap((code) => advice[code] ?? [])[0],
    )
  }
  return wrong
}

function explainNoMatch({ uri, templates }: ExplainFacts): Explanation {
  const bad = badEscapeAt(uri)
  if (bad >= 0)
    return failed(
      'matching',
      `the triplets at index ${bad} of ${shown(uri)} decode to no text`,
      'a "%" of a value must be sent as %25, and text as UTF-8',
    )
  const text = unwrapped(uri)
  if (text !== uri)
    return explainExpansion(
      `${shown(uri)} was encoded as a whole, as if it were a value`,
      ['whole-uri-encoded'],
      spellRight(text),
    )
  const scheme = /^[^:/?#]*:/.exec(uri)?.[0] ?? ''
  const near = templates.filter(({ source }) => scheme && foldScheme(source).startsWith(foldScheme(scheme)))
  const why = scheme ? `no template starts with ${shown(scheme)}` : 'it has no scheme'
  const some = (near[0] ? near : templates).slice(0, 3).map(({ source }) => shown(source))
  return failed(
    'matching',
    `no template expands to ${shown(uri)}`,
    `${near[0] ? 'nearest' : `${why}; templates of the set`}: ${some.join('  ') || 'none'}`,
  )
}

/** Says in at most three lines which step failed: expansion, matching or locating. */
export function explainRead(facts: ExplainFacts): Explanation {
  const { uri, readings, isMatch, exact, expected } = facts
  const only = isMatch || readings.length === 1 ? readings[0] : undefined
  const meant = readings.find((reading) => isMeant(reading, expected))
  const misread = exact || meant ? undefined : explainMisread(facts, only)
  if (misread) return misread
  if (exact || isMatch) {
    const match = exact ? undefined : only
    const what = match
      ? `${shown(match.template.source)} matches with ${shown(JSON.stringify(match.values))}`
      : `${shown(uri)} is listed`
    if (expected.located === false)
      return failed(
        'locating',
        what,
        'nothing is there under it: the URI is right, the name or path is not there (or not for this caller)',
      )
    const kinds = match?.deviations.map(({ code }) => code).join(', ')
    return {
      step: 'none',
      lines: [kinds ? `${what}, spelled otherwise than expansion does (${kinds})` : what],
    }
  }
  const tolerated = meant ?? only
  if (tolerated) return explainTolerant(tolerated, expected)
  if (readings.length > 1)
    return failed(
      'expansion',
      `${shown(uri)} was not expanded, and can be read in several ways; none was chosen`,
      ...readings
        .slice(0, 2)
        .map(({ template, values }) => shown(`${template.source} with ${JSON.stringify(values)}`)),
    )
  return explainNoMatch(facts)
}
