import type { Json, JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import type { LinkFailure, Outcome } from './outcome.ts'

/** An outcome without a result. */
export type Failed = Extract<Outcome, { kind: 'error' }>

/** JSON-RPC codes this package answers with, or reports its own failures under. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Of this side: -32000 to -32019 carry no meaning that a peer may assume (2026-07-28, Error Codes). */
  refused: -32000,
  timeout: -32001,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedVersion: -32022,
} as const

/** An outcome that says why no answer came from the peer. */
export function failure(kind: LinkFailure, message: string, data?: Json): Failed {
  const code = kind === 'timeout' ? codes.timeout : kind === 'invalid' ? codes.internalError : codes.refused
  return {
    kind: 'error',
    error: data === undefined ? { code, message } : { code, message, data },
    failure: kind,
  }
}

/** An answer that is a JSON-RPC error. */
export function errorAnswer(code: number, message: string, data?: Json): Failed {
  return { kind: 'error', error: data === undefined ? { code, message } : { code, message, data } }
}

/** Thrown by a transport that knows that the message did not reach the peer. */
export class UnsentError extends Error {
  override readonly name = 'UnsentError'
  readonly code = 'unsent'
}

/** What goes with a failure of a request that the peer certainly never had: sending it again does nothing twice. */
export const safeToRetry: JsonObject = { retry: 'safe' }

/** Whether this side knows that the peer never had the request. What a peer's own error says of that counts for nothing. */
export const wasNeverHad = (outcome: Outcome): boolean =>
  outcome.kind === 'error' &&
  outcome.failure !== undefined &&
  isJsonObject(outcome.error.data) &&
  outcome.error.data.retry === safeToRetry.retry

const neverConnected = new Set(['connect', 'getaddrinfo'])

/** Whether what a transport threw says that the peer never had the message: not sent, or no connection was made. */
export function neverSent(thrown: unknown): boolean {
  if (thrown instanceof UnsentError) return true
  // undici keeps the system error in the cause, and one for each address that was tried in its `errors`.
  const cause = thrown instanceof Error ? thrown.cause : undefined
  const causes: unknown[] =
    cause instanceof AggregateError && cause.errors.length > 0 ? cause.errors : [cause]
  return causes.every((one) => {
    const { syscall, code } = (one ?? {}) as { readonly syscall?: unknown; readonly code?: unknown }
    return neverConnected.has(String(syscall)) || code === 'UND_ERR_CONNECT_TIMEOUT'
  })
}

/** The text of whatever was thrown, on one line, fit to be shown. */
export function reasonOf(thrown: unknown): string {
  return printable(thrown instanceof Error ? describeError(thrown) : String(thrown), 500)
}

/** A peer's text on one line, shortened, with everything that does not print made visible as an escape. */
export function printable(text: string, limit: number): string {
  return text
    .slice(0, limit * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, limit)
    .replaceAll(
      /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
}

function describeError(error: Error): string {
  const cause = error.cause
  // undici says "fetch failed" and keeps the reason (ECONNREFUSED, ENOTFOUND, a TLS error) in the cause.
  if (cause instanceof Error && cause.message !== '' && !error.message.includes(cause.message)) {
    return `${error.message}: ${cause.message}`
  }
  const code = cause instanceof Error ? (cause as { code?: unknown }).code : undefined
  return typeof code === 'string' ? `${error.message}: ${code}` : error.message
}
