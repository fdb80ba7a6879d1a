import type { Channel } from './approval.ts'
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
  /** Grows with each changed policy; what a person confirms is one revision. */
  readonly revision: number
  /** What waits for a person; empty where it was applied. */
  readonly widenings: readonly Widening[]
}

/** A person's word for a policy that was shown. */
export interface Confirmation {
  readonly channel: Channel
  readonly who: string
  /** The revision that was shown: a later one was not seen. */
  readonly revision: number
}

/** What became of a confirmation. */
export type ConfirmResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: 'channel-may-not-grant' | 'changed-since'; readonly message: string }

/** One policy, or several of which the strictest verdict holds. */
export interface PoliciesInForce {
  decide(call: Call): Decision
  policies(): readonly Policy[]
  /** Profiles that every policy in force marks. */
  elicitation(): readonly string[]
  reload(next: Policy): Reload
  /** `undefined` where the newest policy holds alone. */
  waiting(): Reload | undefined
  confirm(word: Confirmation): ConfirmResult
}

/**
 * Starts with one policy. A changed one replaces each that it is nowhere wider than; the others stay in force beside
 * it, so that nothing a file says lets more through before a person has confirmed it, going back included.
 */
export function createPoliciesInForce(policy: Policy): PoliciesInForce {
  let force: readonly Decider[] = [createDecider(policy)]
  let revision = 0

  const newest = (): Decider => force[force.length - 1] as Decider
  const widenings = (): readonly Widening[] => {
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
      revision += 1
      return { state: held.length === 0 ? 'applied' : 'narrowed', revision, widenings: widenings() }
    },
    waiting: () => (force.length === 1 ? undefined : { state: 'narrowed', revision, widenings: widenings() }),
    confirm({ channel, revision: shown }) {
      if (!isPerson(channel)) {
        return {
          ok: false,
          code: 'channel-may-not-grant',
          message: 'only a person may widen what is allowed',
        }
      }
      if (shown !== revision) {
        return {
          ok: false,
          code: 'changed-since',
          message: 'the policy changed after it was shown; look at it again',
        }
      }
      force = [newest()]
      return { ok: true }
    },
  }
}
