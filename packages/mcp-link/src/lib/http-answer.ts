import { isJsonObject, isRequestId, type RequestId, readMessage } from './message.ts'
import type { WireError } from './outcome.ts'

/**
 * Thrown by {@link watchFetch} where a POST did not come back as a plain 2xx with a JSON or event-stream body:
 * the status and what stood in the body, so that the negotiation and the operator see what the server said.
 */
export class HttpAnswerError extends Error {
  readonly code = 'http-answer'
  readonly status: number
  readonly contentType: string | undefined
  /** The body as text, cut after 64 KiB. */
  readonly body: string
  /** Whether the request carried a session id, so that a 404 means the session is gone. */
  readonly hadSession: boolean
  /** `WWW-Authenticate`, where the server sent one. */
  readonly challenge: string | undefined

  constructor(answer: {
    status: number
    contentType?: string | undefined
    body: string
    hadSession: boolean
    challenge?: string | undefined
  }) {
    super(`HTTP ${answer.status}${describeBody(answer.body)}`)
    this.name = 'HttpAnswerError'
    this.status = answer.status
    this.contentType = answer.contentType
    this.body = answer.body
    this.hadSession = answer.hadSession
    this.challenge = answer.challenge
  }
}

function describeBody(body: string): string {
  const text = body
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return text === '' ? ' with an empty body' : `: ${text.slice(0, 200)}`
}

/** The JSON-RPC error in an HTTP body that answers the request with this id, where there is one. */
export function errorInBody(body: string, id: RequestId): WireError | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  if (!isJsonObject(value)) return undefined
  // Some servers leave out the version or the id in an error that goes with a 4xx status.
  const reading = readMessage({ ...value, jsonrpc: '2.0', id: isRequestId(value.id) ? value.id : null })
  if (reading.kind !== 'error' || (reading.id !== undefined && reading.id !== id)) return undefined
  return reading.error
}

/** As `fetch`, as far as the SDKs' transports use it. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const bodyLimit = 64 * 1024

async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    while (size < bodyLimit) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      size += value.byteLength
    }
  } catch {
    // What has arrived so far is what there is to show.
  }
  void reader.cancel().catch(() => undefined)
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bodyLimit))
}

/** Whether the body of a POST holds a request, that is: something the server has to answer. */
function asksForAnswer(body: unknown): boolean {
  if (typeof body !== 'string') return false
  try {
    const message: unknown = JSON.parse(body)
    return isJsonObject(message) && typeof message.method === 'string' && message.id !== undefined
  } catch {
    return false
  }
}

/**
 * Puts a watch around the `fetch` a Streamable HTTP client transport uses: a POST that is not answered as the
 * transport specification has it (a status outside 2xx, an empty 2xx to a request, HTML) rejects with an
 * {@link HttpAnswerError} that keeps status and body. Statuses in `leave` are handed on, for the SDK's login code.
 */
export function watchFetch(fetch: Fetch, { leave = [] }: { readonly leave?: readonly number[] } = {}): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if ((init?.method ?? 'GET').toUpperCase() !== 'POST' || leave.includes(response.status)) return response
    const contentType = response.headers.get('content-type') ?? undefined
    const essence = (contentType ?? '').split(';')[0]?.trim().toLowerCase()
    const usable = essence === 'application/json' || essence === 'text/event-stream'
    if (response.ok && (usable || !asksForAnswer(init?.body))) return response
    throw new HttpAnswerError({
      status: response.status,
      contentType,
      body: await readText(response),
      hadSession: new Headers(init?.headers).has('mcp-session-id'),
      challenge: response.headers.get('www-authenticate') ?? undefined,
    })
  }
}
