import { expandTemplate, type Template, type TemplateSyntaxError } from '@truename/uri-codec'
import { findAmbiguity } from './ambiguity.ts'
import { describeTemplate } from './describe-template.ts'
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
  /** `{+v}` and `{#v}` let `?` and `#` of a value through. */
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

type Finder = (template: Template) => LintFinding[]

const about = (
  template: Template,
  code: LintCode,
  severity: LintFinding['severity'],
  reason: string,
  fix: string,
  uri?: string,
): LintFinding => ({
  code,
  severity,
  templates: [template.source],
  reason,
  fix,
  ...(uri !== undefined && { uri }),
})

const findPathVariables: Finder = (template) =>
  describeTemplate(template).expressions.flatMap(({ text, operator, variables: [name] }) => {
    if (operator !== '' || text !== `{${name}}` || !pathName.test(name!)) return []
    const uri = expandTemplate(template, { [name!]: 'a/b' })
    return [
      about(
        template,
        'path-in-simple-variable',
        'warning',
        `${text} encodes every "/" of its value, which clients that substitute instead of expanding do not`,
        `for a path write {+${name}} or {/${name}*}; for one name keep ${text}`,
        uri,
      ),
    ]
  })

const findReserved: Finder = (template) => {
  const { expressions } = describeTemplate(template)
  return expressions.flatMap(({ text, operator, variables: [name] }, at) => {
    if (operator !== '+') return []
    const follows = expressions.slice(at + 1).some((next) => next.operator === '?' || next.operator === '#')
    return [
      about(
        template,
        'reserved-lets-delimiters-through',
        follows ? 'warning' : 'advice',
        `${text} keeps "?" and "#" of a value as they are, so that what follows them is read as ${follows ? 'the query or fragment of this very template' : 'query or fragment'}`,
        `write {/${name}*} where the value is a path: it encodes them in every segment`,
      ),
    ]
  })
}

const findLevel: Finder = (template) => {
  const { level, expressions } = describeTemplate(template)
  if (level === 1) return []
  const beyond = expressions
    .filter(({ text, variables: [name] }) => text !== `{${name}}`)
    .map(({ text }) => text)
  return [
    about(
      template,
      'level',
      'advice',
      `expanding ${beyond.join(' ')} takes level ${level} of RFC 6570; clients with less send something else or fail`,
      'list the resources as well where they are few, and look at the metrics for templates that are never hit',
    ),
  ]
}

const findLiterals: Finder = (template) => {
  const unencoded = template.nodes.filter((node) => node.type === 'literal' && node.text !== node.encoded)
  if (unencoded.length === 0) return []
  const encoded = template.nodes
    .map((node, at) => {
      if (node.type === 'literal') return node.encoded
      const next = template.nodes[at + 1]
      return template.source.slice(node.index, next?.index)
    })
    .join('')
  return [
    about(
      template,
      'unencoded-literal',
      'advice',
      'a literal holds characters that are percent-encoded in every URI it expands to',
      `write ${encoded}`,
      encoded,
    ),
  ]
}

const findScheme: Finder = (template) =>
  describeTemplate(template).scheme === undefined
    ? [
        about(
          template,
          'no-scheme',
          'warning',
          'it does not start with a scheme, so that it can match the URIs of any other template',
          'start it with a scheme of its own',
        ),
      ]
    : []

const findAmbiguous: Finder = (template) => {
  const found = findAmbiguity(template)
  if (found === undefined) return []
  const proof =
    found === 'undecided'
      ? 'it could not be decided whether its values can be told apart'
      : `${JSON.stringify(found.first)} and ${JSON.stringify(found.second)} expand to the same URI`
  return [
    about(
      template,
      'ambiguous',
      'warning',
      proof,
      'put a literal between its expressions that no value can hold, or make them one',
      found === 'undecided' ? undefined : found.uri,
    ),
  ]
}

const finders: readonly Finder[] = [
  findScheme,
  findLiterals,
  findPathVariables,
  findReserved,
  findAmbiguous,
  findLevel,
]

function comparePair(first: Template, second: Template): LintFinding[] {
  const templates = [first.source, second.source]
  const strict = overlap(first, second)
  const found = strict ?? overlap(first, second, { mode: 'tolerant' })
  if (found === undefined) return []
  const uri = found === 'undecided' ? undefined : found.uri
  const readings =
    found === 'undecided'
      ? 'it could not be decided whether some URI is matched by both'
      : `both match ${found.uri}: ${JSON.stringify(found.first.values)} or ${JSON.stringify(found.second.values)}`
  return [
    {
      code: strict === undefined ? 'tolerant-overlap' : 'overlap',
      severity: 'warning',
      templates,
      reason: strict === undefined ? `${readings}, where clients do not encode` : readings,
      fix: 'give one of them a literal prefix or a scheme of its own',
      ...(uri !== undefined && { uri }),
    },
  ]
}

const prefixOf = ({ nodes: [node] }: Template): string => (node?.type === 'literal' ? node.encoded : '')

/** Templates by what `of` says of each, where more than one is the same. */
function groups(
  templates: readonly Template[],
  of: (template: Template) => string | undefined,
): [string, Template[]][] {
  const found = new Map<string, Template[]>()
  for (const template of templates) {
    const key = of(template)
    if (key !== undefined && key !== '') found.set(key, [...(found.get(key) ?? []), template])
  }
  return [...found].filter(([, members]) => members.length > 1)
}

function findGroups(templates: readonly Template[]): LintFinding[] {
  const prefixes = groups(templates, prefixOf).map(
    ([prefix, members]): LintFinding => ({
      code: 'shared-prefix',
      severity: 'advice',
      templates: members.map(({ source }) => source),
      reason: `all start with ${prefix} and then a variable, so that only what follows tells them apart`,
      fix: 'put the literal that tells them apart before the first variable',
    }),
  )
  const schemes = groups(templates, (template) => describeTemplate(template).scheme).flatMap(
    ([scheme, members]): LintFinding[] => {
      const forms = new Set(members.flatMap((member) => describeTemplate(member).form ?? []))
      if (forms.size < 2) return []
      return [
        {
          code: 'scheme-of-several-families',
          severity: 'advice',
          templates: members.map(({ source }) => source),
          reason: `${scheme} is used for names and for paths, in which "/" means different things`,
          fix: 'give each family of resources a scheme of its own',
        },
      ]
    },
  )
  return [...prefixes, ...schemes]
}

/**
 * Advice on a set of templates, each finding with the reason and the fix; never throws for a text that is no template,
 * which is a finding of its own.
 *
 * @throws {MatchLimitError} where a comparison takes more steps than the default limit
 */
export function lintTemplates(templates: readonly (Template | string)[]): LintFinding[] {
  const parsed: Template[] = []
  const findings: LintFinding[] = []
  for (const template of templates) {
    try {
      parsed.push(toTemplate(template))
    } catch (error) {
      const { source, message } = error as TemplateSyntaxError
      const named = typeof template === 'string' ? template : (source ?? '')
      findings.push({
        code: 'syntax',
        severity: 'error',
        templates: [named],
        reason: message,
        fix: 'write it as RFC 6570 has it',
      })
    }
  }
  for (const template of parsed) for (const find of finders) findings.push(...find(template))
  for (const [at, first] of parsed.entries())
    for (const second of parsed.slice(at + 1)) findings.push(...comparePair(first, second))
  return [...findings, ...findGroups(parsed)]
}
