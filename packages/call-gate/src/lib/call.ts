import type { Key } from '@truename/tool-registry/identity'

/** What is known of the definition that is to be used: whether a person approved exactly this one. */
export type Pin =
  /** The live digest equals one in the lock. */
  | { readonly state: 'approved'; readonly digest: string }
  /** It differs from the lock; `field` says where. */
  | { readonly state: 'held'; readonly field: string; readonly reason: string }
  /** The lock has no such pair. */
  | { readonly state: 'unknown' }
  /** The operator excepted this server from pinning (`pin: "live"`), or it is data, which no lock holds. */
  | { readonly state: 'live'; readonly digest?: string | undefined }

/** Who calls. Both are the operator's or the proxy's own words, never the client's. */
export interface Caller {
  /** The authorization profile: `default` where the operator gave none. */
  readonly profile: string
  /** One client or session, where the loop breaker is to tell them apart. */
  readonly id?: string | undefined
}

/** A call, a prompt or a reading that is to be decided. */
export interface Call {
  /** For a reading: the exact URI. */
  readonly key: Key
  /** The arguments as they will be sent. */
  readonly args?: unknown
  readonly pin: Pin
  readonly caller: Caller
  /** For a reading: the text of the template whose expansion the URI is. */
  readonly template?: string | undefined
  /** Where the server comes from, as approved: approvals end when it changes. */
  readonly endpoint?: string | undefined
}
