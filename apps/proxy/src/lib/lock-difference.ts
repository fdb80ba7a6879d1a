import { isDeepStrictEqual } from 'node:util'
import {
  compareSurface,
  type Drift,
  emptyLock,
  formatLock,
  type Lock,
  type LockedServer,
  type MachineFacts,
  type Surface,
} from '@truename/tool-registry'

/** One server as a lock has it and as it would have it. */
export interface ServerDifference {
  readonly id: string
  readonly profile: string
  readonly kind: 'new' | 'gone' | 'changed' | 'same'
  /** Per definition and field; empty for servers that are new or gone. */
  readonly drift: readonly Drift[]
  /** Parts of the entry beside its definitions that differ: `endpoint`, `modes`, `uriSpace`, … */
  readonly parts: readonly string[]
  readonly before: LockedServer | undefined
  readonly after: LockedServer | undefined
  readonly surface: Surface | undefined
}

const parts = [
  'endpoint',
  'era',
  'version',
  'capabilities',
  'clientCapabilities',
  'modes',
  'uriSpace',
  'substitutions',
] as const

const identity = ({ id, profile }: { readonly id: string; readonly profile: string }) =>
  JSON.stringify([id, profile])

/** What is compared with a lock: new entries with the surfaces and machine values they were made from. */
export interface NewEntry {
  readonly entry: LockedServer
  readonly surface: Surface
  readonly machine: MachineFacts
}

/** The differences between a lock and the entries it would hold, in the order of the lock. */
export function lockDifference(
  lock: Lock | undefined,
  next: readonly NewEntry[],
): readonly ServerDifference[] {
  const before = new Map((lock ?? emptyLock).servers.map((server) => [identity(server), server]))
  const after = new Map(next.map((one) => [identity(one.entry), one]))
  const all = [...new Set([...before.keys(), ...after.keys()])].sort()
  return all.map((key) => {
    const old = before.get(key)
    const now = after.get(key)
    const { id, profile } = (now?.entry ?? old) as LockedServer
    const drift = old && now ? compareSurface(old, now.surface, { machine: now.machine }) : []
    const changed = old && now ? parts.filter((part) => !isDeepStrictEqual(old[part], now.entry[part])) : []
    const kind = !old ? 'new' : !now ? 'gone' : entryText(old) === entryText(now.entry) ? 'same' : 'changed'
    return { id, profile, kind, drift, parts: changed, before: old, after: now?.entry, surface: now?.surface }
  })
}

const entryText = (server: LockedServer): string => formatLock({ ...emptyLock, servers: [server] })
