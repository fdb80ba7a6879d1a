import { codes, errorAnswer, failure, reasonOf, safeToRetry, UnsentError } from './failure.ts'
import type { MessageExtra } from './http-tap.ts'
import type { Json, JsonObject } from './json.ts'
import { type Reading, type RequestId, readMessage, type WireMessage } from './message.ts'
import type { Outcome } from './outcome.ts'
import { createOutgoingRequests, type HttpOutcome, type RequestOptions } from './outgoing-requests.ts'
import type { LinkEvent, Notice } from './port.ts'
import type { SendOptions, Transport } from './transport.ts'

/** A request from the peer, as it is dispatched. */
export interface IncomingRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
  /** Aborted when the peer takes the request back, or the connection ends. */
  readonly signal: AbortSignal
  /** Over HTTP: the request of this side on whose exchange it came. */
  readonly via?: RequestId | undefined
}

/** What a {@link Peer} hands on. */
export interface PeerHandlers {
  /** Answers a request; `undefined` means that it is answered elsewhere or not at all. */
  request(request: IncomingRequest): Promise<Outcome | undefined>
  notification(notice: Notice): void
  /** Called once when the transport is gone. */
  closed(reason: string): void
  event?(event: LinkEvent): void
  /** Called with the id of a request that was answered after it was given up. */
  answeredLate?(id: RequestId): void
  /** What is known of why the transport is gone. */
  whyClosed?(): string | undefined
}

/** JSON-RPC over one transport: correlation, cancellation, progress, timeouts; of either side and either era. */
export interface Peer {
  start(): Promise<void>
  /** Resolves, never rejects. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<Outcome | HttpOutcome>
  notify(method: string, params?: JsonObject, send?: SendOptions): Promise<{ readonly error?: unknown }>
  /** Answers a request that its handler left open. */
  answer(id: RequestId, outcome: Outcome): Promise<void>
  /** Ends the connection; every open request is answered with `closed` at once, before the farewell is said. */
  close(reason?: string, farewell?: () => Promise<void>): Promise<void>
  readonly closedBecause: string | undefined
}

/** How many requests of a peer are worked on at once; the next one is refused. */
const maxIncoming = 1024

/** Puts JSON-RPC correlation on a transport. Nothing the peer sends is thrown. */
export function createPeer(transport: Transport, handlers: PeerHandlers): Peer {
  const incoming = new Map<RequestId, AbortController>()
  let closedBecause: string | undefined
  let lastError: unknown

  const event = (level: LinkEvent['level'], message: string, detail?: Json): void =>
    handlers.event?.(detail === undefined ? { level, message } : { level, message, detail })

  const send = async (message: WireMessage, options?: SendOptions): Promise<{ readonly error?: unknown }> => {
    if (closedBecause !== undefined) return { error: new UnsentError(closedBecause) }
    try {
      await transport.send(message, options)
      return {}
    } catch (error) {
      return { error: error ?? new Error('the transport failed') }
    }
  }

  const outgoing = createOutgoingRequests({
    transmit: send,
    closed: () => closedBecause !== undefined,
    event,
    answeredLate: (id) => handlers.answeredLate?.(id),
  })

  const sendAnswer = async (id: RequestId, outcome: Outcome): Promise<void> => {
    const { error } = await send(answerMessage(id, outcome))
    if (error === undefined) return
    event('warn', `an answer could not be sent: ${reasonOf(error)}`)
    // Whoever asked must not wait for ever for an answer that has no form (too deep to be written, for one).
    const instead = errorAnswer(codes.internalError, 'The answer could not be sent')
    if (closedBecause === undefined) await send(answerMessage(id, instead))
  }

  const ended = (reason: string): void => {
    if (closedBecause !== undefined) return
    closedBecause = reason
    outgoing.closeAll(reason)
    for (const controller of incoming.values()) controller.abort(new Error(reason))
    incoming.clear()
    handlers.closed(reason)
  }

  const serve = (id: RequestId, method: string, params: JsonObject, via: RequestId | undefined): void => {
    if (incoming.has(id)) {
      // Answering under the same id would settle the first request; over HTTP the adapter refuses before this.
      event('warn', `a second live request with the same id was ignored`, { id, method })
      return
    }
    if (incoming.size >= maxIncoming) {
      void sendAnswer(id, errorAnswer(codes.refused, `More than ${maxIncoming} requests at once`))
      return
    }
    const controller = new AbortController()
    incoming.set(id, controller)
    const done = (outcome: Outcome | undefined): void => {
      if (incoming.get(id) !== controller) return
      incoming.delete(id)
      if (outcome && !controller.signal.aborted) void sendAnswer(id, outcome)
    }
    Promise.resolve()
      .then(() => handlers.request({ id, method, params, signal: controller.signal, via }))
      .then(done, (thrown) => {
        event('error', `the handler of ${method} threw: ${reasonOf(thrown)}`)
        done(errorAnswer(codes.internalError, 'Internal error'))
      })
  }

  const notified = (method: string, params: JsonObject): void => {
    if (method === 'notifications/progress') {
      if (!outgoing.progressed(params)) {
        event('debug', 'progress for no open request', { progressToken: params.progressToken ?? null })
      }
      return
    }
    if (method === 'notifications/cancelled') {
      const id = params.requestId
      const controller = typeof id === 'number' || typeof id === 'string' ? incoming.get(id) : undefined
      if (controller) {
        const reason = typeof params.reason === 'string' ? params.reason : 'cancelled by the peer'
        incoming.delete(id as RequestId)
        controller.abort(new Error(reason))
        return
      }
    }
    handlers.notification({ method, params })
  }

  const received = (value: unknown, extra?: MessageExtra): void => {
    // A batch may come at 2025-03-26 (§Batching); a later peer that sends one means nothing else by it.
    if (Array.isArray(value) && value.length > 0) for (const one of value as unknown[]) take(one, extra)
    else take(value, extra)
  }
  const take = (value: unknown, extra: MessageExtra | undefined): void => {
    if (closedBecause !== undefined) return
    const reading: Reading = readMessage(value)
    switch (reading.kind) {
      case 'request':
        serve(reading.id, reading.method, reading.params, extra?.via)
        break
      case 'notification':
        notified(reading.method, reading.params)
        break
      case 'result':
        outgoing.answered(reading.id, { kind: 'result', value: reading.value })
        break
      case 'error':
        // Without an id it can only mean the request on whose HTTP exchange it came, where it came on one.
        outgoing.answered(reading.id ?? extra?.via, { kind: 'error', error: reading.error })
        break
      case 'bad-answer':
        outgoing.answered(reading.id, failure('invalid', `The answer is not legal: ${reading.why}`))
        break
      case 'bad-request': {
        const error = { code: codes.invalidRequest, message: `Invalid request: ${reading.why}` }
        void send(
          reading.id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id: reading.id, error },
        )
        break
      }
      case 'noise':
        event('warn', `something that is no message was skipped: ${reading.why}`)
    }
  }

  const wired = transport as { -readonly [K in keyof Transport]: Transport[K] }
  wired.onmessage = received as (message: never, extra?: never) => void
  wired.onerror = (error) => {
    lastError = error
    // A stream that is given up for good is lost notifications; the rest is the transport's daily business.
    event(/maximum reconnection/i.test(error.message) ? 'warn' : 'debug', reasonOf(error))
  }
  wired.onclose = () => {
    const why = handlers.whyClosed?.() ?? (lastError === undefined ? undefined : reasonOf(lastError))
    ended(why === undefined ? 'the connection was closed' : `the connection was closed: ${why}`)
  }

  return {
    start: () => transport.start(),
    request: (method, params, options) =>
      closedBecause === undefined
        ? outgoing.send(method, params, options)
        : Promise.resolve(failure('closed', closedBecause, safeToRetry)),
    notify: (method, params, options) =>
      send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }, options),
    answer: sendAnswer,
    close: async (reason = 'closed by this side', farewell) => {
      ended(reason)
      await farewell?.().catch(() => undefined)
      await transport.close().catch((error: unknown) => event('debug', `closing failed: ${reasonOf(error)}`))
    },
    get closedBecause() {
      return closedBecause
    },
  }
}

const answerMessage = (id: RequestId, outcome: Outcome): WireMessage =>
  outcome.kind === 'error'
    ? { jsonrpc: '2.0', id, error: outcome.error }
    : { jsonrpc: '2.0', id, result: outcome.value }
