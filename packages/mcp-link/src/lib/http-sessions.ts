import { randomUUID } from 'node:crypto'
import { eraOf } from '@truename/capability-negotiator'
import { codes } from './failure.ts'
import { errorResponse, idOf, idsOf } from './http-answers.ts'
import { isJsonObject, type RequestId } from './message.ts'
import type { Service } from './port.ts'
import { type ServedConnection, serveConnection } from './serve-connection.ts'
import type { Serving } from './serve-options.ts'
import type { Transport } from './transport.ts'

/** A server transport of either SDK line for one legacy session, as far as sessions need it. */
export interface SessionTransport extends Transport {
  handleRequest(request: Request, options: { readonly parsedBody?: unknown }): Promise<Response>
}

/** The legacy sessions of one endpoint. */
export interface HttpSessions {
  /** Serves a request whose body was read and parsed already. */
  handle(request: Request, body: unknown): Promise<Response>
  readonly size: number
  close(): Promise<void>
}

interface Session {
  readonly transport: SessionTransport
  readonly connection: ServedConnection
  readonly profile: string
  readonly live: Set<RequestId>
  streams: number
  lastSeen: number
}

const header = 'mcp-session-id'
const isInitialize = (body: unknown): boolean =>
  isJsonObject(body) && body.method === 'initialize' && body.id !== undefined

/**
 * Keeps the sessions of legacy clients over Streamable HTTP (2025-11-25, basic/transports §Session Management): an
 * unguessable id each, bound to the profile that opened it; an unknown id is a 404, upon which clients initialize
 * anew; a session nobody uses for `idleMs` ends with everything it holds.
 */
export function createHttpSessions(options: {
  readonly service: Service
  readonly serving: Serving
  readonly profileOf: (headers: Headers) => string
  /** Default 30 minutes. */
  readonly idleMs?: number | undefined
  /** Default 10 000. */
  readonly maxSessions?: number | undefined
  readonly open: (hooks: {
    readonly sessionIdGenerator: () => string
    readonly supportedProtocolVersions: string[]
  }) => SessionTransport
}): HttpSessions {
  const { service, serving, idleMs = 30 * 60_000, maxSessions = 10_000 } = options
  const sessions = new Map<string, Session>()
  const versions = serving.versions.filter((version) => eraOf(version) === 'legacy')

  const sweep = setInterval(
    () => {
      for (const session of sessions.values()) {
        const idle =
          Date.now() - session.lastSeen >= idleMs && session.streams === 0 && session.live.size === 0
        if (idle) void session.connection.close()
      }
    },
    Math.max(20, Math.min(idleMs / 4, 60_000)),
  )
  sweep.unref()

  async function start(request: Request, body: unknown): Promise<Response> {
    if (sessions.size >= maxSessions) {
      return errorResponse(503, codes.refused, 'Too many sessions', { id: idOf(body) })
    }
    const id = randomUUID()
    const transport = options.open({ sessionIdGenerator: () => id, supportedProtocolVersions: [...versions] })
    const profile = options.profileOf(request.headers)
    const connection = serveConnection(transport, service, { serving, profile, eras: ['legacy'] })
    const session: Session = {
      transport,
      connection,
      profile,
      live: new Set(),
      streams: 0,
      lastSeen: Date.now(),
    }
    await connection.start()
    sessions.set(id, session)
    void connection.closed.then(() => sessions.delete(id))
    const response = await pass(session, request, body)
    if (!response.ok) await connection.close()
    return response
  }

  async function pass(session: Session, request: Request, body: unknown): Promise<Response> {
    const ids = idsOf(body)
    const repeated = ids.find((id, index) => session.live.has(id) || ids.indexOf(id) !== index)
    if (repeated !== undefined) {
      return errorResponse(400, codes.invalidRequest, 'A request with this id is in flight in this session', {
        id: repeated,
      })
    }
    session.lastSeen = Date.now()
    for (const id of ids) session.live.add(id)
    const done = (gone: boolean): void => {
      session.lastSeen = Date.now()
      for (const id of ids) {
        if (!session.live.delete(id) || !gone) continue
        // Nobody can receive the answer any more, so the work is taken back, as a cancellation would.
        const params = { requestId: id, reason: 'the client has gone' }
        session.transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params } as never)
      }
    }
    let response: Response
    try {
      response = await session.transport.handleRequest(
        request,
        body === undefined ? {} : { parsedBody: body },
      )
    } catch (error) {
      done(true)
      throw error
    }
    if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      done(false)
      return response
    }
    session.streams += 1
    return watchBody(response, request.signal, (gone) => {
      session.streams -= 1
      done(gone)
    })
  }

  return {
    async handle(request, body) {
      const id = request.headers.get(header)
      if (isInitialize(body)) return start(request, body)
      if (id === null) {
        return errorResponse(400, codes.refused, 'Mcp-Session-Id is missing: initialize first', {
          id: idOf(body),
        })
      }
      const session = sessions.get(id)
      if (!session || session.profile !== options.profileOf(request.headers)) {
        return errorResponse(404, codes.timeout, 'Session not found', { id: idOf(body) })
      }
      return pass(session, request, body)
    },
    get size() {
      return sessions.size
    },
    async close() {
      clearInterval(sweep)
      await Promise.all([...sessions.values()].map(({ connection }) => connection.close()))
      sessions.clear()
    },
  }
}

/** Tells when a streamed body ended, and whether its reader went away before. */
function watchBody(response: Response, signal: AbortSignal, ended: (gone: boolean) => void): Response {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let told = false
  const tell = (gone: boolean): void => {
    if (told) return
    told = true
    signal.removeEventListener('abort', aborted)
    ended(gone)
  }
  // Some servers cancel the body of a client that has gone only when they next write to it.
  const aborted = (): void => tell(true)
  signal.addEventListener('abort', aborted, { once: true })
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (value !== undefined) controller.enqueue(value)
        if (!done) return
        tell(false)
        controller.close()
      } catch (error) {
        tell(true)
        controller.error(error)
      }
    },
    cancel(reason) {
      tell(true)
      return reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
