import type { Json, JsonObject } from './json.ts'

/** A JSON-RPC error object, as the peer sent it or as this side would send it. */
export interface WireError {
  readonly code: number
  readonly message: string
  readonly data?: Json | undefined
}

/**
 * Why a request got no answer from its peer: it took too long, the connection ended, the caller took it back,
 * the negotiation does not allow it, the transport failed, or the answer was not a legal message.
 */
export type LinkFailure = 'timeout' | 'closed' | 'cancelled' | 'refused' | 'transport' | 'invalid'

/** What became of a request. Nothing a peer sends is thrown. */
export type Outcome =
  | { readonly kind: 'result'; readonly value: JsonObject }
  /** 2026-07-28: the server needs input first; the value holds `inputRequests` and perhaps `requestState`. */
  | { readonly kind: 'input_required'; readonly value: JsonObject }
  /** Without `failure` the error is the peer's own answer; with it, the peer did not answer. */
  | { readonly kind: 'error'; readonly error: WireError; readonly failure?: LinkFailure }
