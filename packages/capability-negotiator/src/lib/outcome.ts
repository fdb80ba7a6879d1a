import type { Json, JsonObject } from './json.ts'

/** A JSON-RPC error object, as the peer sent it or as this side would send it. */
export interface WireError {
  readonly code: number
  readonly message: string
  readonly data?: Json | undefined
}

/** Why a request got no answer from its peer. */
export type OutcomeFailure = 'timeout' | 'closed' | 'cancelled' | 'refused' | 'transport' | 'invalid'

/** What became of a request. */
export type Outcome =
  | { readonly kind: 'result'; readonly value: JsonObject }
  /** 2026-07-28: the server needs input first. */
  | { readonly kind: 'input_required'; readonly value: JsonObject }
  /** Without `failure` the error is the peer's own answer; with it, the peer did not answer. */
  | { readonly kind: 'error'; readonly error: WireError; readonly failure?: OutcomeFailure | undefined }

/** An HTTP response to a POST that is not a plain 200 with one JSON-RPC message: status, and the body as text. */
export interface HttpAnswer {
  readonly kind: 'http'
  readonly status: number
  readonly contentType?: string | undefined
  readonly body?: string | undefined
  /** Whether the request carried an `MCP-Session-Id`. Only such a request can lose its session; unsaid counts as yes. */
  readonly sessionId?: boolean | undefined
}

/** What a probe or a handshake request can come to. */
export type ProbeOutcome =
  | Outcome
  | HttpAnswer
  | { readonly kind: 'exit'; readonly detail?: string | undefined }

/**
 * What a driver reports to a negotiation. `exchange` is the number of the `send` step it belongs to; without it
 * the event is about the step that is open now. A late answer must carry it. `generation` is the connection it
 * comes from; an event of an earlier one, the exit of the process before for one, changes nothing.
 */
export type NegotiationEvent = (
  | ProbeOutcome
  /** A notification (a `send` step that expects nothing) was handed to the transport; over HTTP: got its 2xx. */
  | { readonly kind: 'sent' }
  /** After a `reconnect` step: the new process or session is there. */
  | { readonly kind: 'connected' }
) & { readonly exchange?: number | undefined; readonly generation?: number | undefined }
