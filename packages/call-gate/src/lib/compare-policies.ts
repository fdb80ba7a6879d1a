import type { Kind, Policy } from './policy.ts'
import { contains, everything, meet, type Region, regionOf } from './region.ts'
import { showLine } from './show.ts'
import { showRule } from './show-rule.ts'
import { isStricter, type Verdict } from './verdict.ts'

/** A place where one policy lets more through than another. */
export interface Widening {
  /** What lets it through now: `rules[3]`, `default:tool`, or `elicitation`. */
  readonly by: string
  /** What held it before. */
  readonly before: string
  readonly from: Verdict
  readonly to: Verdict
  /** One sentence for a person. */
  readonly message: string
}

/** One step of a policy, the default included. */
interface Step {
  readonly label: string
  readonly shown: string
  readonly verdict: Verdict
  readonly region: Region
  /**
   * Whether the step decides every call of its region. A rule that asks under conditions does not: where they cannot
   * be decided, a later rule may still deny.
   */
  readonly final: boolean
}

const kinds: readonly Kind[] = ['tool', 'prompt', 'resource']

function stepsOf(policy: Policy, kind: Kind): readonly Step[] {
  const rules = policy.rules
    .filter((rule) => rule.kind === kind)
    .map((rule) => ({
      label: rule.label,
      shown: showRule(rule),
      verdict: rule.decision,
      region: regionOf(rule),
      final: rule.decision !== 'ask' || rule.when.length === 0,
    }))
  const verdict = policy.defaults[kind]
  const last = {
    label: `default:${kind}`,
    shown: `any other ${kind}`,
    verdict,
    region: everything(kind),
    final: true,
  }
  return [...rules, last]
}

const sureOf = (region: Region): Region => ({
  ...region,
  conditions: new Map([...region.conditions.keys()].map((text) => [text, true])),
})

/** Whether the calls of this region are decided by an earlier step, no laxer than `least` in any case. */
const settledBy = (earlier: readonly Step[], region: Region, least: Verdict): boolean =>
  earlier.some((step) => contains(step.region, region) && (step.final || !isStricter(least, step.verdict)))

/** The first step of `before` that held calls which `steps[at]` may now let through. */
function widenedBy(steps: readonly Step[], at: number, before: readonly Step[]): Step | undefined {
  const now = steps[at] as Step
  const mine = now.final ? now.region : sureOf(now.region)
  for (const [index, old] of before.entries()) {
    const shared = meet(mine, old.region)
    if (!shared) continue
    if (!isStricter(old.verdict, now.verdict)) {
      // What is asked about here holds for certain, so an old rule that contains it is final for it.
      if (contains(old.region, mine)) return undefined
      continue
    }
    const decidedEarlierNow = settledBy(steps.slice(0, at), shared, old.verdict)
    const decidedEarlierBefore = before
      .slice(0, index)
      .some((step) => step.final && contains(step.region, shared))
    if (!decidedEarlierNow && !decidedEarlierBefore) return old
  }
  return undefined
}

/**
 * Where `after` may let through what `before` held, for pairs that exist and pairs that may come. An empty list is
 * a proof that nothing is wider; an entry may be a false alarm where rules overlap in ways that are not followed.
 */
export function comparePolicies(before: Policy, after: Policy): readonly Widening[] {
  const found: Widening[] = []
  for (const kind of kinds) {
    const old = stepsOf(before, kind)
    const steps = stepsOf(after, kind)
    for (const [at, step] of steps.entries()) {
      if (step.verdict === 'deny') continue
      const held = widenedBy(steps, at, old)
      if (!held) continue
      found.push({
        by: step.label,
        before: held.label,
        from: held.verdict,
        to: step.verdict,
        message: `${step.shown}: ${step.verdict}, where ${held.label} (${held.shown}) said ${held.verdict}`,
      })
    }
  }
  for (const profile of after.elicitation.filter((one) => !before.elicitation.includes(one))) {
    found.push({
      by: 'elicitation',
      before: 'elicitation',
      from: 'deny',
      to: 'allow',
      message: `clients of the profile ${showLine(JSON.stringify(profile))} may answer for a person, one call at a time`,
    })
  }
  return found
}
