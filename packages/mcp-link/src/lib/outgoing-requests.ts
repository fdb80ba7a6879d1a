import { failure, neverSent, reasonOf, safeToRetry } from './failure.ts'
import { errorInBody, HttpAnswerError } from './http-answer.ts'
import type { Json, JsonObject } from './json.ts'
import { isJsonObject, type RequestId, type WireMessage } from './message.ts'
import type { LinkFailure, Outcome, WireError } from './outcome.ts'
import type { LinkEvent, Progress } from './port.ts'
import { toProgress } from './progress.ts'
import { delayOf } from './timer.ts'
import type { SendOptions } from './transport.ts'

/** The HTTP answer to a request, where it was not a 2xx with a JSON-RPC message. */
export interface HttpOutcome {
  readonly kind: 'http'
  readonly answer: HttpAnswerError
  /** The JSON-RPC error in its body that answers the request, where there is one. */
  readonly error?: WireError | undefined
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

/** The requests of this side that wait for their answers. */
export interface OutgoingRequests {
  /** Sends a request. Resolves, never rejects. */
  send(method: string, params: JsonObject, options: RequestOptions): Promise<Outcome | HttpOutcome>
  /** Takes an answer; without an id it can only mean the one open request. */
  answered(id: RequestId | undefined, outcome: Outcome): void
  /** Takes a report of progress; says whether it belongs to an open request. */
  progressed(params: JsonObject): boolean
  /** Answers whatever is open with `closed`. */
  closeAll(reason: string): void
}

interface Pending {
  readonly settle: (outcome: Outcome | HttpOutcome) => void
  readonly progress: (params: JsonObject) => void
}

/** Creates the bookkeeping of outgoing requests: own ids and progress tokens, timeouts, cancellation. */
export function createOutgoingRequests(options: {
  readonly transmit: (message: WireMessage, send?: SendOptions) => Promise<{ readonly error?: unknown }>
  readonly closed: () => boolean
  readonly event: (level: LinkEvent['level'], message: string, detail?: Json) => void
  /** Called with the id of an answer to no open request. */
  readonly answeredLate?: (id: RequestId) => void
}): OutgoingRequests {
  const { transmit, event } = options
  const pending = new Map<RequestId, Pending>()
  const late = new Map<RequestId, (outcome: Outcome) => void>()
  let lastId = 0
  /** The newest request that was answered under its id: what was sent before it and is silent stays so. */
  let newestAnswered = 0

  /**
   * The request that an error without an id must mean: the only open one, or the one whose time was up before it, as
   * long as nothing that was sent after that was answered. With several open it belongs to none.
   */
  const soleOpen = (): RequestId | undefined => {
    const silent = [...late.keys()].filter((id) => Number(id) > newestAnswered)
    return pending.size <= 1 && silent.length <= 1 ? [...silent, ...pending.keys()][0] : undefined
  }

  /** Where a request went out on the stream of another one, its cancellation goes there too, as long as there is one. */
  async function takeBack(id: RequestId, reason: string, sending: SendOptions | undefined): Promise<void> {
    const message: WireMessage = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason },
    }
    const { relatedRequestId } = sending ?? {}
    const sent = relatedRequestId === undefined ? undefined : await transmit(message, { relatedRequestId })
    if (sent === undefined || sent.error !== undefined) await transmit(message)
  }

  function send(method: string, params: JsonObject, request: RequestOptions): Promise<Outcome | HttpOutcome> {
    if (request.signal?.aborted) return Promise.resolve(failure('cancelled', reasonOf(request.signal.reason)))
    lastId += 1
    const id = lastId
    request.onId?.(id)
    const wantsProgress = request.progress !== undefined || request.askProgress === true
    const meta = isJsonObject(params._meta) ? params._meta : undefined
    const sent = wantsProgress ? { ...params, _meta: { ...meta, progressToken: id } } : params
    const cancelBy = request.cancelBy ?? 'notification'
    const exchange = new AbortController()

    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      let longest: ReturnType<typeof setTimeout> | undefined
      const settle = (outcome: Outcome | HttpOutcome): void => {
        if (!pending.delete(id)) return
        clearTimeout(timer)
        clearTimeout(longest)
        request.signal?.removeEventListener('abort', aborted)
        resolve(outcome)
      }
      const giveUp = (kind: LinkFailure, message: string): void => {
        if (!pending.has(id)) return
        settle(failure(kind, message))
        if (request.onLate && kind === 'timeout') late.set(id, request.onLate)
        if (cancelBy === 'stream') exchange.abort(new Error(message))
        else if (cancelBy === 'notification') {
          void takeBack(id, message, request.send)
        }
      }
      const aborted = (): void => giveUp('cancelled', reasonOf(request.signal?.reason ?? 'cancelled'))
      const rearm = (): void => {
        clearTimeout(timer)
        timer = setTimeout(
          () => giveUp('timeout', `No answer to ${method} within ${request.timeoutMs} ms`),
          delayOf(request.timeoutMs),
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
            request.progress?.(step)
          } catch (thrown) {
            event('error', `the progress listener of ${method} threw: ${reasonOf(thrown)}`)
          }
        },
      })
      rearm()
      if (request.maxTimeoutMs !== undefined) {
        longest = setTimeout(
          () => giveUp('timeout', `No answer to ${method} within ${request.maxTimeoutMs} ms in all`),
          delayOf(request.maxTimeoutMs),
        )
      }
      request.signal?.addEventListener('abort', aborted, { once: true })
      void transmit(
        { jsonrpc: '2.0', id, method, params: sent },
        {
          ...request.send,
          ...(cancelBy === 'stream' ? { requestSignal: exchange.signal } : {}),
          onRequestStreamEnd: (how) => {
            if (how === 'unanswered') settle({ kind: 'http', answer: noAnswer() })
            else settle(failure('transport', `The answer to ${method} never came: its stream broke`))
          },
        },
      ).then(({ error }) => {
        if (error === undefined) return
        if (error instanceof HttpAnswerError)
          return settle({ kind: 'http', answer: error, error: errorInBody(error.body, id) })
        const how = options.closed() ? 'closed' : 'transport'
        settle(failure(how, reasonOf(error), neverSent(error) ? safeToRetry : undefined))
      })
    })
  }

  return {
    send,
    answered(id, outcome) {
      const key = id ?? soleOpen()
      const found = key === undefined ? undefined : pending.get(key)
      const awaited = key === undefined ? undefined : late.get(key)
      if (found) {
        if (id !== undefined) newestAnswered = Math.max(newestAnswered, Number(id))
        found.settle(outcome)
      } else if (awaited && key !== undefined) {
        late.delete(key)
        awaited(outcome)
      } else {
        if (id !== undefined) options.answeredLate?.(id)
        event('debug', 'an answer to no open request', { id: id ?? null })
      }
    },
    progressed(params) {
      const token = params.progressToken
      const found = typeof token === 'number' || typeof token === 'string' ? pending.get(token) : undefined
      found?.progress(params)
      return found !== undefined
    },
    closeAll(reason) {
      for (const { settle } of [...pending.values()]) settle(failure('closed', reason))
      late.clear()
    },
  }
}

/** An event stream that ended in good order without its answer says as much as an empty body. */
const noAnswer = (): HttpAnswerError =>
  new HttpAnswerError({ status: 200, contentType: 'text/event-stream', body: '', hadSession: false })
