import type { Key } from '@truename/tool-registry/identity'
import { globMatches } from './glob.ts'
import { plainUri } from './plain-uri.ts'
import type { Policy, Rule } from './policy.ts'
import { contains, regionOf } from './region.ts'
import { showLine } from './show.ts'
import { showRule } from './show-rule.ts'
import type { Verdict } from './verdict.ts'

/** Something a person should know about a policy before relying on it. */
export interface PolicyFinding {
  /**
   * `matches-nothing`: no pair falls under the rule. `unreachable`: earlier rules take every call. `left-to-default`:
   * no rule speaks of this pair in every case. `crosses-servers`: a wildcard takes in several servers.
   * `odd-spelling`: a URI that is also looked at in another spelling.
   */
  readonly code: 'matches-nothing' | 'unreachable' | 'left-to-default' | 'crosses-servers' | 'odd-spelling'
  /** `error` where a rule that denies does nothing. */
  readonly severity: 'error' | 'warning' | 'info'
  readonly message: string
  /** The rule it is about; absent for `left-to-default` and for patterns of denials. */
  readonly rule?: Rule | undefined
  /** The pairs it is about. */
  readonly keys: readonly Key[]
  /** For `left-to-default`: what happens there. */
  readonly verdict?: Verdict | undefined
  /** For `matches-nothing`: pairs whose names are spelled almost so. */
  readonly similar?: readonly Key[] | undefined
}

const matches = (rule: Rule, key: Key): boolean =>
  rule.kind === key.kind && globMatches(rule.server, key.server) && globMatches(rule.name, key.name)

/** A rule that takes every call of the pairs it matches. */
const isPlain = (rule: Rule): boolean => rule.when.length === 0 && rule.profiles === undefined

const show = ({ server, name }: Key): string => showLine(`${server}/${name}`)
const named = (rule: Rule): string => `${rule.label} (${showRule(rule)})`

/** What is left when case and the usual separators are forgotten; for suggestions only. */
const blurred = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const similarTo = (rule: Rule, keys: readonly Key[]): readonly Key[] => {
  const meant = blurred(rule.server.source + rule.name.source)
  return keys.filter((key) => key.kind === rule.kind && blurred(key.server + key.name) === meant)
}

/** Whether a listed template could make the URI: their texts agree up to its first expression. */
const mayComeFrom = (rule: Rule, keys: readonly Key[]): boolean =>
  rule.kind === 'resource' &&
  keys.some((key) => {
    const brace = key.name.indexOf('{')
    if (key.kind !== 'resource' || brace < 0 || !globMatches(rule.server, key.server)) return false
    const fixed = key.name.slice(0, brace)
    const first = rule.name.parts[0] as string
    return first.startsWith(fixed) || (!rule.name.exact && fixed.startsWith(first))
  })

function checkMatches(rule: Rule, matched: readonly Key[], keys: readonly Key[]): PolicyFinding[] {
  const servers = [...new Set(matched.map((key) => key.server))]
  if (matched.length > 0) {
    if (rule.server.exact || servers.length < 2) return []
    const message = `${named(rule)} takes in ${servers.length} servers: ${servers.map(showLine).join(', ')}`
    return [{ code: 'crosses-servers', severity: 'info', message, rule, keys: matched }]
  }
  if (mayComeFrom(rule, keys)) return []
  const similar = similarTo(rule, keys)
  const hint =
    similar.length > 0 ? `; names are compared exactly, did you mean ${similar.map(show).join(', ')}?` : ''
  return [
    {
      code: 'matches-nothing',
      severity: rule.decision === 'deny' ? 'error' : 'warning',
      message: `${named(rule)} matches nothing in the lock${hint}`,
      rule,
      keys: [],
      similar,
    },
  ]
}

function checkReach(rule: Rule, matched: readonly Key[], earlier: readonly Rule[]): PolicyFinding[] {
  const finding = (message: string): PolicyFinding[] => [
    {
      code: 'unreachable',
      severity: rule.decision === 'deny' ? 'error' : 'warning',
      message,
      rule,
      keys: matched,
    },
  ]
  const final = earlier.filter((one) => one.decision !== 'ask' || one.when.length === 0)
  const whole = final.find((one) => contains(regionOf(one), regionOf(rule)))
  if (whole)
    return finding(`${named(rule)} is never reached: ${named(whole)} comes first and takes all of it`)
  // A resource has URIs that no lock lists: that its templates are taken says nothing of those.
  if (rule.kind === 'resource') return []
  const before = matched.map((key) => earlier.find((one) => isPlain(one) && matches(one, key)))
  if (matched.length === 0 || before.includes(undefined)) return []
  const takers = [...new Set(before)].filter((one) => one !== undefined).map((one) => one.label)
  return finding(`${named(rule)} is never reached for the pairs of the lock: ${takers.join(', ')} come first`)
}

function checkSpelling(rule: Rule): PolicyFinding[] {
  const uri = rule.name.parts[0] as string
  if (rule.kind !== 'resource' || !rule.name.exact || uri.includes('{')) return []
  const plain = plainUri(uri)
  if (plain === uri) return []
  const message = `${named(rule)}: the gate also looks at ${showLine(plain)}, and the stricter verdict holds`
  return [{ code: 'odd-spelling', severity: 'warning', message, rule, keys: [] }]
}

/**
 * Compares a policy with the pairs of the lock: rules that match nothing, rules that can never be reached, and pairs
 * left to the default. A rule for a URI that some listed template could make is taken to match.
 */
export function checkPolicy(policy: Policy, keys: Iterable<Key>): readonly PolicyFinding[] {
  const all = [...keys]
  const findings = policy.rules.flatMap((rule, index) => {
    const matched = all.filter((key) => matches(rule, key))
    return [
      ...checkMatches(rule, matched, all),
      ...checkReach(rule, matched, policy.rules.slice(0, index)),
      ...checkSpelling(rule),
    ]
  })
  for (const [index, { server, tool }] of policy.denials.entries()) {
    const tools = all.filter((key) => key.kind === 'tool' && globMatches(server, key.server))
    if (tools.some((key) => globMatches(tool, key.name))) continue
    const message = `denials[${index}] (${showLine(`${server.source}/${tool.source}`)}) is looked for on no tool of the lock`
    findings.push({ code: 'matches-nothing', severity: 'warning', message, keys: [] })
  }
  for (const key of all) {
    const mine = policy.rules.filter((rule) => matches(rule, key))
    if (mine.some(isPlain)) continue
    const verdict = policy.defaults[key.kind]
    const partly = mine.length > 0 ? `, where ${mine.map((rule) => rule.label).join(', ')} do not apply` : ''
    findings.push({
      code: 'left-to-default',
      severity: 'info',
      message: `${key.kind} ${show(key)} is left to the default: ${verdict}${partly}`,
      keys: [key],
      verdict,
    })
  }
  return findings
}
