import { printable } from './failure.ts'
import { isJsonObject, isRequestId, type RequestId, readMessage } from './message.ts'
import type { WireError } from './outcome.ts'

/**
 * Thrown where a POST did not come back as a 2xx with a JSON or event-stream body: the status and what stood in the
 * body, so that the negotiation and the operator see what the server said.
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
  const text = printable(body.slice(0, 4000).replaceAll(/<[^>]*>/g, ' '), 200)
  return text === '' ? ' with an empty body' : `: ${text}`
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
