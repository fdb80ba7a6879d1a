import type { Key } from '@truename/tool-registry/identity'
import type { ApprovalRequest, Grant } from './approval.ts'

/** What became of an answer in the store. */
export type StoredAnswer =
  | { readonly state: 'stored'; readonly request: ApprovalRequest }
  | { readonly state: 'already-answered' | 'expired'; readonly request: ApprovalRequest }
  | { readonly state: 'unknown-request' }

/** Which grants to end. Members that are absent match every grant; no member at all matches none. */
export interface GrantFilter {
  readonly id?: string | undefined
  readonly server?: string | undefined
  readonly key?: Key | undefined
}

/**
 * Where questions and answers are kept. Each operation is atomic, between processes too where the store is shared
 * by several. `now` is in milliseconds since 1970; what is over at that time is treated as absent.
 */
export interface ApprovalStore {
  /** Adds the request, or returns the open one that asks the very same. */
  open(request: ApprovalRequest, now: number): Promise<ApprovalRequest>
  get(id: string): Promise<ApprovalRequest | undefined>
  /** The open ones, oldest first. */
  pending(now: number): Promise<readonly ApprovalRequest[]>
  /** Stores the answer the grant carries, if there is none yet, and the grant. */
  answer(id: string, grant: Grant): Promise<StoredAnswer>
  /** Ends an open request without an answer. */
  expire(id: string, now: number): Promise<void>
  /** Those in force, of one pair or of all, oldest first. */
  grants(key: Key | undefined, now: number): Promise<readonly Grant[]>
  /** Uses a grant up; `false` where somebody else has, or it is over. */
  consume(grantId: string, now: number): Promise<boolean>
  /** Ends the grants and returns them. */
  revoke(filter: GrantFilter, now: number): Promise<readonly Grant[]>
  /** Called after changes, by whichever process, perhaps with a delay and more often than needed. */
  subscribe(listener: () => void): () => void
  close(): Promise<void>
}
