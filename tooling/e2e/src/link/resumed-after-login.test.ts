import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '@truename/mcp-link'
import { expect, it, onTestFinished } from 'vitest'
import { adapters, call } from './links.ts'
import { httpConfig } from './programs.ts'

/** A server whose token expires while a call is open, and that takes up the call's stream for the new one alone. */
async function expiring(): Promise<string> {
  let id: unknown
  const json = (response: ServerResponse, body: unknown, status = 200): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const server = createServer(async (request, response) => {
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    if (request.url === '/token')
      return json(response, { access_token: 'new', token_type: 'Bearer', refresh_token: 'r' })
    if (request.url?.startsWith('/.well-known/oauth-authorization-server'))
      return json(response, {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        response_types_supported: ['code'],
      })
    if (request.url !== '/mcp') return json(response, {}, 404)
    const resumes = request.headers['last-event-id']
    if (request.method === 'GET') {
      if (resumes !== undefined && request.headers.authorization !== 'Bearer new')
        return json(response, {}, 401)
      const answer = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `after ${resumes}` }] } }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (resumes !== undefined) response.end(`data: ${JSON.stringify(answer)}\n\n`)
      else response.flushHeaders()
      return
    }
    if (request.method !== 'POST') return json(response, {}, 405)
    const message = JSON.parse(text) as JsonObject
    if (message.id === undefined) return json(response, {}, 202)
    if (message.method === 'initialize') {
      const { protocolVersion } = message.params as JsonObject
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
      return json(response, { jsonrpc: '2.0', id: message.id, result })
    }
    id = message.id
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('retry: 5\nid: e-1\ndata: \n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

it.each(['v1', 'v2'] as const)(
  'a call whose stream is taken up after the token expired is answered after the new one came, on the %s line',
  async (line) => {
    let tokens = { access_token: 'old', token_type: 'Bearer', refresh_token: 'r' }
    const authProvider = {
      redirectUrl: 'http://127.0.0.1:9/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'], client_name: 't' },
      clientInformation: () => ({ client_id: 'c' }),
      tokens: () => tokens,
      saveTokens: (fresh: typeof tokens) => {
        tokens = fresh
      },
      redirectToAuthorization: () => undefined,
      saveCodeVerifier: () => undefined,
      codeVerifier: () => 'v',
    }
    const connected = await adapters[line].connect(httpConfig('s', await expiring()), {
      client: { name: 't', version: '1' },
      era: 'legacy',
      authProvider: authProvider as never,
    })
    if (!connected.ok) throw new Error(connected.failure.message)
    onTestFinished(() => connected.upstream.close())
    const outcome = await call(connected.upstream, 'one', {}, { timeoutMs: 60_000 })
    expect(outcome).toMatchObject({ kind: 'result', value: { content: [{ text: 'after e-1' }] } })
    expect(tokens.access_token).toBe('new')
  },
)
