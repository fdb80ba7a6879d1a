import type { JsonObject } from './json.ts'
import type { WireError } from './outcome.ts'
import type { Era } from './versions.ts'

/** Why a negotiation ended. Match on it, not on the message. */
export type CloseCode =
  /** No version in common: `ours` and `theirs` name what each side can do. */
  | 'version-mismatch'
  /** The server refused the handshake; `error` or `status` is what it said. */
  | 'refused'
  /** The answer to the handshake was no legal answer. */
  | 'invalid-answer'
  /** 401 or 407: the server wants a login first. */
  | 'unauthorized'
  /** 403. */
  | 'forbidden'
  /** 5xx, 408, 425, 429 on the handshake itself. */
  | 'server-error'
  /** The server could not be reached. */
  | 'network'
  /** No answer to the handshake in time. */
  | 'timeout'
  /** The process ended, or the connection closed. */
  | 'exited'
  /** The server forgot the session twice in a row, with no good answer between. */
  | 'session-lost'
  /** The driver cancelled the handshake. */
  | 'cancelled'
  /** `close()` was called. */
  | 'closed'

/** Why a connection is closed. */
export interface CloseReason {
  readonly code: CloseCode
  /** One sentence for a person, in this package's own words: text from the server is quoted and shortened. */
  readonly message: string
  /** The versions this side offers. */
  readonly ours?: readonly string[] | undefined
  /** The versions the server named; in the legacy era the one it answered. */
  readonly theirs?: readonly string[] | undefined
  /** As the server sent it: evidence, not to be shown as it is. */
  readonly error?: WireError | undefined
  readonly status?: number | undefined
  /** Whether the same attempt may succeed later, or after a login. */
  readonly retry: boolean
}

/** Why a driver is asked for a new connection. */
export type ReconnectCause =
  /** The process ended on the probe, as legacy servers may. */
  | 'probe-ended-it'
  /** The process took the probe, and then did not take `initialize`: one clean start without a probe. */
  | 'probe-disturbed'
  /** The answered probe fixed the server's era, and only a legacy version is shared. */
  | 'era-fixed'
  /** The server forgot the session: initialize afresh, without a session id. */
  | 'session-lost'
  /** What was remembered of this server no longer holds. */
  | 'verdict-contradicted'
  /** The endpoint speaks the transport of 2024-11-05. */
  | 'http+sse'

/** What the driver of a negotiation has to do next. */
export type Step =
  /**
   * Send this message and report what becomes of it with `exchange`. `expect: 'nothing'` is a notification: report
   * `sent`. `headers` are HTTP headers for this one message. `timeoutMs` is the time to wait before reporting
   * an error with `failure: 'timeout'`.
   */
  | {
      readonly do: 'send'
      readonly exchange: number
      readonly message: { readonly method: string; readonly params?: JsonObject | undefined }
      readonly expect: 'response' | 'nothing'
      readonly headers: Readonly<Record<string, string>>
      readonly timeoutMs: number
    }
  /** Nothing to do until something else happens. */
  | { readonly do: 'wait' }
  /** The connection may be used. Given again for whatever changes nothing. */
  | { readonly do: 'ready' }
  /** An ordinary request was refused for its version: send it again, with the headers and `_meta` as they are now. */
  | { readonly do: 'resend' }
  /** Drop this connection (process, session id), open another one, report `connected`. */
  | { readonly do: 'reconnect'; readonly cause: ReconnectCause; readonly transport: 'same' | 'http+sse' }
  /** Send nothing more and close. */
  | { readonly do: 'close'; readonly reason: CloseReason }

/** What may be remembered of a server, keyed by server id and URL (never by origin alone). Plain JSON. */
export interface Prior {
  readonly era: Era
  readonly version?: string | undefined
  /** Modern: the `DiscoverResult`, as far as its `ttlMs` allows. */
  readonly discovered?: JsonObject | undefined
}
