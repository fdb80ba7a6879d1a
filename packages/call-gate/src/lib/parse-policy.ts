import type { Key } from '@truename/tool-registry/identity'
import type { z } from 'zod'
import type { Comparison, Condition } from './condition.ts'
import { type Path, readDocument, showPath, valueDocument } from './document.ts'
import { type Glob, readGlob } from './glob.ts'
import { parsePointer } from './json-pointer.ts'
import { type Kind, type Policy, type Position, type Rule, usualDefaults } from './policy.ts'
import { PolicyError, type PolicyProblem } from './policy-error.ts'
import { type ConditionSource, comparisons, policySchema, type RuleSource } from './policy-schema.ts'
import { rewriteRule } from './rewrite-rule.ts'

/** How a policy is read. */
export interface ParsePolicyOptions {
  /** The pairs of the lock; with them, a rule without a server is answered with the pairs it could mean. */
  readonly keys?: Iterable<Key> | undefined
  /** What to call the document in errors; usual: `policy`. */
  readonly source?: string | undefined
  /** Where the policy stands in a larger document given as text, such as `['truename', 'policy']`. */
  readonly at?: Path | undefined
}

const kinds: readonly Kind[] = ['tool', 'prompt', 'resource']

/** Collects problems while the checked document is turned into a policy. */
interface Reader {
  readonly position: (path: Path) => Position | undefined
  readonly report: (path: Path, message: string) => void
  readonly glob: (path: Path, source: string, template?: boolean) => Glob
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readCondition(source: ConditionSource, path: Path, reader: Reader): Condition | undefined {
  const tokens = parsePointer(source.pointer)
  if (!tokens) {
    reader.report(
      [...path, 'pointer'],
      'is not a JSON Pointer (RFC 6901): it starts with / and escapes ~ as ~0, / as ~1',
    )
    return undefined
  }
  const present = comparisons.filter((one) => source[one] !== undefined)
  const [is] = present
  if (is === undefined || present.length > 1) {
    reader.report(
      path,
      `takes exactly one comparison of ${comparisons.join(', ')}; write one condition for each`,
    )
    return undefined
  }
  const comparison = readComparison(is, source, [...path, is], reader)
  return {
    pointer: source.pointer,
    tokens,
    comparison,
    text: JSON.stringify([source.pointer, is, sorted(source[is])]),
  }
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : isObject(value)
      ? Object.keys(value)
          .sort()
          .map((key) => [key, sorted(value[key])])
      : value

function readComparison(
  is: (typeof comparisons)[number],
  source: ConditionSource,
  path: Path,
  reader: Reader,
): Comparison {
  if (is === 'equals' || is === 'notEquals') return { is, value: source[is] }
  if (is === 'in' || is === 'notIn') return { is, values: source[is] ?? [] }
  if (is === 'like' || is === 'notLike') return { is, glob: reader.glob(path, source[is] ?? '') }
  if (is === 'under') return { is, folder: source.under ?? '' }
  if (is === 'exists') return { is, expected: source.exists === true }
  return { is, bound: source[is] ?? Number.NaN }
}

function readRule(source: RuleSource, index: number, path: Path, reader: Reader): Rule | undefined {
  const named = kinds.filter((kind) => source[kind] !== undefined)
  const [kind] = named
  if (kind === undefined || named.length > 1) {
    reader.report(path, 'names exactly one of tool, prompt and resource')
    return undefined
  }
  const when = (source.when ?? []).map((one, at) => readCondition(one, [...path, 'when', at], reader))
  return {
    index,
    label: `rules[${index}]`,
    server: reader.glob([...path, 'server'], source.server),
    kind,
    name: reader.glob([...path, kind], source[kind] ?? '', kind === 'resource'),
    decision: source.decision,
    when: when.filter((one) => one !== undefined),
    profiles: typeof source.profile === 'string' ? [source.profile] : source.profile,
    reason: source.reason,
    position: reader.position(path),
  }
}

const explain = (issue: z.core.$ZodIssue): string => {
  if (issue.code !== 'unrecognized_keys') return issue.message
  const names = issue.keys.map((key) => JSON.stringify(key)).join(', ')
  return `has a member it cannot have: ${names} (a rule with a misspelt condition would match more than was meant)`
}

/**
 * Reads a policy: a list of rules, or an object with `rules`, `defaults`, `elicitation` and `denials`.
 *
 * @param input the value, or a text in JSON with comments (then every error has its line and column)
 * @throws {PolicyError} with everything that is wrong; a rule without a server comes with the pairs it could mean
 */
export function parsePolicy(input: unknown, options: ParsePolicyOptions = {}): Policy {
  const document = typeof input === 'string' ? readDocument(input, options.at ?? []) : valueDocument(input)
  const problems: PolicyProblem[] = [...document.problems]
  const finish = (): never => {
    throw new PolicyError(problems, options.source)
  }
  if (problems.length > 0) return finish()

  const listed = Array.isArray(document.value)
  const inDocument = (path: Path): Path => (listed && path[0] === 'rules' ? path.slice(1) : path)
  const source: unknown = listed ? { rules: document.value } : document.value
  const add = (path: Path, problem: Omit<PolicyProblem, 'path' | 'position'>): void => {
    problems.push({ ...problem, path: showPath(path), position: document.position(inDocument(path)) })
  }

  const withoutServer = new Set<number>()
  const written: unknown = isObject(source) ? source.rules : undefined
  for (const [index, rule] of Array.isArray(written) ? written.entries() : []) {
    if (typeof rule !== 'string' && !(isObject(rule) && rule.server === undefined)) continue
    withoutServer.add(index)
    add(['rules', index], { code: 'missing-server', ...rewriteRule(rule, [...(options.keys ?? [])]) })
  }

  const checked = policySchema.safeParse(source)
  if (!checked.success) {
    for (const issue of checked.error.issues) {
      const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))
      if (path[0] === 'rules' && withoutServer.has(Number(path[1]))) continue
      add(path, { code: 'shape', message: explain(issue) })
    }
    return finish()
  }

  const reader: Reader = {
    position: (path) => document.position(inDocument(path)),
    report: (path, message) => add(path, { code: 'shape', message }),
    glob: (path, text, template = false) => {
      const glob = readGlob(text, { template })
      if ('parts' in glob) return glob
      add(path, {
        code: 'shape',
        message: `has a backslash at ${glob.index} that stands before neither * nor \\`,
      })
      return { source: text, exact: true, parts: [text] }
    },
  }
  const rules = checked.data.rules.map((rule, index) => readRule(rule, index, ['rules', index], reader))
  const denials = (checked.data.denials ?? []).map((denial, index) => ({
    server: reader.glob(['denials', index, 'server'], denial.server),
    tool: reader.glob(['denials', index, 'tool'], denial.tool ?? '*'),
    text: reader.glob(['denials', index, 'text'], denial.text.trim().toLowerCase()),
  }))
  if (problems.length > 0) return finish()
  const { defaults } = checked.data
  return {
    rules: rules.filter((rule) => rule !== undefined),
    defaults: {
      tool: defaults?.tool ?? usualDefaults.tool,
      prompt: defaults?.prompt ?? usualDefaults.prompt,
      resource: defaults?.resource ?? usualDefaults.resource,
    },
    elicitation: checked.data.elicitation ?? [],
    denials,
  }
}
