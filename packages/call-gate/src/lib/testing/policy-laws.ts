import fc from 'fast-check'
import type { Call } from '../call.ts'
import { checkPolicy } from '../check-policy.ts'
import { comparePolicies } from '../compare-policies.ts'
import { createDecider, type Decider } from '../decide.ts'
import { parsePolicy } from '../parse-policy.ts'
import { isStricter, type Verdict } from '../verdict.ts'
import { arbitraryEdit, everyCall } from './arbitrary-policy.ts'

const worlds = { tool: everyCall('tool'), prompt: everyCall('prompt'), resource: everyCall('resource') }

const verdict = (decider: Decider, { key, args, caller, template }: Call): Verdict =>
  decider.byPolicy(key, args, caller.profile, template).verdict

/** Where the comparison of two policies finds nothing wider, no call of the world passes more easily. Gives how often. */
export function holdNothingWider(runs: number): number {
  let narrower = 0
  fc.assert(
    fc.property(arbitraryEdit, ({ kind, before, after }) => {
      const [was, is] = [createDecider(parsePolicy(before)), createDecider(parsePolicy(after))]
      if (comparePolicies(was.policy, is.policy).length > 0) return
      narrower += 1
      for (const call of worlds[kind]) {
        const [old, now] = [verdict(was, call), verdict(is, call)]
        if (isStricter(old, now)) throw new Error(`${old} became ${now}: ${JSON.stringify(call)}`)
      }
    }),
    { numRuns: runs },
  )
  return narrower
}

/** A rule that is called unreachable can be left out, and no call of the world is decided otherwise. Gives how often. */
export function holdUnreachable(runs: number): number {
  let unreachable = 0
  fc.assert(
    fc.property(arbitraryEdit, ({ kind, before }) => {
      const whole = createDecider(parsePolicy(before))
      for (const { code, rule } of checkPolicy(whole.policy, [])) {
        if (code !== 'unreachable' || !rule) continue
        unreachable += 1
        const rest = createDecider(parsePolicy({ ...before, rules: before.rules.toSpliced(rule.index, 1) }))
        for (const call of worlds[kind]) {
          if (verdict(whole, call) !== verdict(rest, call)) throw new Error(JSON.stringify({ rule, call }))
        }
      }
    }),
    { numRuns: runs },
  )
  return unreachable
}
