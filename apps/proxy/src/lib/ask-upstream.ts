import { type Outcome, type Upstream, wasNeverHad } from '@truename/mcp-link'
import type { LockedServer } from '@truename/tool-registry'
import type { UnavailableUpstream, UpstreamPool } from './upstream-pool.ts'

/**
 * Asks a server for something that no decision is needed for, over a connection that was compared with the lock. What it
 * certainly never had, over a connection that is gone, it is asked once more over the next one.
 */
export async function askUpstream(
  pool: UpstreamPool,
  serverId: string,
  /** Is given the entry of the lock that is in force when it asks. */
  ask: (upstream: Upstream, locked: LockedServer) => Promise<Outcome>,
): Promise<
  | { readonly ok: true; readonly outcome: Outcome }
  | { readonly ok: false; readonly unavailable: UnavailableUpstream }
> {
  const first = await pool.acquire(serverId)
  if (!first.ok) return first
  const { upstream, locked } = first.verified
  const outcome = await ask(upstream, locked)
  if (!wasNeverHad(outcome) || pool.peek(serverId)?.upstream === upstream) return { ok: true, outcome }
  const second = await pool.acquire(serverId)
  return {
    ok: true,
    outcome: second.ok ? await ask(second.verified.upstream, second.verified.locked) : outcome,
  }
}
