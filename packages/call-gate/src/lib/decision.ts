import type { Verdict } from './verdict.ts'

/** What was decided of a call, by what, and why. */
export interface Decision {
  readonly verdict: Verdict
  /** `pin`, `rules[3]`, `default:tool`, `loop`, or `approval:ID`. */
  readonly rule: string
  /** One sentence in the project's own words; holds no text of a server. */
  readonly reason: string
  /** Where the loop breaker decided: how often this very call was refused lately. An agent should stop here. */
  readonly repeated?: number | undefined
}
