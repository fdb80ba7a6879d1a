import { expandTemplate, type Template, TemplateValueError, type TemplateValues } from '@truename/uri-codec'
import { canonicalText } from './canonical.ts'
import { tripletSize } from './characters.ts'
import type { Match } from './match.ts'
import { type Misspelling, misspellings } from './misspelled.ts'
import { parseLeniently } from './to-template.ts'

/** What a request was meant to name. */
export interface Expectation {
  /** The identifier: a document's name or path, as the single value of a template. */
  readonly name?: string
  /** The values, where there are several. */
  readonly values?: TemplateValues
  /** Whether the application found what the match named; `false` puts the failure at `locate`. */
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
  /** What matched strictly, most specific first. */
  readonly strict: readonly Match[]
  /** The tolerant readings, where nothing matched strictly. */
  readonly tolerant: readonly Match[]
  readonly templates: readonly Template[]
  readonly exact: boolean
  readonly expected: Expectation | undefined
}

/** What a client does about a mistake whose name does not say it. */
const advice: { readonly [code in Misspelling]?: string } = {
  'plus-for-space': 'a space was sent as "+"; write %20',
  'double-encoding': 'the value was encoded before it was put into the template, which encodes it',
  'not-encoded': 'the value was put into the template as it is, instead of expanding it',
  normalization: 'it is the same text in another normalization form of Unicode',
}

/** What shows nothing, or makes what stands beside it show elsewhere: a line stays one line, and says what is there. */
const unshowable = /(?! )[\p{C}\p{Z}\p{DI}]/gu

const shown = (text: string): string =>
  (text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text).replace(
    unshowable,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  )

/** The template with `{v}` written as what keeps slashes. */
function slashKeeping(match: Match): string | undefined {
  const names = match.deviations.filter(({ code }) => code === 'raw-slash').map(({ variable }) => variable)
  if (names.length === 0) return undefined
  return match.template.source.replace(/\{([^{}+#./;?&,*:]+)\}/g, (all, name: string) =>
    names.includes(name) ? `{+${name}}` : all,
  )
}

/** The first `%` that starts no text: its place, or -1. */
export function badEscapeAt(uri: string): number {
  for (let at = uri.indexOf('%'); at >= 0; ) {
    const size = tripletSize(uri, at)
    if (size === 0) return at
    at = uri.indexOf('%', at + size)
  }
  return -1
}

function explainTolerant(match: Match): Explanation {
  const repaired = expandTemplate(match.template, match.values)
  const names = [...new Set(match.deviations.flatMap(({ variable }) => variable ?? []))].map(
    (name) => `{${name}}`,
  )
  const kinds = [...new Set(match.deviations.map(({ code }) => code))].join(', ')
  const keeping = slashKeeping(match)
  const lines = [
    `expansion: the client put the value of ${names.join(', ')} into ${shown(match.template.source)} as it is, instead of expanding the template (${kinds})`,
    `it should have sent ${shown(repaired)}`,
  ]
  if (keeping !== undefined)
    lines.push(
      `a template that keeps the slash: ${shown(keeping)} expands to ${shown(expandTemplate(parseLeniently(keeping), match.values))}`,
    )
  else if (match.raw.some(({ type, text }) => type === 'value' && text.includes('+')))
    lines.push('a "+" is a plus sign; if a space was meant, it must be sent as %20')
  return { step: 'expansion', lines, repaired }
}

function explainNoMatch({ uri, templates }: ExplainFacts): Explanation {
  const bad = badEscapeAt(uri)
  if (bad >= 0)
    return {
      step: 'matching',
      lines: [
        `matching: the triplets at index ${bad} of ${shown(uri)} decode to no text`,
        'a "%" of a value must be sent as %25, and text as UTF-8',
      ],
    }
  if (/^[a-z][a-z\d+.-]*%(25)*3a/i.test(uri)) {
    const repaired = decodeURIComponent(uri)
    return {
      step: 'expansion',
      lines: [
        `expansion: ${shown(uri)} was encoded as a whole, as if it were a value (whole-uri-encoded)`,
        `it should have sent ${shown(repaired)}`,
      ],
      repaired,
    }
  }
  const scheme = /^[^:/?#]*:/.exec(uri)?.[0] ?? ''
  const near = templates.filter(({ source }) => scheme !== '' && source.startsWith(scheme))
  return {
    step: 'matching',
    lines: [
      `matching: no template expands to ${shown(uri)}`,
      templates.length === 0
        ? 'the set has no templates'
        : near.length === 0
          ? `${scheme === '' ? 'it has no scheme' : `no template starts with ${shown(scheme)}`}; a template of the set: ${shown(templates[0]!.source)}`
          : `nearest: ${near
              .slice(0, 3)
              .map(({ source }) => shown(source))
              .join('  ')}`,
    ],
  }
}

/** The one variable of a template, where it has one. */
const onlyVariable = ({ variables }: Template): string | undefined =>
  variables.length === 1 ? variables[0] : undefined

/** What a template should have been expanded with, or `undefined` where that is not said. */
function meantValues(template: Template, { name, values }: Expectation): TemplateValues | undefined {
  const only = onlyVariable(template)
  return values ?? (name !== undefined && only !== undefined ? { [only]: name } : undefined)
}

/** The URI that a template makes of what was meant; `undefined` where it makes none. */
function meantUri(template: Template, expected: Expectation | undefined): string | undefined {
  const values = expected && meantValues(template, expected)
  try {
    return values && expandTemplate(template, values)
  } catch (error) {
    if (error instanceof TemplateValueError) return undefined
    throw error
  }
}

/** That a client sent something else than it meant, by the mistakes that make the one of the other. */
const explainMisspelled = (start: string, codes: readonly Misspelling[], right: string): Explanation => ({
  step: 'expansion',
  lines: [
    `expansion: ${start} (${codes.join(', ')})`,
    ...codes.slice(0, 1).flatMap((code) => advice[code] ?? []),
    `it should have sent ${shown(right)}`,
  ],
  repaired: right,
})

/** What was meant, where nothing or several things match: a reading with these values, or a mistake that is known. */
function explainMeant({ uri, tolerant, templates, expected }: ExplainFacts): Explanation | undefined {
  for (const reading of tolerant) {
    const right = meantUri(reading.template, expected)
    if (right !== undefined && right === expandTemplate(reading.template, reading.values))
      return explainTolerant(reading)
  }
  for (const template of templates) {
    const right = meantUri(template, expected)
    const codes = right === undefined || right === uri ? ['different' as const] : misspellings(uri, right)
    if (right !== undefined && codes[0] !== 'different')
      return explainMisspelled(`${shown(uri)} is no expansion of ${shown(template.source)}`, codes, right)
  }
  return undefined
}

function explainLocating(match: Match, uri: string, expected: Expectation): Explanation | undefined {
  const right = meantUri(match.template, expected)
  if (right !== undefined && canonicalText(right) !== canonicalText(uri))
    return explainMisspelled(
      `${shown(uri)} names ${shown(JSON.stringify(match.values))}, not what was meant`,
      misspellings(uri, right),
      right,
    )
  if (right === undefined && meantValues(match.template, expected) !== undefined)
    return {
      step: 'expansion',
      lines: [`expansion: ${shown(match.template.source)} cannot be expanded with what was meant`],
    }
  if (expected.located !== false) return undefined
  return {
    step: 'locating',
    lines: [
      `locating: ${shown(match.template.source)} matches and gives ${shown(JSON.stringify(match.values))}`,
      'nothing is there under it: the URI is right, the name or path is not there (or not for this caller)',
    ],
  }
}

/** Says in at most three lines which step failed: expansion, matching or locating. */
export function explainRead(facts: ExplainFacts): Explanation {
  const { uri, strict, tolerant, exact, expected } = facts
  const [match] = strict
  if (exact)
    return expected?.located === false
      ? { step: 'locating', lines: [`locating: ${shown(uri)} is listed, and nothing is there`] }
      : { step: 'none', lines: [`${shown(uri)} is listed`] }
  const only = tolerant.length === 1 ? tolerant[0] : undefined
  if (match === undefined && only !== undefined)
    return explainLocating(only, uri, { ...expected, located: true }) ?? explainTolerant(only)
  if (match !== undefined) {
    const failed = explainLocating(match, uri, expected ?? {})
    if (failed !== undefined) return failed
    const kinds = match.deviations.map(({ code }) => code).join(', ')
    const spelling = kinds === '' ? '' : `, spelled otherwise than expansion does (${kinds})`
    return {
      step: 'none',
      lines: [
        `${shown(match.template.source)} matches with ${shown(JSON.stringify(match.values))}${spelling}`,
      ],
    }
  }
  const meant = explainMeant(facts)
  if (meant !== undefined) return meant
  if (tolerant.length > 1) {
    return {
      step: 'expansion',
      lines: [
        `expansion: ${shown(uri)} was not expanded, and can be read in several ways; none was chosen`,
        ...tolerant
          .slice(0, 2)
          .map(({ template, values }) => shown(`${template.source} with ${JSON.stringify(values)}`)),
      ],
    }
  }
  return explainNoMatch(facts)
}
