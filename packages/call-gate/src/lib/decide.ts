import type { Key } from '@truename/tool-registry'
import type { Call } from './call.ts'
import { holdAll } from './condition.ts'
import type { Decision } from './decision.ts'
import { plainUri } from './plain-uri.ts'
import type { Kind, Policy, Rule } from './policy.ts'
import { createRuleIndex, type RuleIndex } from './rule-index.ts'
import { fold } from './show.ts'
import { showPair } from './show-rule.ts'
import { isStricter, stricterOf } from './verdict.ts'

/** A policy made ready to decide calls. */
export interface Decider {
  readonly policy: Policy
  /** What the policy alone says; pins are not looked at. */
  byPolicy(key: Key, args: unknown, profile: string, template: string | undefined): Decision
}

const verbs = { allow: 'allows', ask: 'leaves to a person', deny: 'refuses' } as const

const describe = (rule: Rule): string =>
  showPair(rule) + (rule.when.length > 0 ? ' under its conditions' : '')

const decisionOf = (rule: Rule): Decision => ({
  verdict: rule.decision,
  rule: rule.label,
  reason: rule.reason ?? `the policy ${verbs[rule.decision]} ${describe(rule)}`,
})

const uncertain = (rule: Rule): Decision => ({
  verdict: rule.decision,
  rule: rule.label,
  reason: `${rule.label} restricts ${describe(rule)}, and an argument it looks at (${rule.when
    .map((one) => one.pointer)
    .join(', ')}) is absent or of another type`,
})

/** Merges two lists that are each in the order of the policy. */
function merged(a: readonly Rule[], b: readonly Rule[]): readonly Rule[] {
  if (b.length === 0) return a
  if (a.length === 0) return b
  return [...new Set([...a, ...b])].sort((one, other) => one.index - other.index)
}

/** Prepares a policy. Deciding allocates nothing where no rule has conditions on what is absent. */
export function createDecider(policy: Policy): Decider {
  const index: RuleIndex = createRuleIndex(policy)
  const decisions = policy.rules.map(decisionOf)
  const defaults: Readonly<Record<Kind, Decision>> = {
    tool: byDefault('tool'),
    prompt: byDefault('prompt'),
    resource: byDefault('resource'),
  }
  function byDefault(kind: Kind): Decision {
    const verdict = policy.defaults[kind]
    return {
      verdict,
      rule: `default:${kind}`,
      reason: `no rule matches; by default the policy ${verbs[verdict]} a ${kind}`,
    }
  }

  const first = (rules: readonly Rule[], kind: Kind, args: unknown, profile: string): Decision => {
    let floor: Decision | undefined
    let verdict: Decision | undefined
    for (const rule of rules) {
      if (rule.profiles && !rule.profiles.includes(profile)) continue
      const truth = rule.when.length === 0 ? 'yes' : holdAll(rule.when, args)
      if (truth === 'yes') {
        verdict = decisions[rule.index] as Decision
        break
      }
      if (truth === 'no' || rule.decision === 'allow') continue
      if (rule.decision === 'deny') return uncertain(rule)
      floor ??= uncertain(rule)
    }
    verdict ??= defaults[kind]
    return floor && isStricter(floor.verdict, verdict.verdict) ? floor : verdict
  }

  return {
    policy,
    byPolicy({ kind, server, name }, args, profile, template) {
      const rules = index.candidates(kind, server, name)
      if (kind !== 'resource') return first(rules, kind, args, profile)
      const templated = template === undefined ? [] : index.candidates(kind, server, template)
      const decision = first(merged(rules, templated), kind, args, profile)
      const plain = plainUri(name)
      if (plain === name) return decision
      const other = first(merged(index.candidates(kind, server, plain), templated), kind, args, profile)
      return stricterOf(decision, other)
    },
  }
}

/** What the pin says, before any policy: `undefined` where it stands in nobody's way. */
export function byPin({ pin }: Call): Decision | undefined {
  if (pin.state === 'approved' || pin.state === 'live') return undefined
  if (pin.state === 'held') {
    // A field may be a member that the server named.
    const [field, why] = [fold(pin.field, 200, 'field').text, fold(pin.reason, 400, 'reason').text]
    return { verdict: 'deny', rule: 'pin', reason: `held: ${field} differs from what was approved (${why})` }
  }
  if (pin.state === 'unknown')
    return { verdict: 'deny', rule: 'pin', reason: 'not in the lock: nobody approved this definition' }
  return { verdict: 'deny', rule: 'pin', reason: 'the state of the pin is not known' }
}
