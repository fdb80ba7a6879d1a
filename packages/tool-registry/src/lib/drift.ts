import type { Key } from './key.ts'

/** How much a difference or finding matters, from least to most. */
export type Severity = 'info' | 'low' | 'medium' | 'high'

const order: readonly Severity[] = ['info', 'low', 'medium', 'high']

/** The graver of two severities. */
export const graver = (a: Severity, b: Severity): Severity => (order.indexOf(a) >= order.indexOf(b) ? a : b)

/** Whether a severity is at least another. */
export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  order.indexOf(severity) >= order.indexOf(least)

/** What a drift is about. */
export type DriftSubject =
  | 'tool'
  | 'prompt'
  | 'template'
  | 'instructions'
  | 'capabilities'
  | 'serverInfo'
  | 'protocol'
  | 'endpoint'

/** What happened to it. `ambiguous`: several definitions share the name; `unreadable`: no canonical form. */
export type DriftChange = 'added' | 'removed' | 'changed' | 're-added' | 'ambiguous' | 'unreadable'

/** Why a drift has its severity. */
export type DriftReason =
  | 'text-changed'
  | 'schema-changed'
  | 'schema-widened'
  | 'schema-narrowed'
  | 'annotation-safer'
  | 'annotation-changed'
  | 'hidden-characters'
  | 'addresses-model'
  | 'metadata-changed'
  | 'secret-parameter'
  | 'unknown-member'
  | 'renamed'

/** One place that moved. */
export interface DriftPlace {
  /** JSON Pointer from the definition. Parts of it may be the server's own text. */
  readonly pointer: string
  readonly op: 'add' | 'remove' | 'replace'
}

/** What a change of a schema does to calls; `unknown` where it cannot be decided. */
export interface Compatibility {
  /** Whether every call that was valid stays valid. */
  readonly keepsValid: 'yes' | 'no' | 'unknown'
  /** Whether some call that was invalid becomes valid. */
  readonly allowsMore: 'yes' | 'no' | 'unknown'
}

/** One difference between what was approved and what a server shows now: one per definition and field. */
export interface Drift {
  readonly server: string
  readonly profile: string
  readonly subject: DriftSubject
  /** The definition; undefined where the server as a whole is meant. */
  readonly key: Key | undefined
  readonly change: DriftChange
  /** The definition's own member that moved (`description`, `inputSchema`, …); undefined for a whole definition. */
  readonly field: string | undefined
  /** JSON Pointer from the definition to the first place that moved. Parts of it may be the server's own text. */
  readonly pointer: string
  /** The places that moved, at most 100. */
  readonly places: readonly DriftPlace[]
  readonly severity: Severity
  readonly reasons: readonly DriftReason[]
  /** Digest of the approved definition; undefined if there is none. */
  readonly before: string | undefined
  /** Digest of what the server shows now; undefined if there is none. */
  readonly after: string | undefined
  readonly compatibility?: Compatibility | undefined
  /**
   * Whether the authorization that was presented had changed since the lock was made, as the caller said: a set may
   * legally depend on it (2026-07-28, server/tools).
   */
  readonly authorization: 'same' | 'changed' | 'unknown'
  /** For a probable rename: the key on the other side of it. It approves nothing. */
  readonly renamed?: Key | undefined
  /**
   * One sentence that may be given to a model: it names the approved pair and the kind of field, and holds no text
   * that the server has not had approved.
   */
  readonly message: string
}
