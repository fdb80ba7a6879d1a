import type { Key } from '@truename/tool-registry/identity'
import type { Pin } from './call.ts'

/** How a person's answer arrived. What an answer may grant depends on it. */
export type Channel =
  /** A person at a terminal. */
  | 'terminal'
  /** A person in the web console. */
  | 'console'
  /** The client was asked, by `elicitation/create`; recorded as the client's word. */
  | 'elicitation'
  /** A file was changed. */
  | 'file'

/**
 * How far an answer reaches. `call`: once, for this pair, definition and arguments. `arguments`: these arguments,
 * as long as the definition is the same. `pair`: any arguments, as long as the definition is the same.
 * `always`: any arguments and every definition a person has approved for this pair.
 */
export type Scope = 'call' | 'arguments' | 'pair' | 'always'

/** What exactly is asked about. A difference in any member is another question. */
export interface Binding {
  readonly key: Key
  /** The digest of the approved definition; absent for data, which has none. */
  readonly pin?: string | undefined
  /** Digest of the canonical form of the arguments. */
  readonly args: string
  readonly profile: string
  /** The fingerprint of where the server comes from, where it is known. */
  readonly endpoint?: string | undefined
}

/** Who answered, when, and what. */
export interface Answer {
  readonly verdict: 'allow' | 'deny'
  readonly scope: Scope
  readonly channel: Channel
  /** The name by which the channel knows the person. */
  readonly who: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly note?: string | undefined
}

/** A question to a person: open until it is answered, once, or its time is over. */
export interface ApprovalRequest {
  readonly id: string
  readonly binding: Binding
  /** The arguments in clear, so that they can be shown. */
  readonly args: unknown
  /** How the definition stood when it was asked: approved, or excepted from pinning. */
  readonly pin: Pin
  /** Why the gate asks: the decision's rule and reason. */
  readonly rule: string
  readonly reason: string
  readonly openedAt: number
  readonly expiresAt: number
  readonly answer?: Answer | undefined
}

/** An answer that is still in force. */
export interface Grant {
  readonly id: string
  readonly requestId: string
  readonly binding: Binding
  readonly answer: Answer
  /** When it ends by itself; absent where only a revocation ends it. */
  readonly expiresAt?: number | undefined
}
