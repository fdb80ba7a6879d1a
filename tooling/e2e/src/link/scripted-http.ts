import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isJsonObject, type JsonObject } from '@truename/mcp-link'
import { onTestFinished } from 'vitest'

/** One HTTP request as it came over the wire. */
export interface WireRequest {
  readonly verb: string
  /** The JSON-RPC method of a POST, or `answer` for an answer. */
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: JsonObject
}

/** Answers one POST; `undefined` leaves it to the honest legacy server below. */
export type Script = (request: WireRequest, response: ServerResponse) => unknown

/** Sends a JSON body. */
export const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): true => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  return true
}

/** Sends text of some type. */
export const plain = (response: ServerResponse, status: number, body = '', type?: string): true => {
  response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body)
  return true
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const value: unknown = text === '' ? {} : JSON.parse(text)
  return isJsonObject(value) ? value : {}
}

/** A plain legacy server over HTTP whose answers a script may replace; everything that came is kept. */
export async function scriptedHttp(
  script: Script = () => undefined,
  { version = '2025-11-25', session = true } = {},
): Promise<{ url: string; seen: WireRequest[]; stop: () => Promise<void> }> {
  const seen: WireRequest[] = []
  const server = createServer(async (incoming, response) => {
    const body = await readBody(incoming)
    const method = typeof body.method === 'string' ? body.method : incoming.method === 'POST' ? 'answer' : ''
    const request: WireRequest = { verb: incoming.method ?? '', method, headers: incoming.headers, body }
    seen.push(request)
    if ((await script(request, response)) !== undefined) return
    const { id } = body
    if (request.verb !== 'POST') return plain(response, 405)
    if (method === 'initialize') {
      const result = {
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'h', version: '1' },
      }
      return json(response, 200, { jsonrpc: '2.0', id, result }, session ? { 'mcp-session-id': 's-1' } : {})
    }
    if (id === undefined) return plain(response, 202)
    if (method === 'tools/list')
      return json(response, 200, { jsonrpc: '2.0', id, result: { tools: [{ name: 'one' }] } })
    return json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen, stop }
}
