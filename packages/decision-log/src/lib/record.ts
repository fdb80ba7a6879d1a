import type { Json, JsonObject } from './json.ts'

/** The version of the record schema that this package writes. */
export const schemaVersion = 1

/** What a decision was about: the server id of the operator's configuration and the upstream's own name. */
export interface Key {
  readonly server: string
  readonly kind: 'tool' | 'prompt' | 'resource'
  /** For resources: the exact URI, or the template. */
  readonly name: string
}

/** Who called. */
export interface Caller {
  /** The operator's label for the client, from a token or a flag; never from what the client says of itself. */
  readonly profile: string
  /** The id of the client's connection, to tell apart callers of one profile. */
  readonly connection?: string | undefined
  /** What the client says of itself; informational. */
  readonly claims?: JsonObject | undefined
}

/** Who answered a question, and how the answer came. */
export interface Approval {
  readonly by: string
  /** `terminal`, `console`, `elicitation`, `file` … */
  readonly channel: string
  /** For how much it holds: `call`, `arguments`, `pin`, `always` … */
  readonly scope?: string | undefined
  readonly id?: string | undefined
}

/** How the live definition stood against the approved one. */
export interface Pin {
  /** `match`, `drift`, `missing`, `live` … */
  readonly state: string
  /** The digest of the approved definition. */
  readonly digest?: string | undefined
  /** The digest of the definition that the connection offered, where it is another. */
  readonly live?: string | undefined
}

/** Which connection the call goes over. */
export interface Connection {
  /** Grows with every reconnect. */
  readonly generation: number
  /** Milliseconds since the surface was compared with the lock on this connection. */
  readonly verifiedAgoMs?: number | undefined
}

export type Verdict = 'allow' | 'ask' | 'deny'

/** `input-required` is the 2026-07-28 answer that asks for more before the call goes on. */
export type OutcomeClass = 'success' | 'tool-error' | 'protocol-error' | 'refused' | 'input-required'

interface EntryBase {
  /** W3C trace context, as it came with the call. */
  readonly traceparent?: string | undefined
  /** Anything else worth keeping. Redacted like everything that is written in clear. */
  readonly detail?: JsonObject | undefined
}

/** Written before a call is forwarded, or instead of it where it is denied. */
export interface DecisionEntry extends EntryBase {
  readonly type: 'decision'
  /** The id that joins the records of one call. */
  readonly call: string
  readonly key: Key
  /** The protocol's method: `tools/call`, `prompts/get`, `resources/read` … */
  readonly method?: string | undefined
  /** The model-facing name that was called. */
  readonly flat?: string | undefined
  readonly caller?: Caller | undefined
  readonly verdict: Verdict
  /** The policy rule that decided, or `default`. */
  readonly rule?: string | undefined
  readonly reason: string
  readonly approval?: Approval | undefined
  readonly pin?: Pin | undefined
  readonly connection?: Connection | undefined
  /** What the call was made with. Kept as a digest, redacted or in clear, by the log's options. */
  readonly arguments?: Json | undefined
}

/** Written when a call is over. */
export interface OutcomeEntry extends EntryBase {
  readonly type: 'outcome'
  readonly call: string
  readonly key: Key
  readonly outcome: OutcomeClass
  /** The JSON-RPC error code of a protocol error. */
  readonly code?: number | undefined
  /** The error's text. */
  readonly message?: string | undefined
  /** Who refused, where it was refused: the gate, or the server in its own words. */
  readonly refusedBy?: 'gate' | 'server' | undefined
  /** The server's text that was recognised as a denial. */
  readonly denial?: string | undefined
  /** Why the peer did not answer at all: `timeout`, `closed`, `cancelled`, `refused`, `transport`, `invalid`. */
  readonly failure?: string | undefined
  readonly durationMs: number
  readonly connection?: Connection | undefined
  /** What came back. Kept as a digest, redacted or in clear, by the log's options. */
  readonly result?: Json | undefined
}

/** Something refused that is not a call's own decision: a server's request, a withheld resource, a denial in plain content. */
export interface DenialEntry extends EntryBase {
  readonly type: 'denial'
  readonly reason: string
  readonly call?: string | undefined
  readonly server?: string | undefined
  readonly key?: Key | undefined
  readonly method?: string | undefined
  readonly caller?: Caller | undefined
}

/** One difference between the approved surface and the live one. */
export interface HeldItem {
  readonly key: Key
  /** `added`, `removed`, `changed` … */
  readonly change: string
  readonly field?: string | undefined
  readonly severity?: string | undefined
  readonly approved?: string | undefined
  readonly live?: string | undefined
}

/** A comparison of a server's surface with the lock that found something: "n tools held: pair, field". */
export interface DriftEntry extends EntryBase {
  readonly type: 'drift'
  readonly server: string
  readonly held: readonly HeldItem[]
  readonly connection?: Connection | undefined
  /** Whether the authorization presented had changed too, which is a legal reason for another surface. */
  readonly authorizationChanged?: boolean | undefined
}

/** The trace of a resource read: the steps from the URI that came to what was located. */
export interface ReadEntry extends EntryBase {
  readonly type: 'read'
  readonly call?: string | undefined
  readonly key: Key
  readonly uri: string
  readonly trace: JsonObject | readonly JsonObject[]
  readonly revision?: string | undefined
}

/** An answer to a question, wherever it was given. */
export interface ApprovalEntry extends EntryBase {
  readonly type: 'approval'
  readonly key: Key
  readonly call?: string | undefined
  readonly verdict: 'allow' | 'deny'
  readonly approval: Approval
  readonly pin?: Pin | undefined
  readonly reason?: string | undefined
}

/** Anything else in the life of the process that a reader of the log needs: started, connected, reloaded … */
export interface EventEntry extends EntryBase {
  readonly type: 'event'
  readonly event: string
  readonly server?: string | undefined
  readonly message?: string | undefined
}

/** What an application gives to `append`. */
export type LogEntry =
  | DecisionEntry
  | OutcomeEntry
  | DenialEntry
  | DriftEntry
  | ReadEntry
  | ApprovalEntry
  | EventEntry

/** How arguments and results are kept. */
export interface Kept {
  /** `sha256:` or, with a digest key, `hmac-sha256:`, then the hexadecimal digest of the RFC 8785 form. */
  readonly digest: string
  /** The value, redacted or in clear, where the log's options ask for it. */
  readonly value?: Json | undefined
  /** The length in bytes of a value that was left out because it was too long. */
  readonly omittedBytes?: number | undefined
}

/** What every record has beside its entry. */
export interface RecordBase {
  /** The position in its tree, from 0. */
  readonly index: number
  readonly schema: number
  readonly id: string
  /** RFC 3339, UTC, milliseconds. Never runs backwards within a tree. */
  readonly time: string
  /** The tree the record is a leaf of: one for each process that writes. */
  readonly tree: string
  /** The node that this leaf completed, base64 (see `addLeaf`); not part of the leaf itself. */
  readonly hash: string
}

/** The first leaf of every tree. */
export interface HeaderEntry extends EntryBase {
  readonly type: 'log'
  /** The first line of the tree's checkpoints. */
  readonly origin: string
  /** The verifier key its checkpoints are signed with. */
  readonly key?: string | undefined
}

type Stored<Entry> = Entry extends unknown ? Omit<Entry, 'arguments' | 'result'> & RecordBase : never

/** A record as it is in the log. Members of later versions are kept. */
export type LogRecord =
  | (Stored<DecisionEntry> & { readonly arguments?: Kept | undefined })
  | (Stored<OutcomeEntry> & { readonly result?: Kept | undefined })
  | Stored<DenialEntry | DriftEntry | ReadEntry | ApprovalEntry | EventEntry | HeaderEntry>

export type RecordType = LogRecord['type']
