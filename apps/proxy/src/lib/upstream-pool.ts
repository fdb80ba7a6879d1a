import type { ConnectOptions, ServerConfig, Upstream } from '@truename/mcp-link'
import {
  type Drift,
  type LockedServer,
  type MachineFacts,
  type Surface,
  type Verification,
  verifySurface,
} from '@truename/tool-registry'
import type { Connect } from './client.ts'
import { readLiveSurface } from './live-surface.ts'
import { type Slot, sameConnection, settleMs, slotOf } from './pool-slot.ts'

/** A running server whose surface was compared with the lock on this very connection. */
export interface VerifiedUpstream {
  readonly upstream: Upstream
  /** The entry of the lock it was compared with. */
  readonly locked: LockedServer
  readonly verification: Verification
  /** What it showed. */
  readonly surface: Surface
  /** Milliseconds since the epoch. */
  readonly verifiedAt: number
}

/** Why a server cannot be used now. */
export interface UnavailableUpstream {
  readonly code: 'not-locked' | 'endpoint-changed' | 'cannot-connect' | 'cannot-list' | 'closed'
  /** One line for a person or a model; holds no text of the server's definitions. */
  readonly message: string
  /** For the log and the operator: what the child process wrote last. */
  readonly stderr?: readonly string[]
}

export type Acquired =
  | { readonly ok: true; readonly verified: VerifiedUpstream }
  | { readonly ok: false; readonly unavailable: UnavailableUpstream }

/** One server as the pool needs it. */
export interface PoolMember {
  readonly server: ServerConfig
  readonly locked: LockedServer
  readonly machine: MachineFacts
  /** Why the configuration is not what was approved (G6), for a person; nothing is started then. */
  readonly endpointProblem: string | undefined
  readonly verifyEveryMs: number
}

export interface PoolOptions {
  readonly members: readonly PoolMember[]
  readonly connect: Connect
  readonly client: ConnectOptions['client']
  readonly startTimeoutMs: number
  readonly listTimeoutMs: number
  readonly now?: () => number
  /** Called after every comparison. */
  readonly onVerified: (member: PoolMember, verified: VerifiedUpstream) => void
  /** Called where a server lists other resources than the last time. These are data: no lock holds them. */
  readonly onResourcesMoved: (member: PoolMember) => void
  readonly onEvent: (level: 'info' | 'warn' | 'error', server: string, message: string) => void
}

/** All upstream servers of a proxy: started at their first use, compared with the lock, watched, ended together. */
export interface UpstreamPool {
  /** A verified connection; starts the server and compares its surface where that is needed. */
  acquire(serverId: string): Promise<Acquired>
  /** What is known of a server without starting it. */
  peek(serverId: string): VerifiedUpstream | undefined
  /** Everything held back on connections that were verified. */
  held(): readonly Drift[]
  /**
   * Takes other entries of the lock. A connection that goes on is compared with its new entry at once, by what it
   * showed last, so that no call goes by the old one; the others are ended.
   */
  update(members: readonly PoolMember[]): void
  close(): Promise<void>
}

/** Creates the pool; starts nothing. */
export function createUpstreamPool(options: PoolOptions): UpstreamPool {
  const now = options.now ?? Date.now
  const slots = new Map(options.members.map((member) => [member.server.id, slotOf(member)]))
  /** Generations of servers that are away: they go on where they were. */
  const away = new Map<string, number>()
  /** Connections that are being ended, since nothing may go over them any more. */
  const leaving = new Set<Promise<unknown>>()
  let closed = false

  const fail = (slot: Slot, unavailable: UnavailableUpstream): Acquired => {
    slot.failures += 1
    // The first failure may be tried again at once; then 1, 2, 4 … 30 seconds.
    slot.notBefore = now() + (slot.failures < 2 ? 0 : Math.min(30_000, 500 * 2 ** (slot.failures - 1)))
    slot.lastFailure = unavailable
    options.onEvent('error', slot.member.server.id, unavailable.message)
    return { ok: false, unavailable }
  }

  const verify = async (slot: Slot, upstream: Upstream): Promise<Acquired> => {
    const id = slot.member.server.id
    const { epoch } = slot
    const before = slot.current?.verification.drift
    slot.announced = false
    const live = await readLiveSurface(upstream, AbortSignal.timeout(options.listTimeoutMs))
    if (slot.epoch !== epoch) return overtaken(slot)
    for (const problem of live.problems) options.onEvent('warn', id, problem)
    if (!live.complete) {
      return fail(slot, {
        code: 'cannot-list',
        message: `Server "${id}" could not list everything it declares, so it cannot be compared with what was approved (${live.problems[0]})`,
      })
    }
    const verified = judge(slot, { upstream, surface: live.surface, verifiedAt: now() })
    slot.failures = 0
    const moved = !sameDrift(before, verified.verification.drift)
    slot.settleMs = moved ? settleMs.least : Math.min(settleMs.most, slot.settleMs * 2)
    options.onVerified(slot.member, verified)
    const resources = JSON.stringify(live.surface.resources)
    if (slot.resources !== undefined && slot.resources !== resources) options.onResourcesMoved(slot.member)
    slot.resources = resources
    return { ok: true, verified }
  }

  const judge = (slot: Slot, shown: Omit<VerifiedUpstream, 'verification' | 'locked'>): VerifiedUpstream => {
    const { locked, machine } = slot.member
    const verified = { ...shown, locked, verification: verifySurface(locked, shown.surface, { machine }) }
    slot.current = verified
    return verified
  }

  const overtaken = ({ member }: Slot): Acquired => ({
    ok: false,
    unavailable: {
      code: 'closed',
      message: `What is approved of server "${member.server.id}" changed while it was started; call again`,
    },
  })

  const release = (slot: Slot): void => {
    slot.epoch += 1
    clearTimeout(slot.recheck)
    slot.recheck = undefined
    const left: Promise<unknown> = Promise.all([slot.pending, slot.current?.upstream.close()]).finally(() =>
      leaving.delete(left),
    )
    leaving.add(left)
    slot.current = undefined
  }

  const start = async (slot: Slot): Promise<Acquired> => {
    const { epoch } = slot
    const { server, locked, endpointProblem } = slot.member
    if (closed) return { ok: false, unavailable: { code: 'closed', message: 'The proxy is shutting down' } }
    if (endpointProblem !== undefined)
      return fail(slot, { code: 'endpoint-changed', message: endpointProblem })
    if (now() < slot.notBefore && slot.lastFailure) return { ok: false, unavailable: slot.lastFailure }
    slot.generation += 1
    const connected = await options.connect(server, {
      client: options.client,
      capabilities: locked.clientCapabilities as NonNullable<ConnectOptions['capabilities']>,
      generation: slot.generation,
      isolation: 'shared',
      signal: AbortSignal.timeout(options.startTimeoutMs),
      onEvent: (event) => {
        if (event.level !== 'debug') options.onEvent(event.level, server.id, event.message)
      },
    })
    if (!connected.ok) {
      const { message, stderr } = connected.failure
      return fail(slot, { code: 'cannot-connect', message, stderr })
    }
    const { upstream } = connected
    if (slot.epoch !== epoch) {
      await upstream.close()
      return overtaken(slot)
    }
    watch(slot, upstream)
    const acquired = await verify(slot, upstream)
    if (!acquired.ok || closed) await upstream.close()
    return acquired
  }

  /** One attempt at a time; whoever comes meanwhile shares its outcome. */
  const once = (slot: Slot, work: () => Promise<Acquired>): Promise<Acquired> => {
    slot.pending ??= work()
      .catch((error: unknown) =>
        fail(slot, {
          code: 'cannot-connect',
          message: `Server "${slot.member.server.id}": ${(error as Error).message}`,
        }),
      )
      .finally(() => {
        slot.pending = undefined
      })
    return slot.pending
  }

  const recheck = (slot: Slot, upstream: Upstream): void => {
    slot.announced = true
    slot.recheck ??= setTimeout(async () => {
      // A comparison that is under way may have listed before this announcement.
      await slot.pending
      slot.recheck = undefined
      if (slot.announced && slot.current?.upstream === upstream && !closed)
        await once(slot, () => verify(slot, upstream))
    }, slot.settleMs)
    slot.recheck.unref()
  }

  const watch = (slot: Slot, upstream: Upstream): void => {
    const { epoch } = slot
    upstream.onClose((reason) => {
      if (slot.current?.upstream === upstream) slot.current = undefined
      if (!closed && slot.epoch === epoch)
        options.onEvent('warn', slot.member.server.id, `The connection ended: ${reason}`)
    })
    upstream.onNotification(({ method }) => {
      if (/^notifications\/(tools|prompts|resources)\/list_changed$/.test(method)) recheck(slot, upstream)
    })
    void upstream
      .listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true })
      // What changed while nobody listened was not told.
      .then((subscription) => subscription.onRenewed(() => recheck(slot, upstream)))
      .catch((error: unknown) => options.onEvent('warn', slot.member.server.id, (error as Error).message))
  }

  return {
    async acquire(serverId) {
      const slot = slots.get(serverId)
      if (!slot) {
        return {
          ok: false,
          unavailable: { code: 'not-locked', message: `Server "${serverId}" is not in the lock` },
        }
      }
      if (slot.pending) return slot.pending
      const { current } = slot
      if (!current) return once(slot, () => start(slot))
      const fresh = now() - current.verifiedAt < slot.member.verifyEveryMs
      if (fresh && !slot.announced) return { ok: true, verified: current }
      return once(slot, async () => {
        const acquired = await verify(slot, current.upstream)
        // The connection may be what was lost: then the server is asked over a new one.
        const gone = !acquired.ok && slot.current === undefined && slots.get(serverId) === slot
        return gone ? start(slot) : acquired
      })
    },
    peek: (serverId) => slots.get(serverId)?.current,
    held: () =>
      [...slots.values()].flatMap(({ current }) => {
        if (!current) return []
        const held = new Set(current.verification.held.map((key) => JSON.stringify(key)))
        return current.verification.drift.filter(({ key }) => key && held.has(JSON.stringify(key)))
      }),
    update(members) {
      const next = new Map(members.map((member) => [member.server.id, member]))
      for (const [id, slot] of slots) {
        if (next.has(id)) continue
        slots.delete(id)
        away.set(id, slot.generation)
        release(slot)
      }
      for (const [id, member] of next) {
        const slot = slots.get(id)
        if (!slot) {
          slots.set(id, slotOf(member, away.get(id)))
          continue
        }
        const goesOn = sameConnection(slot.member, member)
        slot.member = member
        slot.failures = 0
        slot.notBefore = 0
        if (!goesOn) release(slot)
        else if (slot.current) {
          const before = slot.current.verification.drift
          const verified = judge(slot, slot.current)
          if (!sameDrift(before, verified.verification.drift)) options.onVerified(member, verified)
        }
      }
    },
    async close() {
      closed = true
      for (const slot of slots.values()) clearTimeout(slot.recheck)
      await Promise.all(
        [...slots.values()].map(async (slot) => {
          await slot.pending?.catch(() => undefined)
          await slot.current?.upstream.close()
        }),
      )
      await Promise.all(leaving)
    },
  }
}

const sameDrift = (one: readonly Drift[] | undefined, other: readonly Drift[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
