import { getRequestListener } from '@hono/node-server'
import {
  DEFAULT_MAX_REQUEST_BODY_SIZE,
  readRequestBody,
} from '@modelcontextprotocol/sdk/server/requestBody.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  codes,
  createAudience,
  createHttpFront,
  createHttpSessions,
  createServing,
  errorResponse,
  type HttpEndpoint,
  type HttpOptions,
  listenHttp,
  type Service,
} from '@truename/mcp-link'
import { legacyVersions } from './legacy-versions.ts'

/**
 * Serves legacy clients over Streamable HTTP, with sessions. Host and Origin are checked; by default only this
 * machine is listened to.
 */
export async function serveHttp(service: Service, options: HttpOptions = {}): Promise<HttpEndpoint> {
  const serving = createServing({ versions: legacyVersions, ...options })
  const audience = createAudience(service)
  const sessions = createHttpSessions({
    service: audience.service,
    serving,
    profileOf: options.profileOf ?? (() => 'default'),
    idleMs: options.idleSessionMs,
    maxSessions: options.maxSessions,
    open: ({ sessionIdGenerator }) => new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator }),
  })

  async function mcp(request: Request): Promise<Response> {
    if (request.method !== 'POST') return sessions.handle(request, undefined)
    if (request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
      return errorResponse(415, codes.refused, 'Content-Type must be application/json')
    }
    const read = await readRequestBody(request, DEFAULT_MAX_REQUEST_BODY_SIZE)
    if (read.tooLarge)
      return errorResponse(413, codes.refused, `The body is over ${DEFAULT_MAX_REQUEST_BODY_SIZE} bytes`)
    let body: unknown
    try {
      body = JSON.parse(read.text)
    } catch {
      return errorResponse(400, codes.parseError, 'The body is not valid JSON')
    }
    return sessions.handle(request, body)
  }

  const listener = getRequestListener(createHttpFront(options, mcp), { overrideGlobalObjects: false })
  const listening = await listenHttp(options, (request, response) => void listener(request, response))
  return {
    url: listening.url,
    broadcast: audience.broadcast,
    async close() {
      await listening.stop(() => sessions.close())
      serving.held.close()
    },
  }
}
