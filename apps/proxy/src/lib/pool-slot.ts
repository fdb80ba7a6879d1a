import { canonicalJson, type LockedServer } from '@truename/tool-registry'
import type { Acquired, PoolMember, UnavailableUpstream, VerifiedUpstream } from './upstream-pool.ts'

/**
 * An announced change is looked at this soon. Announcements that turn out to be nothing double the wait up to the
 * other bound, so that a server which announces whenever it is listed is not listed in a tight loop. The last
 * announcement is never lost, and a call made meanwhile is compared before it goes out.
 */
export const settleMs = { least: 50, most: 30_000 }

/** One server of the pool, with its connection if there is one. */
export interface Slot {
  member: PoolMember
  /** Grows when what was begun before is not to be used any more. */
  epoch: number
  generation: number
  current: VerifiedUpstream | undefined
  pending: Promise<Acquired> | undefined
  failures: number
  /** No new attempt before this moment after failures. */
  notBefore: number
  lastFailure: UnavailableUpstream | undefined
  recheck: ReturnType<typeof setTimeout> | undefined
  settleMs: number
  /** A change was announced after the last listing began. */
  announced: boolean
  /** The resources it listed last, over whatever connection. */
  resources: string | undefined
}

/** A server that was not started yet, or not since it was away. */
export const slotOf = (member: PoolMember, generation = 0): Slot => ({
  member,
  epoch: 0,
  generation,
  current: undefined,
  pending: undefined,
  failures: 0,
  notBefore: 0,
  lastFailure: undefined,
  recheck: undefined,
  settleMs: settleMs.least,
  announced: false,
  resources: undefined,
})

/** Whether a connection made for one entry is one for the other: the same server, told the same of this side. */
export const sameConnection = (one: PoolMember, other: PoolMember): boolean =>
  other.endpointProblem === undefined &&
  one.server === other.server &&
  toldOf(one.locked) === toldOf(other.locked)

const toldOf = ({ clientCapabilities }: LockedServer): string => canonicalJson(clientCapabilities)
