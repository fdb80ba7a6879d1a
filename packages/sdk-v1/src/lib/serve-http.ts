import { getRequestListener } from '@hono/node-server'
import {
  DEFAULT_MAX_REQUEST_BODY_SIZE,
  readRequestBody,
} from '@modelcontextprotocol/sdk/server/requestBody.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  createAudience,
  createHttpFront,
  createHttpSessions,
  createServing,
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

  const bodies = { read: readRequestBody, limit: DEFAULT_MAX_REQUEST_BODY_SIZE }
  const front = createHttpFront(options, bodies, (request, body) => sessions.handle(request, body))
  const listener = getRequestListener(front, { overrideGlobalObjects: false })
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
