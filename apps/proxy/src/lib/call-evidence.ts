import type { Call, Pin } from '@truename/call-gate'
import type { LogEntry } from '@truename/decision-log'
import { type Key, type LockedServer, lockedDefinition } from '@truename/tool-registry'
import type { CallServices, GuardedCall } from './guarded-call.ts'
import type { VerifiedUpstream } from './upstream-pool.ts'
import { ownsUri } from './uri-routes.ts'

/** Appends to the decision log, where there is one. */
export async function record({ log }: CallServices, entry: LogEntry): Promise<void> {
  await log?.append(entry)
}

/** What a decision on a call says whatever it is. */
export const decisionOf = ({ key, method, flat, context, args }: GuardedCall, call: string) =>
  ({
    type: 'decision',
    call,
    key,
    method,
    flat,
    caller: { profile: context.client.profile },
    arguments: (args ?? {}) as never,
    traceparent: context.trace?.traceparent,
  }) as const

/** Over which connection a call goes, and how its definition stands there. */
export const evidenceOf = (
  { upstream, verifiedAt }: VerifiedUpstream,
  pin: Pin,
  locked: LockedServer | undefined,
  key: Key,
) => ({
  connection: { generation: upstream.generation, verifiedAgoMs: Math.max(0, Date.now() - verifiedAt) },
  pin: {
    state: pin.state,
    digest: locked && lockedDefinition(locked, key)?.digest,
  },
})

/** The call as the gate sees it. */
export const callOf = (
  { key, args, template, context }: GuardedCall,
  pin: Pin,
  locked: LockedServer | undefined,
): Call => ({
  key,
  args,
  pin,
  template,
  caller: { profile: context.client.profile },
  endpoint: locked?.endpoint.fingerprint,
})

/** The pin as far as the lock alone can say. */
export const approvedPin = (locked: LockedServer | undefined, key: Key): Pin => {
  if (key.kind === 'resource') return { state: 'live' }
  const entry = locked && lockedDefinition(locked, key)
  return entry ? { state: 'approved', digest: entry.digest } : { state: 'unknown' }
}

/**
 * The pin as this connection was found. Concrete resources are data, which no lock holds, while they are where the entry
 * in force has resources.
 */
export function pinOf({ verification, locked }: VerifiedUpstream, key: Key): Pin {
  if (key.kind === 'resource') return { state: ownsUri(locked, key.name) ? 'live' : 'unknown' }
  const approval = verification.approval(key)
  if (approval.approved) return { state: 'approved', digest: approval.digest }
  if (approval.why === 'not-in-lock') return { state: 'unknown' }
  return { state: 'held', field: approval.field ?? approval.why, reason: approval.message }
}
