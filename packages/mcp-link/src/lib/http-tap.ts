import { EventSourceParserStream } from 'eventsource-parser/stream'
import { HttpAnswerError } from './http-answer.ts'
import { defaultLineLimit } from './line-transport.ts'
import { isJsonObject, isRequestId, type RequestId, readMessage } from './message.ts'
import { readText } from './read-text.ts'
import { createResumptions } from './resumptions.ts'
import type { Transport } from './transport.ts'
import { watchBreaking } from './watch-breaking.ts'

/** As `fetch`, as far as the SDKs' transports use it. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** What came along with a message. */
export interface MessageExtra {
  /** The request of ours on whose HTTP exchange the message arrived. */
  readonly via?: RequestId | undefined
}

/** A `fetch` for an SDK's HTTP client transport, and the transport as it is to be used. */
export interface HttpTap {
  readonly fetch: Fetch
  wrap(transport: Transport): Transport
}

/** How much of the body of an answer that is no message is kept. */
const keptBody = 64 * 1024

/**
 * Reads messages where they arrive, between `fetch` and an SDK's HTTP client transport: parsed by `JSON.parse` alone,
 * so that no member, no order and no unusual message is lost to the SDK's own parsing, and with the exchange they
 * came on, which says what a server's request belongs to. The SDK keeps sessions, logins, headers, redirects and
 * reconnecting; it gets stand-ins for the messages. An answer that is not as Streamable HTTP has it (a status outside
 * 2xx, an empty 2xx to a request, HTML) becomes an {@link HttpAnswerError} with status and body.
 */
export function createHttpTap(
  fetch: Fetch,
  options: {
    /** Statuses that the SDK has to see itself, for its login code. */
    readonly leave?: readonly number[]
    /** The transport of 2024-11-05, where answers come on one stream and POSTs come back empty. */
    readonly sse?: boolean
    readonly limit?: number
  } = {},
): HttpTap {
  const { leave = [], sse = false, limit = defaultLineLimit } = options
  /** Whether the SDK's transport says by itself when a stream broke for good (line 2), so that it is not said for it. */
  let tells = false
  const resumptions = createResumptions()
  const broke = (via: RequestId | undefined): void => {
    if (tells || via === undefined) return
    resumptions.settled(via)
    streamEnds.get(via)?.()
  }
  const streamEnds = new Map<RequestId, (how?: 'unanswered') => void>()
  /** JSON answers, until the SDK has taken note of the response they came with (its session id, for one). */
  const arrived = new Map<RequestId, readonly unknown[]>()
  /** Refusals that the SDK's login code was given to deal with, by request; they say why a request failed in the end. */
  const refusals = new Map<RequestId, HttpAnswerError>()
  let deliver: (message: unknown, extra: MessageExtra) => void = () => undefined
  let failed: (error: Error) => void = () => undefined

  /** The messages of an event stream are delivered; what the SDK gets tells it only that they came. */
  function tapEvents(response: Response, via: RequestId | undefined): Response {
    let answered = false
    let lastEvent: string | undefined
    const parsed = (response.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
      .pipeThrough(
        new EventSourceParserStream({
          maxBufferSize: limit,
          onError: (error) => {
            if ('type' in error && error.type === 'max-buffer-size-exceeded')
              failed(new Error(`an event of over ${limit} bytes was dropped`))
          },
          onRetry: (milliseconds) => {
            retry = `retry: ${milliseconds}\n`
          },
        }),
      )
    let retry = ''
    const standIns = parsed.pipeThrough(
      new TransformStream<{ event?: string | undefined; id?: string | undefined; data: string }, string>({
        transform({ event, id, data }, controller) {
          const head = `${retry}${id === undefined ? '' : `id: ${id}\n`}`
          retry = ''
          if (id) lastEvent = id
          if (event !== undefined && event !== 'message') {
            controller.enqueue(
              `${head}event: ${event}\n${data
                .split('\n')
                .map((line) => `data: ${line}\n`)
                .join('')}\n`,
            )
            return
          }
          const value = data === '' ? undefined : parse(data)
          // A batch (2025-03-26) is as good as its messages one by one.
          const messages = Array.isArray(value) && value.length > 0 ? (value as unknown[]) : [value]
          const answersIt = messages.find((message) => answers(message, via))
          if (answersIt !== undefined) answered = true
          controller.enqueue(`${head}data: ${answersIt && !sse ? standInFor(answersIt, via) : ''}\n\n`)
          if (value !== undefined) for (const message of messages) deliver(message, { via })
        },
        flush() {
          // The SDK takes up a stream again that it can resume; any other one that ended without its answer is over.
          if (answered || via === undefined) return
          if (lastEvent === undefined) streamEnds.get(via)?.('unanswered')
          else resumptions.wait(lastEvent, via)
        },
      }),
    )
    const body = standIns.pipeThrough(
      new TextEncoderStream() as unknown as TransformStream<string, Uint8Array>,
    )
    const cut = (): void => {
      if (answered || via === undefined) return
      if (lastEvent === undefined) broke(via)
      else resumptions.wait(lastEvent, via)
    }
    return new Response(watchBreaking(body, cut), { status: response.status, headers: response.headers })
  }

  function parse(data: string): unknown {
    try {
      return JSON.parse(data)
    } catch {
      failed(new Error(`a message that is no JSON was skipped: ${data.slice(0, 200)}`))
      return undefined
    }
  }

  /** From which event a stream is asked for; line 1 of the SDK forgets it where a login came in between. */
  function resuming(init: RequestInit | undefined): { resumed?: string; asked: RequestInit | undefined } {
    if (init?.method !== 'GET') return { asked: init }
    const headers = new Headers(init.headers)
    const resumed = resumptions.asked(headers.get('last-event-id') ?? undefined)
    if (resumed === undefined) return { asked: init }
    headers.set('last-event-id', resumed)
    return { resumed, asked: { ...init, headers } }
  }

  async function tapped(url: string | URL, init?: RequestInit): Promise<Response> {
    const isPost = init?.method?.toUpperCase() === 'POST'
    const { resumed, asked } = resuming(init)
    const response = await fetch(url, asked).catch((error: unknown) => {
      if (resumed !== undefined) resumptions.failed(resumed)
      throw error
    })
    const id = isPost ? requestIdOf(init?.body) : undefined
    const contentType = response.headers.get('content-type') ?? undefined
    if (leave.includes(response.status)) {
      if (resumed !== undefined) resumptions.failed(resumed)
      if (resumed !== undefined && !tells && response.status === 401) resumptions.challenged(resumed)
      if (id !== undefined) refusals.set(id, answerError(response, contentType, '', init))
      return response
    }
    const essence = contentType?.split(';')[0]?.trim().toLowerCase()
    const isStream = response.ok && essence === 'text/event-stream' && response.body !== null
    if (resumed !== undefined && !isStream) resumptions.failed(resumed)
    // The SDK would read it as a stream that ended, and ask for a stream from no event on, again and again.
    if (init?.method === 'GET' && response.ok && !isStream && !sse)
      throw answerError(response, contentType, await readText(response, keptBody), init)
    const again = resumed === undefined ? undefined : resumptions.of(resumed)
    // The SDK takes a 405 for a server that has no such streams, and asks no more.
    if (response.status === 405) broke(again)
    if (isStream) {
      if (resumed !== undefined) resumptions.taken(resumed)
      return tapEvents(response, id ?? again)
    }
    if (!isPost || (response.ok && id === undefined) || (response.ok && sse)) return response
    if (response.ok && essence === 'application/json') {
      const text = await readText(response, limit)
      try {
        const value: unknown = JSON.parse(text)
        const messages = Array.isArray(value) ? (value as unknown[]) : [value]
        if (id !== undefined && messages.some((message) => answers(message, id))) {
          arrived.set(id, messages)
          return new Response(null, { status: 202, headers: response.headers })
        }
        for (const message of messages)
          if (isJsonObject(message) && typeof message.method === 'string') deliver(message, { via: id })
      } catch {
        // As an answer that is no message at all.
      }
      throw answerError(response, contentType, text, init)
    }
    throw answerError(response, contentType, await readText(response, keptBody), init)
  }

  return {
    fetch: tapped,
    wrap(transport) {
      const wrapped: Transport = {
        start: async () => {
          transport.onclose = () => wrapped.onclose?.()
          transport.onerror = (error) => {
            wrapped.onerror?.(error)
            // It does not say of which stream; another one that was tried as often is given up at this moment, too.
            const tries = /maximum reconnection attempts \((\d+)\)/i.exec(error.message)?.[1]
            if (tries !== undefined) for (const via of resumptions.tried(Number(tries))) broke(via)
          }
          await transport.start()
        },
        send: async (message, sending) => {
          const id = 'method' in message && 'id' in message ? message.id : undefined
          const ended = sending?.onRequestStreamEnd
          if (id === undefined || !ended) return transport.send(message, sending)
          const forget = (how?: 'unanswered'): void => {
            if (streamEnds.delete(id)) ended(how)
          }
          streamEnds.set(id, forget)
          try {
            await transport.send(message, { ...sending, onRequestStreamEnd: () => forget() })
            for (const answer of arrived.get(id) ?? []) deliver(answer, { via: id })
          } catch (error) {
            throw refusals.get(id) ?? error
          } finally {
            arrived.delete(id)
            refusals.delete(id)
          }
        },
        close: () => transport.close(),
        setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
        hasPerRequestStream: transport.hasPerRequestStream,
        get sessionId() {
          return transport.sessionId
        },
      }
      tells = transport.hasPerRequestStream === true
      deliver = (message, extra) => {
        const answered = answeredBy(message, extra.via)
        if (answered !== undefined) {
          streamEnds.delete(answered)
          resumptions.settled(answered)
        }
        wrapped.onmessage?.(message as never, extra as never)
      }
      failed = (error) => wrapped.onerror?.(error)
      return wrapped
    },
  }
}

/**
 * Whether a message answers the request on whose exchange it came; an error without an id can mean no other. On a
 * stream that belongs to none, any answer does.
 */
function answers(message: unknown, via: RequestId | undefined): boolean {
  const id = answeredBy(message, via)
  return id !== undefined && (via === undefined || id === via)
}

/** The id of the request that a message answers. */
function answeredBy(message: unknown, via: RequestId | undefined): RequestId | undefined {
  const reading = readMessage(message)
  if (reading.kind === 'error') return reading.id ?? via
  return reading.kind === 'result' || reading.kind === 'bad-answer' ? reading.id : undefined
}

/** Tells an SDK that its request was answered, and nothing else. */
const standInFor = (message: unknown, via: RequestId | undefined): string =>
  JSON.stringify({ jsonrpc: '2.0', id: answeredBy(message, via), result: {} })

/** The id of the request in the body of a POST, which the server has to answer. */
function requestIdOf(body: unknown): RequestId | undefined {
  if (typeof body !== 'string') return undefined
  try {
    const message: unknown = JSON.parse(body)
    const asks = isJsonObject(message) && typeof message.method === 'string' && isRequestId(message.id)
    return asks ? (message.id as RequestId) : undefined
  } catch {
    return undefined
  }
}

function answerError(
  response: Response,
  contentType: string | undefined,
  body: string,
  init: RequestInit | undefined,
): HttpAnswerError {
  return new HttpAnswerError({
    status: response.status,
    contentType,
    body: body.slice(0, keptBody),
    hadSession: new Headers(init?.headers).has('mcp-session-id'),
    challenge: response.headers.get('www-authenticate') ?? undefined,
  })
}
