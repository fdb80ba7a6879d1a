import type { Template } from '@truename/uri-codec'

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

/** @throws {MatchLimitError} beyond the limit */
function check(code: MatchLimitCode, limit: number, actual: number): void {
  if (actual > limit) throw new MatchLimitError(code, limit, actual)
}

/** Counts steps, and refuses to go on past the limit. */
export function stepCounter(limit: number): (count?: number) => void {
  let done = 0
  return (count = 1) => {
    done += count
    check('too-many-steps', limit, done)
  }
}

/** @throws {MatchLimitError} where the URI is longer than the limits allow */
export const checkUri = (uri: string, limits: MatchLimits | undefined): void =>
  check('uri-too-long', limits?.uriLength ?? defaultLimits.uriLength, uri.length)

/** @throws {MatchLimitError} where the template has more expressions than the limits allow */
export function checkExpressions({ nodes }: Template, limits: MatchLimits | undefined): void {
  const most = limits?.expressions ?? defaultLimits.expressions
  if (nodes.length > most)
    check('too-many-expressions', most, nodes.filter(({ type }) => type === 'expression').length)
}
