import { createPlan, type Plan } from './plan.ts'
import type { Rule } from './policy.ts'

/** Rules that match a pair, in the order of the policy. */
export interface Candidates {
  readonly rules: readonly Rule[]
  /** How to go through them for a call. */
  readonly plan: Plan
  /** These and others together; asked again, the same list. */
  and(others: Candidates): Candidates
}

/** Makes candidates of rules that are in the order of the policy. */
export function createCandidates(rules: readonly Rule[]): Candidates {
  const together = new WeakMap<Candidates, Candidates>()
  let plan: Plan | undefined
  const own: Candidates = {
    rules,
    get plan() {
      plan ??= createPlan(rules)
      return plan
    },
    and(others) {
      if (others.rules.length === 0 || others === own) return own
      if (rules.length === 0) return others
      let both = together.get(others)
      if (both === undefined) {
        const all = new Set([...rules, ...others.rules])
        both = createCandidates([...all].sort((one, other) => one.index - other.index))
        together.set(others, both)
      }
      return both
    },
  }
  return own
}

export const noCandidates: Candidates = createCandidates([])
