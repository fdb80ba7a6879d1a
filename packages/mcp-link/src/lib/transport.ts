import type { WireMessage } from './message.ts'

/** What goes along with one outgoing message; a transport ignores what it has no use for. */
export interface SendOptions {
  /** The incoming request this message belongs to (Streamable HTTP: on whose stream it goes). */
  readonly relatedRequestId?: string | number
  /** Aborting ends the HTTP exchange of this request: the cancellation of the modern era over HTTP. */
  readonly requestSignal?: AbortSignal
  /** Streamable HTTP: where to take up a broken stream again. */
  readonly resumptionToken?: string
  /** Further HTTP headers of this request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Called when the stream of this request ended before the answer; `unanswered` where it ended in good order. */
  readonly onRequestStreamEnd?: (how?: 'unanswered') => void
}

/**
 * What carries JSON-RPC messages: the part of the SDKs' `Transport` that both lines share, so that their transports
 * can be used as they are. Messages are not parsed or changed on the way.
 */
export interface Transport {
  start(): Promise<void>
  send(message: WireMessage, options?: SendOptions): Promise<void>
  close(): Promise<void>
  onmessage?: ((message: never, extra?: never) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  readonly sessionId?: string | undefined
  setProtocolVersion?: ((version: string) => void) | undefined
  /** Whether every request has an HTTP exchange of its own that `requestSignal` can end. */
  readonly hasPerRequestStream?: boolean | undefined
}
