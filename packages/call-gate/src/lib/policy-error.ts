import type { Key } from '@truename/tool-registry/identity'
import type { Position } from './policy.ts'
import { showLine } from './show.ts'

/** One thing wrong with a policy: what, where, and what to write instead where that is known. */
export interface PolicyProblem {
  /**
   * `syntax`: not JSON with comments. `shape`: a member missing, unknown or of the wrong type.
   * `missing-server`: a rule that does not say whose tool it means. `duplicate-member`: a name twice in one object.
   */
  readonly code: 'syntax' | 'shape' | 'missing-server' | 'duplicate-member'
  readonly message: string
  /** The place in the document, such as `rules[3].decision`; empty for the whole. */
  readonly path: string
  /** Known where the policy was given as text. */
  readonly position?: Position | undefined
  /** For `missing-server`: the known pairs the rule could have meant. */
  readonly candidates?: readonly Key[] | undefined
  /** For `missing-server`: rules to write instead, as JSON, one for each candidate. */
  readonly rewrite?: readonly string[] | undefined
}

const line = (problem: PolicyProblem, source: string): string => {
  const { position } = problem
  const where = position ? `${source}:${position.line}:${position.column}` : source
  const path = problem.path === '' ? '' : ` ${problem.path}:`
  const rewrite = (problem.rewrite ?? []).map((rule) => `\n    ${rule}`).join('')
  return `${where}:${showLine(path)} ${showLine(problem.message)}${rewrite}`
}

/** A policy that cannot be used, with everything that is wrong with it. None of its rules is in force. */
export class PolicyError extends Error {
  readonly code = 'invalid-policy'
  readonly problems: readonly PolicyProblem[]

  constructor(problems: readonly PolicyProblem[], source = 'policy') {
    super(problems.map((problem) => line(problem, source)).join('\n'))
    this.name = 'PolicyError'
    this.problems = problems
  }
}
