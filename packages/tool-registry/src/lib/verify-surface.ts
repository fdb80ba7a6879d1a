import { type CompareOptions, compare } from './compare-surface.ts'
import type { Drift, DriftChange } from './drift.ts'
import { fieldForMessage, notInLockMessage } from './drift-message.ts'
import { type Key, keyId } from './key.ts'
import type { LockedServer } from './lock.ts'
import type { Surface } from './surface.ts'

/** Whether a definition may be used, and if not, what moved first. */
export type Approval =
  | { readonly approved: true; readonly digest: string }
  | {
      readonly approved: false
      readonly why: DriftChange | 'not-in-lock'
      /**
       * The first member that moved, by the specification's name for it (`inputSchema`, …), or words for a member it
       * does not name; undefined where the whole definition is concerned. May be given to a model.
       */
      readonly field: string | undefined
      /** JSON Pointer from the definition to the first place that moved: for people, parts of it may be the server's. */
      readonly pointer: string
      readonly before: string | undefined
      readonly after: string | undefined
      /** May be given to a model: see {@link Drift.message}. */
      readonly message: string
    }

/** What a comparison with the lock came to. */
export interface Verification {
  readonly drift: readonly Drift[]
  /** Keys of the lock that are held, in the lock's order. */
  readonly held: readonly Key[]
  /** The answer for one key: approved means that the live digest equals the digest in the lock, nothing else. */
  approval(key: Key): Approval
}

/** Compares a live surface with its lock entry and answers, key by key, whether it may be used. */
export function verifySurface(locked: LockedServer, live: Surface, options?: CompareOptions): Verification {
  const { drift, approved } = compare(locked, live, options)
  const first = new Map<string, Drift>()
  for (const one of drift) {
    if (one.key && !first.has(keyId(one.key))) first.set(keyId(one.key), one)
  }
  const lockedKeys: Key[] = [
    ...[...locked.tools.keys()].map((name): Key => ({ server: locked.id, kind: 'tool', name })),
    ...[...locked.prompts.keys()].map((name): Key => ({ server: locked.id, kind: 'prompt', name })),
    ...[...locked.templates.keys()].map((name): Key => ({ server: locked.id, kind: 'resource', name })),
  ]
  return {
    drift,
    held: lockedKeys.filter((key) => !approved.has(keyId(key))),
    approval(key) {
      const entry = lockedDefinition(locked, key)
      if (entry && approved.has(keyId(key))) return { approved: true, digest: entry.digest }
      const moved = first.get(keyId(key))
      if (!entry || !moved) return notInLock(key)
      const { change: why, field, pointer, before, after, message } = moved
      return { approved: false, why, field: field && fieldForMessage(field), pointer, before, after, message }
    },
  }
}

/** The lock's entry for a key of this server, or undefined. */
export function lockedDefinition(locked: LockedServer, key: Key) {
  if (key.server !== locked.id) return undefined
  const list = { tool: locked.tools, prompt: locked.prompts, resource: locked.templates }[key.kind]
  return list.get(key.name)
}

const notInLock = (key: Key): Approval => ({
  approved: false,
  why: 'not-in-lock',
  field: undefined,
  pointer: '',
  before: undefined,
  after: undefined,
  message: notInLockMessage(key),
})
