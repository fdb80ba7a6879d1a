import { expandTemplate, type Template, type TemplateSyntaxError } from '@truename/uri-codec'
import { findAmbiguity } from './ambiguity.ts'
import { describeTemplate, type TemplateDescription } from './describe-template.ts'
import { overlap } from './overlap.ts'
import type { MatchedValues } from './settle.ts'
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

/** What is said of one template: severity, reason, fix, and a URI that shows it. */
type Advice = readonly [
  severity: LintFinding['severity'],
  reason: string,
  fix: string,
  uri?: string | undefined,
]

type Finder = (template: Template, about: TemplateDescription) => readonly Advice[]

const toFinding = (
  code: LintCode,
  templates: readonly Template[],
  [severity, reason, fix, uri]: Advice,
): LintFinding => ({
  code,
  severity,
  templates: templates.map(({ source }) => source),
  reason,
  fix,
  ...(uri !== undefined && { uri }),
})

const spelled = (values: MatchedValues): string => JSON.stringify(values)

/** What is looked for in each template. */
const finders: { readonly [code in LintCode]?: Finder } = {
  'no-scheme': (_, { scheme }) =>
    scheme === undefined
      ? [
          [
            'warning',
            'it does not start with a scheme, so that it can match the URIs of any other template',
            'start it with a scheme of its own',
          ],
        ]
      : [],
  'unencoded-literal': ({ source, nodes }) => {
    const encoded = nodes
      .map((node, at) =>
        node.type === 'literal' ? node.encoded : source.slice(node.index, nodes[at + 1]?.index),
      )
      .join('')
    return encoded === source
      ? []
      : [
          [
            'advice',
            'a literal holds characters that are percent-encoded in every URI it expands to',
            `write ${encoded}`,
            encoded,
          ],
        ]
  },
  'path-in-simple-variable': (template, { expressions }) =>
    expressions.flatMap(({ text, variables: [name] }): Advice[] =>
      text === `{${name}}` && pathName.test(name!)
        ? [
            [
              'warning',
              `${text} encodes every "/" of its value, which clients that substitute instead of expanding do not`,
              `for a path write {+${name}} or {/${name}*}; for one name keep ${text}`,
              expandTemplate(template, { [name!]: 'a/b' }),
            ],
          ]
        : [],
    ),
  'reserved-lets-delimiters-through': (_, { expressions }) =>
    expressions.flatMap(({ text, operator, variables: [name] }, at): Advice[] => {
      const follows = expressions.slice(at + 1).some((next) => next.operator === '?' || next.operator === '#')
      return operator === '+'
        ? [
            [
              follows ? 'warning' : 'advice',
              `${text} keeps "?" and "#" of a value as they are, so that what follows them is read as ${follows ? 'the query or fragment of this very template' : 'query or fragment'}`,
              `write {/${name}*} where the value is a path: it encodes them in every segment`,
            ],
          ]
        : []
    }),
  ambiguous: (template) => {
    const found = findAmbiguity(template)
    if (found === undefined) return []
    const decided = found === 'undecided' ? undefined : found
    return [
      [
        'warning',
        decided
          ? `${spelled(decided.first)} and ${spelled(decided.second)} expand to the same URI`
          : 'it could not be decided whether its values can be told apart',
        'put a literal between its expressions that no value can hold, or make them one',
        decided?.uri,
      ],
    ]
  },
  level: (_, { level, expressions }) => {
    const beyond = expressions.map(({ text }) => text).filter((text) => !/^\{[\w.%]+\}$/.test(text))
    return level === 1
      ? []
      : [
          [
            'advice',
            `expanding ${beyond.join(' ')} takes level ${level} of RFC 6570; clients with less send something else or fail`,
            'list the resources as well where they are few, and look at the metrics for templates that are never hit',
          ],
        ]
  },
}

function comparePair(first: Template, second: Template): LintFinding[] {
  const strict = overlap(first, second)
  const found = strict ?? overlap(first, second, { mode: 'tolerant' })
  if (found === undefined) return []
  const decided = found === 'undecided' ? undefined : found
  const readings = decided
    ? `both match ${decided.uri}: ${spelled(decided.first.values)} or ${spelled(decided.second.values)}`
    : 'it could not be decided whether some URI is matched by both'
  return [
    toFinding(
      strict ? 'overlap' : 'tolerant-overlap',
      [first, second],
      [
        'warning',
        readings + (strict ? '' : ', where clients do not encode'),
        'give one of them a literal prefix or a scheme of its own',
        decided?.uri,
      ],
    ),
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
  const prefixes = groups(templates, prefixOf).map(([prefix, members]) =>
    toFinding('shared-prefix', members, [
      'advice',
      `all start with ${prefix} and then a variable, so that only what follows tells them apart`,
      'put the literal that tells them apart before the first variable',
    ]),
  )
  const schemes = groups(templates, (template) => describeTemplate(template).scheme).flatMap(
    ([scheme, members]) =>
      new Set(members.flatMap((member) => describeTemplate(member).form ?? [])).size < 2
        ? []
        : toFinding('scheme-of-several-families', members, [
            'advice',
            `${scheme} is used for names and for paths, in which "/" means different things`,
            'give each family of resources a scheme of its own',
          ]),
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
  for (const template of parsed) {
    const about = describeTemplate(template)
    for (const [code, find] of Object.entries(finders))
      for (const advice of find(template, about))
        findings.push(toFinding(code as LintCode, [template], advice))
  }
  for (const [at, first] of parsed.entries())
    for (const second of parsed.slice(at + 1)) findings.push(...comparePair(first, second))
  return [...findings, ...findGroups(parsed)]
}
