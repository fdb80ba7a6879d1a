/** How to watch a resource that cannot be subscribed to. Declared by the caller: there is no default. */
export interface WatchPolicy {
  /** Milliseconds between two readings, before backoff and jitter. */
  readonly intervalMs: number
  /** At most this much is added to each delay, as a part of it: 0.2 is up to a fifth more. Default 0.1; more than 0. */
  readonly jitter?: number | undefined
  /** The factor for each reading in a row that failed or found nothing new. Default 2; 1 or more. */
  readonly backoff?: number | undefined
  /** Milliseconds; backoff does not go beyond. Default 32 times the interval. */
  readonly maxIntervalMs?: number | undefined
  /** Failed readings in a row after which watching ends. Default 10. */
  readonly giveUpAfter?: number | undefined
}

/** Caller misuse: a polling policy that is none. */
export class WatchPolicyError extends Error {
  override readonly name = 'WatchPolicyError'
  readonly code = 'bad-policy'
  readonly member: string
  readonly value: unknown

  constructor(member: string, rule: string, value: unknown) {
    super(`policy.${member} must be ${rule}, got ${String(value)}`)
    this.member = member
    this.value = value
  }
}

/** A policy with every member given. */
export type FullWatchPolicy = { readonly [Member in keyof WatchPolicy]-?: number }

/** Fills in a policy's defaults. @throws WatchPolicyError */
export function checkPolicy(policy: WatchPolicy): FullWatchPolicy {
  const check = (
    member: keyof WatchPolicy,
    fallback: number,
    holds: (value: number) => boolean,
    rule: string,
  ) => {
    const value = policy[member] ?? fallback
    if (typeof value !== 'number' || !Number.isFinite(value) || !holds(value))
      throw new WatchPolicyError(member, rule, value)
    return value
  }
  const intervalMs = check('intervalMs', Number.NaN, (value) => value > 0, 'a number of milliseconds above 0')
  return {
    intervalMs,
    jitter: check('jitter', 0.1, (value) => value > 0 && value <= 1, 'above 0 and at most 1'),
    backoff: check('backoff', 2, (value) => value >= 1, '1 or more'),
    maxIntervalMs: check(
      'maxIntervalMs',
      intervalMs * 32,
      (value) => value >= intervalMs,
      'at least intervalMs',
    ),
    giveUpAfter: check(
      'giveUpAfter',
      10,
      (value) => Number.isInteger(value) && value >= 1,
      'a whole number of 1 or more',
    ),
  }
}

/**
 * Milliseconds until the next reading: the interval with backoff, never before what was read expires (`ttlMs`), and
 * jitter on top (2026-07-28, §Caching: polling uses jitter and backoff).
 */
export function delayAfter(
  policy: FullWatchPolicy,
  quiet: number,
  ttlMs: number,
  random: () => number,
): number {
  const grown = Math.min(policy.maxIntervalMs, policy.intervalMs * policy.backoff ** quiet)
  const base = Math.max(grown, ttlMs)
  return Math.round(base * (1 + policy.jitter * Math.min(1, Math.max(0, random()))))
}
