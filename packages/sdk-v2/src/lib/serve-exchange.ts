import { type InboundModernRoute, PerRequestHTTPServerTransport } from '@modelcontextprotocol/server'
import {
  checkStandardHeaders,
  codes,
  errorResponse,
  idOf,
  type JsonObject,
  type Service,
  type Serving,
  serveConnection,
} from '@truename/mcp-link'

/** The HTTP statuses of JSON-RPC errors (2026-07-28, Streamable HTTP §Sending Messages); any other one is a 200. */
const statuses: Readonly<Record<number, number>> = {
  [codes.parseError]: 400,
  [codes.invalidRequest]: 400,
  [codes.methodNotFound]: 404,
  [codes.headerMismatch]: 400,
  [codes.missingClientCapability]: 400,
  [codes.unsupportedVersion]: 400,
}

/** Serves one modern request: a connection of its own that ends with the answer. */
export async function serveExchange(
  request: Request,
  route: InboundModernRoute,
  context: {
    readonly service: Service
    readonly serving: Serving
    readonly profile: string
    readonly exchanges: Set<() => Promise<void>>
  },
): Promise<Response> {
  const { message, classification } = route
  const params = (message.params ?? {}) as JsonObject
  if (route.messageKind === 'request' && classification.revision !== undefined) {
    const parts = { method: message.method, params, version: classification.revision }
    const { headers } = request
    const wrong =
      checkStandardHeaders(headers, parts) ??
      context.serving.paramHeaders.mismatch(headers, message.method, params)
    if (wrong !== undefined) return errorResponse(400, codes.headerMismatch, wrong, { id: idOf(message) })
  }
  const transport = new PerRequestHTTPServerTransport({ classification })
  const connection = serveConnection(transport, context.service, {
    serving: context.serving,
    profile: context.profile,
    eras: ['modern'],
  })
  const end = (): Promise<void> => connection.close()
  context.exchanges.add(end)
  void connection.closed.then(() => context.exchanges.delete(end))
  await connection.start()
  try {
    const response = await transport.handleMessage(message, { request })
    if (route.messageKind === 'notification') await connection.close()
    return await withStatus(response)
  } catch (thrown) {
    await connection.close()
    // The client went away before there was anything to answer.
    if (request.signal.aborted) return new Response(null, { status: 499 })
    throw thrown
  }
}

async function withStatus(response: Response): Promise<Response> {
  if (response.status !== 200 || response.headers.get('content-type') !== 'application/json') return response
  const body = (await response.clone().json()) as { readonly error?: { readonly code?: unknown } }
  const code = body.error?.code
  const status = typeof code === 'number' ? statuses[code] : undefined
  return status === undefined ? response : new Response(response.body, { status, headers: response.headers })
}
