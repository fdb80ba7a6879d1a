import type { Key } from '@truename/tool-registry/identity'
import type { Call } from './call.ts'
import { type Candidates, noCandidates } from './candidates.ts'
import { holdAll, type Truth } from './condition.ts'
import type { Decision } from './decision.ts'
import { plainUri } from './plain-uri.ts'
import { planFrom } from './plan.ts'
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

/** Whether a rule decides every call it is a candidate for. */
const isPlain = (rule: Rule): boolean => rule.when.length === 0 && rule.profiles === undefined

const truthOf = ({ profiles, when }: Rule, args: unknown, profile: string): Truth =>
  profiles && !profiles.includes(profile) ? 'no' : when.length === 0 ? 'yes' : holdAll(when, args)

/** Prepares a policy. Deciding allocates nothing where no rule of the pair has conditions. */
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

  const first = (candidates: Candidates, kind: Kind, args: unknown, profile: string): Decision => {
    const { rules } = candidates
    const head = rules[0]
    if (head === undefined) return defaults[kind]
    if (isPlain(head)) return decisions[head.index] as Decision
    const walk = rules.length < planFrom ? undefined : candidates.plan.walk(args, profile)
    let floor: Decision | undefined
    let verdict: Decision | undefined
    for (let place = walk?.next(0) ?? 0; place < rules.length; place = walk?.next(place + 1) ?? place + 1) {
      const rule = rules[place] as Rule
      const truth = walk ? walk.truth(place) : truthOf(rule, args, profile)
      if (truth === 'yes') {
        verdict = decisions[rule.index] as Decision
        break
      }
      if (truth === 'no' || rule.decision === 'allow') continue
      if (rule.decision === 'deny') return uncertain(rule)
      floor ??= uncertain(rule)
      walk?.skipUndecidedAsks()
    }
    verdict ??= defaults[kind]
    return floor && isStricter(floor.verdict, verdict.verdict) ? floor : verdict
  }

  return {
    policy,
    byPolicy({ kind, server, name }, args, profile, template) {
      const rules = index.candidates(kind, server, name)
      if (kind !== 'resource') return first(rules, kind, args, profile)
      const templated = template === undefined ? noCandidates : index.candidates(kind, server, template)
      const decision = first(rules.and(templated), kind, args, profile)
      const plain = plainUri(name)
      if (plain === name) return decision
      const other = first(index.candidates(kind, server, plain).and(templated), kind, args, profile)
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
