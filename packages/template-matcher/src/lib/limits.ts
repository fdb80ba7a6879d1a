/** How much work one match may cost. Templates and URIs of peers are input like any other. */
export interface MatchLimits {
  /** UTF-16 code units of a URI; 1,048,576 unless given. */
  readonly uriLength?: number
  /** Expressions of one template; 1,024 unless given. */
  readonly expressions?: number
  /**
   * Elementary steps of one match; 2,000,000,000 unless given. A match takes at most a fixed number of steps for each
   * variable and character; with the other limits at their defaults this one is never reached for 256 expressions
   * against 64 KiB. In a set, the memory that looking among its templates takes counts too.
   */
  readonly steps?: number
}

/** What each limit is where the caller gives none. */
export const defaultLimits: Required<MatchLimits> = {
  uriLength: 1 << 20,
  expressions: 1024,
  steps: 2_000_000_000,
}

/** Which limit was passed. */
export type MatchLimitCode = 'uri-too-long' | 'too-many-expressions' | 'too-many-steps'

/** A limit of {@link MatchLimits} was passed: there is no answer, neither a match nor a refusal. */
export class MatchLimitError extends Error {
  override readonly name = 'MatchLimitError'
  readonly code: MatchLimitCode
  readonly limit: number
  readonly actual: number

  constructor(code: MatchLimitCode, limit: number, actual: number) {
    super(`Matching: ${code.replaceAll('-', ' ')}: ${actual}, the limit is ${limit}, which can be raised`)
    this.code = code
    this.limit = limit
    this.actual = actual
  }
}
