import { codes, reasonOf } from './failure.ts'
import { errorResponse } from './http-answers.ts'
import { type BodyReading, readJsonBody } from './http-body.ts'
import { loopbackHosts, refuseRequest } from './http-guard.ts'
import type { Downstream, LinkEvent, Service } from './port.ts'
import type { ServingOptions } from './serve-options.ts'

/** Options of an HTTP endpoint, on either SDK line. */
export interface HttpOptions extends ServingOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined
  /** Default 0: any free port. */
  readonly port?: number | undefined
  /** Default `/mcp`. */
  readonly path?: string | undefined
  /** Host names (without port) by which clients may address this endpoint. Default: the loopback names and `host`. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Origins or host names of web pages that may call. Default: the loopback names. */
  readonly allowedOrigins?: readonly string[] | undefined
  /** The operator's label for the client of a request, from a token for instance. Default `default`. */
  readonly profileOf?: ((headers: Headers) => string) | undefined
  /** After how long an unused legacy session ends. Default 30 minutes. */
  readonly idleSessionMs?: number | undefined
  /** Default 10 000. */
  readonly maxSessions?: number | undefined
  /** Serves what is outside `path`: pages, health. Default 404. */
  readonly fallback?: ((request: Request) => Promise<Response | undefined>) | undefined
}

/** What clients are addressed with, and the service that keeps the list up to date. */
export interface Audience {
  readonly service: Service
  broadcast(method: string, params?: Parameters<Downstream['notify']>[1]): Promise<void>
}

/** Keeps track of every client a service has, so that all of them can be told something. */
export function createAudience(service: Service): Audience {
  const clients = new Set<Downstream>()
  return {
    service: {
      declare: (client) => service.declare(client),
      accept(downstream) {
        clients.add(downstream)
        downstream.onClose(() => clients.delete(downstream))
        service.accept(downstream)
      },
      listening: (downstream, filter, about) => service.listening?.(downstream, filter, about),
    },
    async broadcast(method, params) {
      await Promise.all([...clients].map((client) => client.notify(method, params)))
    },
  }
}

/** Guards an endpoint, reads the JSON that is posted to it, and sends each request where it belongs. Never rejects. */
export function createHttpFront(
  options: HttpOptions,
  bodies: BodyReading,
  /** `body` is undefined where the request is no POST. */
  mcp: (request: Request, body: unknown) => Promise<Response>,
): (request: Request) => Promise<Response> {
  const host = options.host ?? '127.0.0.1'
  const path = options.path ?? '/mcp'
  const guard = {
    allowedHosts: options.allowedHosts ?? [...loopbackHosts, host.includes(':') ? `[${host}]` : host],
    allowedOrigins: options.allowedOrigins ?? loopbackHosts,
  }
  const event = (happened: LinkEvent): void => options.onEvent?.(happened)
  return async (request) => {
    try {
      const refused = refuseRequest(request.headers, guard)
      if (refused !== undefined) {
        event({ level: 'warn', message: `an HTTP request was refused: ${refused}` })
        return errorResponse(403, codes.refused, refused)
      }
      if (new URL(request.url).pathname === path) {
        if (request.method !== 'POST') return await mcp(request, undefined)
        const body = await readJsonBody(request, bodies)
        return 'refused' in body ? body.refused : await mcp(request, body.value)
      }
      const other = await options.fallback?.(request)
      return other ?? errorResponse(404, codes.refused, `Not found; the MCP endpoint is ${path}`)
    } catch (thrown) {
      event({ level: 'error', message: `an HTTP request failed: ${reasonOf(thrown)}` })
      return errorResponse(500, codes.internalError, 'Internal error')
    }
  }
}
