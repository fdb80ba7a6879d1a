import type { Answer } from './approval.ts'
import type { Call } from './call.ts'
import { isPerson } from './channel.ts'
import { comparePolicies, type Widening } from './compare-policies.ts'
import { createDecider, type Decider } from './decide.ts'
import type { Decision } from './decision.ts'
import type { Policy } from './policy.ts'
import { stricterOf } from './verdict.ts'

/** What became of a changed policy. */
export interface Reload {
  /** `applied`: it is in force as it stands. `narrowed`: only where it is stricter, until a person confirms. */
  readonly state: 'applied' | 'narrowed'
  /** What waits for a person; empty where it was applied. */
  readonly widenings: readonly Widening[]
}

/** One policy, or several of which the strictest verdict holds. */
export interface PoliciesInForce {
  decide(call: Call): Decision
  policies(): readonly Policy[]
  /** Profiles that every policy in force marks. */
  elicitation(): readonly string[]
  reload(next: Policy): Reload
  waiting(): readonly Widening[]
  confirm(by: Pick<Answer, 'channel' | 'who'>): boolean
}

/**
 * Starts with one policy. A changed one replaces each that it is nowhere wider than; the others stay in force beside
 * it, so that nothing a file says lets more through before a person has confirmed it, going back included.
 */
export function createPoliciesInForce(policy: Policy): PoliciesInForce {
  let force: readonly Decider[] = [createDecider(policy)]

  const newest = (): Decider => force[force.length - 1] as Decider
  const waiting = (): readonly Widening[] => {
    const latest = newest()
    return force.filter((one) => one !== latest).flatMap((one) => comparePolicies(one.policy, latest.policy))
  }

  return {
    decide({ key, args, caller, template }) {
      let strictest = (force[0] as Decider).byPolicy(key, args, caller.profile, template)
      for (let index = 1; index < force.length; index += 1) {
        strictest = stricterOf(
          strictest,
          (force[index] as Decider).byPolicy(key, args, caller.profile, template),
        )
      }
      return strictest
    },
    policies: () => force.map((one) => one.policy),
    elicitation: () =>
      newest().policy.elicitation.filter((profile) =>
        force.every((one) => one.policy.elicitation.includes(profile)),
      ),
    reload(next) {
      const held = force.filter((one) => comparePolicies(one.policy, next).length > 0)
      force = [...held, createDecider(next)]
      const widenings = waiting()
      return { state: held.length === 0 ? 'applied' : 'narrowed', widenings }
    },
    waiting,
    confirm({ channel }) {
      if (!isPerson(channel)) return false
      force = [newest()]
      return true
    },
  }
}
