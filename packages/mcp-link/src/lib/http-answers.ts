import type { Json } from './json.ts'
import { isJsonObject, isRequestId, type RequestId } from './message.ts'

/** An HTTP response that holds a JSON-RPC error. */
export function errorResponse(
  status: number,
  code: number,
  message: string,
  more: { readonly id?: RequestId | null; readonly data?: Json | undefined } = {},
): Response {
  const error = more.data === undefined ? { code, message } : { code, message, data: more.data }
  return Response.json({ jsonrpc: '2.0', id: more.id ?? null, error }, { status })
}

/** The id of the one request in a body, where there is one to answer under. */
export function idOf(body: unknown): RequestId | null {
  return isJsonObject(body) && typeof body.method === 'string' && isRequestId(body.id) ? body.id : null
}

/** The ids of all requests in a body, which may be a batch. */
export function idsOf(body: unknown): readonly RequestId[] {
  return (Array.isArray(body) ? (body as unknown[]) : [body]).flatMap((message) => idOf(message) ?? [])
}
