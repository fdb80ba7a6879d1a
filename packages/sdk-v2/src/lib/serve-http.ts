import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import {
  classifyInboundRequest,
  DEFAULT_MAX_REQUEST_BODY_SIZE,
  readRequestBody,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import {
  createAudience,
  createHttpFront,
  createHttpSessions,
  createServing,
  errorResponse,
  type HttpEndpoint,
  type HttpOptions,
  idOf,
  listenHttp,
  type Service,
} from '@truename/mcp-link'
import { serveExchange } from './serve-exchange.ts'

/**
 * Serves clients of both eras over Streamable HTTP at one path: legacy ones with sessions, modern ones stateless.
 * Host and Origin are checked; by default only this machine is listened to.
 */
export async function serveHttp(service: Service, options: HttpOptions = {}): Promise<HttpEndpoint> {
  const serving = createServing(options)
  const audience = createAudience(service)
  const profileOf = options.profileOf ?? (() => 'default')
  const sessions = createHttpSessions({
    service: audience.service,
    serving,
    profileOf,
    idleMs: options.idleSessionMs,
    maxSessions: options.maxSessions,
    open: (hooks) => new WebStandardStreamableHTTPServerTransport(hooks),
  })
  const exchanges = new Set<() => Promise<void>>()

  async function mcp(request: Request, body: unknown): Promise<Response> {
    const route = classifyInboundRequest({
      httpMethod: request.method,
      ...headerAs(request, 'mcp-protocol-version', 'protocolVersionHeader'),
      ...headerAs(request, 'mcp-method', 'mcpMethodHeader'),
      ...headerAs(request, 'mcp-name', 'mcpNameHeader'),
      ...(body === undefined ? {} : { body }),
    })
    switch (route.kind) {
      case 'reject':
        return errorResponse(route.httpStatus, route.code, route.message, {
          id: idOf(body),
          data: route.data as never,
        })
      case 'legacy':
        return sessions.handle(request, body)
      case 'modern':
        return serveExchange(request, route, {
          service: audience.service,
          serving,
          profile: profileOf(request.headers),
          exchanges,
        })
    }
  }

  const bodies = { read: readRequestBody, limit: DEFAULT_MAX_REQUEST_BODY_SIZE }
  const handler = toNodeHandler({ fetch: createHttpFront(options, bodies, mcp) })
  const listening = await listenHttp(
    options,
    (request, response) => void handler(request as NodeIncomingMessageLike, response),
  )
  return {
    url: listening.url,
    broadcast: audience.broadcast,
    async close() {
      await listening.stop(() => Promise.all([sessions.close(), ...[...exchanges].map((end) => end())]))
      serving.held.close()
    },
  }
}

/** A header under the member's name, or nothing where it is absent. */
function headerAs<Name extends string>(
  request: Request,
  header: string,
  name: Name,
): { [K in Name]?: string } {
  const value = request.headers.get(header)
  return value === null ? {} : ({ [name]: value } as { [K in Name]?: string })
}
