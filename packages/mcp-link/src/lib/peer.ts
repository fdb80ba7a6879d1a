import { codes, errorAnswer, failure, reasonOf } from './failure.ts'
import { errorInBody, HttpAnswerError } from './http-answer.ts'
import type { MessageExtra } from './http-tap.ts'
import type { Json, JsonObject } from './json.ts'
import { isJsonObject, type Reading, type RequestId, readMessage, type WireMessage } from './message.ts'
import type { LinkFailure, Outcome } from './outcome.ts'
import type { LinkEvent, Notice, Progress } from './port.ts'
import { toProgress } from './progress.ts'
import type { SendOptions, Transport } from './transport.ts'

/** The HTTP answer to a request, where it was no JSON-RPC message. */
export interface HttpOutcome {
  readonly kind: 'http'
  readonly answer: HttpAnswerError
}

/** What goes along with one outgoing request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  readonly progress?: ((step: Progress) => void) | undefined
  /** Asks the peer to report progress even where nobody reads it, since it keeps the request alive. */
  readonly askProgress?: boolean | undefined
  readonly timeoutMs: number
  readonly maxTimeoutMs?: number | undefined
  readonly send?: SendOptions | undefined
  /** How a request is taken back: with a notification, by ending its HTTP exchange, or not at all. */
  readonly cancelBy?: 'notification' | 'stream' | 'nothing' | undefined
  /** Called with the id before the message is sent. */
  readonly onId?: ((id: RequestId) => void) | undefined
  /** Called with the answer that came after the time was up. */
  readonly onLate?: ((outcome: Outcome) => void) | undefined
}

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
  /** Ends the connection; every open request is answered with `closed`. */
  close(reason?: string): Promise<void>
  readonly closedBecause: string | undefined
}

/** How many requests of a peer are worked on at once; the next one is refused. */
const maxIncoming = 1024

interface Pending {
  readonly settle: (outcome: Outcome | HttpOutcome) => void
  readonly progress: (params: JsonObject) => void
}

/** Puts JSON-RPC correlation on a transport. Nothing the peer sends is thrown. */
export function createPeer(transport: Transport, handlers: PeerHandlers): Peer {
  const pending = new Map<RequestId, Pending>()
  const late = new Map<RequestId, (outcome: Outcome) => void>()
  const incoming = new Map<RequestId, AbortController>()
  let lastId = 0
  let closedBecause: string | undefined
  let lastError: unknown

  const event = (level: LinkEvent['level'], message: string, detail?: Json): void =>
    handlers.event?.(detail === undefined ? { level, message } : { level, message, detail })

  const send = async (message: WireMessage, options?: SendOptions): Promise<{ readonly error?: unknown }> => {
    if (closedBecause !== undefined) return { error: new Error(closedBecause) }
    try {
      await transport.send(message, options)
      return {}
    } catch (error) {
      return { error: error ?? new Error('the transport failed') }
    }
  }

  const sendAnswer = async (id: RequestId, outcome: Outcome): Promise<void> => {
    const { error } = await send(
      outcome.kind === 'error'
        ? { jsonrpc: '2.0', id, error: outcome.error }
        : { jsonrpc: '2.0', id, result: outcome.value },
    )
    if (error !== undefined) event('debug', `an answer could not be sent: ${reasonOf(error)}`)
  }

  const ended = (reason: string): void => {
    if (closedBecause !== undefined) return
    closedBecause = reason
    for (const { settle } of [...pending.values()]) settle(failure('closed', reason))
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
      const token = params.progressToken
      if (typeof token === 'number' || typeof token === 'string') {
        const found = pending.get(token)
        if (found) {
          found.progress(params)
          return
        }
      }
      event('debug', 'progress for no open request', { progressToken: token ?? null })
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

  /**
   * The request that an error without an id must mean: the only open one, or the one whose time was up before it.
   * With several open it belongs to none.
   */
  const soleOpen = (): RequestId | undefined =>
    pending.size <= 1 && late.size <= 1 ? [...late.keys(), ...pending.keys()][0] : undefined

  const answered = (id: RequestId | undefined, outcome: Outcome): void => {
    const key = id ?? soleOpen()
    const found = key === undefined ? undefined : pending.get(key)
    if (found) {
      found.settle(outcome)
      return
    }
    const awaited = key === undefined ? undefined : late.get(key)
    if (awaited && key !== undefined) {
      late.delete(key)
      awaited(outcome)
    } else event('debug', 'an answer to no open request', { id: id ?? null })
  }

  const received = (value: unknown, extra?: MessageExtra): void => {
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
        answered(reading.id, { kind: 'result', value: reading.value })
        break
      case 'error':
        answered(reading.id, { kind: 'error', error: reading.error })
        break
      case 'bad-answer':
        answered(reading.id, failure('invalid', `The answer is not legal: ${reading.why}`))
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
    event('debug', reasonOf(error))
  }
  wired.onclose = () => {
    const why = handlers.whyClosed?.() ?? (lastError === undefined ? undefined : reasonOf(lastError))
    ended(why === undefined ? 'the connection was closed' : `the connection was closed: ${why}`)
  }

  function request(
    method: string,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<Outcome | HttpOutcome> {
    if (closedBecause !== undefined) return Promise.resolve(failure('closed', closedBecause))
    if (options.signal?.aborted) return Promise.resolve(failure('cancelled', reasonOf(options.signal.reason)))
    lastId += 1
    const id = lastId
    options.onId?.(id)
    const wantsProgress = options.progress !== undefined || options.askProgress === true
    const meta = isJsonObject(params._meta) ? params._meta : undefined
    const sent = wantsProgress ? { ...params, _meta: { ...meta, progressToken: id } } : params
    const cancelBy = options.cancelBy ?? 'notification'
    const exchange = new AbortController()

    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      let longest: ReturnType<typeof setTimeout> | undefined
      const settle = (outcome: Outcome | HttpOutcome): void => {
        if (!pending.delete(id)) return
        clearTimeout(timer)
        clearTimeout(longest)
        options.signal?.removeEventListener('abort', aborted)
        resolve(outcome)
      }
      const giveUp = (kind: LinkFailure, message: string): void => {
        if (!pending.has(id)) return
        settle(failure(kind, message))
        if (options.onLate && kind === 'timeout') late.set(id, options.onLate)
        if (cancelBy === 'stream') exchange.abort(new Error(message))
        else if (cancelBy === 'notification') {
          void send({
            jsonrpc: '2.0',
            method: 'notifications/cancelled',
            params: { requestId: id, reason: message },
          })
        }
      }
      const aborted = (): void => giveUp('cancelled', reasonOf(options.signal?.reason ?? 'cancelled'))
      const rearm = (): void => {
        clearTimeout(timer)
        timer = setTimeout(
          () => giveUp('timeout', `No answer to ${method} within ${options.timeoutMs} ms`),
          options.timeoutMs,
        )
      }
      pending.set(id, {
        settle,
        progress: (notified) => {
          rearm()
          const step = toProgress(notified)
          if (step === undefined) {
            event('debug', 'a progress notification without a number', notified)
            return
          }
          try {
            options.progress?.(step)
          } catch (thrown) {
            event('error', `the progress listener of ${method} threw: ${reasonOf(thrown)}`)
          }
        },
      })
      rearm()
      if (options.maxTimeoutMs !== undefined) {
        longest = setTimeout(
          () => giveUp('timeout', `No answer to ${method} within ${options.maxTimeoutMs} ms in all`),
          options.maxTimeoutMs,
        )
      }
      options.signal?.addEventListener('abort', aborted, { once: true })
      void send(
        { jsonrpc: '2.0', id, method, params: sent },
        {
          ...options.send,
          ...(cancelBy === 'stream' ? { requestSignal: exchange.signal } : {}),
          onRequestStreamEnd: (how) => {
            if (how === 'unanswered') settle({ kind: 'http', answer: noAnswer() })
            else settle(failure('transport', `The answer to ${method} never came: its stream broke`))
          },
        },
      ).then(({ error }) => {
        if (error === undefined) return
        if (error instanceof HttpAnswerError) {
          const answer = errorInBody(error.body, id)
          // A 404 to a request with a session id speaks of the session, whatever stands in its body.
          if (answer && !(error.status === 404 && error.hadSession)) settle({ kind: 'error', error: answer })
          else settle({ kind: 'http', answer: error })
        } else settle(failure(closedBecause === undefined ? 'transport' : 'closed', reasonOf(error)))
      })
    })
  }

  return {
    start: () => transport.start(),
    request,
    notify: (method, params, options) =>
      send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }, options),
    answer: sendAnswer,
    close: async (reason = 'closed by this side') => {
      ended(reason)
      await transport.close().catch((error: unknown) => event('debug', `closing failed: ${reasonOf(error)}`))
    },
    get closedBecause() {
      return closedBecause
    },
  }
}

/** An event stream that ended in good order without its answer says as much as an empty body. */
const noAnswer = (): HttpAnswerError =>
  new HttpAnswerError({ status: 200, contentType: 'text/event-stream', body: '', hadSession: false })
