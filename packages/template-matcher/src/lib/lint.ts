import { expandTemplate, type Template } from '@truename/uri-codec'
import { findAmbiguity } from './ambiguity.ts'
import { canonicalText } from './canonical.ts'
import { describeTemplate } from './describe-template.ts'
import { foldScheme } from './exact-uris.ts'
import { groupBy } from './group-by.ts'
import { overlap } from './overlap.ts'
import { toTemplate } from './to-template.ts'

/** What a finding is about. */
export type LintCode =
  /** The text is no template. */
  | 'syntax'
  /** Values cannot be told apart in the URIs it expands to. */
  | 'ambiguous'
  /** Two templates match the same URI. */
  | 'overlap'
  /** Two templates match the same URI as clients write it that do not encode. */
  | 'tolerant-overlap'
  /** A simple variable that is named like a path: its slashes are encoded. */
  | 'path-in-simple-variable'
  /** `{+v}` lets `?` and `#` of a value through. */
  | 'reserved-lets-delimiters-through'
  /** A client needs more than level 1 of RFC 6570. */
  | 'level'
  /** A literal holds characters that no URI can. */
  | 'unencoded-literal'
  /** Templates that start with the same literal are told apart by their variables alone. */
  | 'shared-prefix'
  /** One scheme is used for names and for paths. */
  | 'scheme-of-several-families'
  /** No scheme is fixed. */
  | 'no-scheme'

/** One piece of advice. */
export interface LintFinding {
  readonly code: LintCode
  readonly severity: 'error' | 'warning' | 'advice'
  /** The templates it is about. */
  readonly templates: readonly string[]
  /** What is the matter and why it matters, in one sentence. */
  readonly reason: string
  /** What to do. */
  readonly fix: string
  /** A URI that shows it. */
  readonly uri?: string
}

const pathName = /(?:path|file|dir|directory|folder|key|tree)s?$/i

/** Takes down what is the matter with some templates. */
type Report = (
  code: LintCode,
  severity: LintFinding['severity'],
  reason: string,
  fix: string,
  uri?: string,
) => void

const spelled = (values: unknown): string => JSON.stringify(values)

function lintTemplate(template: Template, report: Report): void {
  const { source, nodes } = template
  const { scheme, level, expressions } = describeTemplate(template)
  if (!scheme)
    report(
      'no-scheme',
      'warning',
      'it does not start with a scheme, so that it can match the URIs of any other template',
      'start it with a scheme of its own',
    )
  const texts = expressions.map(({ text }) => text)
  const rest = [...texts]
  const encoded = nodes.map((node) => (node.type === 'literal' ? node.encoded : rest.shift())).join('')
  if (encoded !== source)
    report(
      'unencoded-literal',
      'advice',
      'a literal holds characters that are percent-encoded in every URI it expands to',
      `write ${encoded}`,
      encoded,
    )
  for (const [at, { text, operator, variables }] of expressions.entries()) {
    const name = variables[0]!
    if (text === `{${name}}` && pathName.test(name))
      report(
        'path-in-simple-variable',
        'warning',
        `${text} encodes every "/" of its value, which clients that substitute instead of expanding do not`,
        `for a path write {+${name}} or {/${name}*}; for one name keep ${text}`,
        expandTemplate(template, { [name]: 'a/b' }),
      )
    if (operator !== '+') continue
    const follows = expressions.slice(at).some((next) => /[?#]/.test(next.operator))
    report(
      'reserved-lets-delimiters-through',
      follows ? 'warning' : 'advice',
      `${text} keeps "?" and "#" of a value as they are, so that what follows them is read as ${follows ? 'the query or fragment of this very template' : 'query or fragment'}`,
      `write {/${name}*} where the value is a path: it encodes them in every segment`,
    )
  }
  const ambiguity = findAmbiguity(template)
  if (ambiguity === 'undecided')
    report(
      'ambiguous',
      'warning',
      'it could not be decided whether its values can be told apart',
      'use every variable once',
    )
  else if (ambiguity) {
    const { uri, first, second } = ambiguity
    const [one, other] = template.variables.filter((name) => spelled(first[name]) !== spelled(second[name]))
    report(
      'ambiguous',
      'warning',
      `${spelled(first)} and ${spelled(second)} expand to the same URI`,
      // Two texts of one variable can only differ in what is cut off.
      !other && typeof first[one!] === 'string'
        ? `write {${one}} in full`
        : 'make them one, or put ":" between them and write {/v*} or {v} for {+v} and {.v*}',
      uri,
    )
  }
  if (level > 1)
    report(
      'level',
      'advice',
      `expanding ${texts.filter((text) => !/^\{[\w.%]+\}$/.test(text)).join(' ')} takes level ${level} of RFC 6570; clients with less send something else or fail`,
      'list the resources as well where they are few, and look at the metrics for templates that are never hit',
    )
}

function lintPair(first: Template, second: Template, report: Report): void {
  const strict = overlap(first, second)
  const found = strict ?? overlap(first, second, { mode: 'tolerant' })
  if (!found) return
  const decided = found === 'undecided' ? undefined : found
  const readings = decided
    ? `both match ${decided.uri}: ${spelled(decided.first.values)} or ${spelled(decided.second.values)}`
    : 'it could not be decided whether some URI is matched by both'
  report(
    strict ? 'overlap' : 'tolerant-overlap',
    'warning',
    readings + (strict ? '' : ', where clients do not encode'),
    'give one of them a literal prefix or a scheme of its own',
    decided?.uri,
  )
}

const prefixOf = ({ nodes: [node] }: Template): string =>
  node?.type === 'literal' ? foldScheme(canonicalText(node.encoded)) : ''

/**
 * Advice on a set of templates, each finding with the reason and the fix; never throws for a text that is no template,
 * which is a finding of its own.
 *
 * @throws {MatchLimitError} where a comparison takes more steps than the default limit
 */
export function lintTemplates(templates: readonly (Template | string)[]): LintFinding[] {
  const parsed: Template[] = []
  const findings: LintFinding[] = []
  const about =
    (...members: readonly { readonly source: string }[]): Report =>
    (code, severity, reason, fix, uri) => {
      const sources = members.map(({ source }) => source)
      findings.push({ code, severity, templates: sources, reason, fix, ...(uri !== undefined && { uri }) })
    }
  for (const template of templates) {
    try {
      parsed.push(toTemplate(template))
    } catch (error) {
      // Only a text can be no template.
      const source = template as string
      about({ source })('syntax', 'error', (error as Error).message, 'write it as RFC 6570 has it')
    }
  }
  for (const template of parsed) lintTemplate(template, about(template))
  for (const [at, first] of parsed.entries())
    for (const second of parsed.slice(at + 1)) lintPair(first, second, about(first, second))
  for (const [prefix, members] of groupBy(parsed, prefixOf))
    if (prefix && members.length > 1)
      about(...members)(
        'shared-prefix',
        'advice',
        `all start with ${prefix} and then a variable, so that only what follows tells them apart`,
        'put the literal that tells them apart before the first variable',
      )
  for (const [scheme, members] of groupBy(parsed, (template) =>
    describeTemplate(template).scheme?.toLowerCase(),
  ))
    if (scheme && new Set(members.flatMap((member) => describeTemplate(member).form ?? [])).size > 1)
      about(...members)(
        'scheme-of-several-families',
        'advice',
        `${scheme} is used for names and for paths, in which "/" means different things`,
        'give each family of resources a scheme of its own',
      )
  return findings
}
