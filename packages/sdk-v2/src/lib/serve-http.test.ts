import { request as httpRequest } from 'node:http'
import { errorAnswer, type Service } from '@truename/mcp-link'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveHttp } from './serve-http.ts'

const service: Service = {
  declare: () => ({ info: { name: 'x', version: '1' }, capabilities: { tools: {}, logging: {} } }),
  accept: (client) =>
    client.serve(async (method, params, { notify }) => {
      await notify?.('notifications/message', { level: 'info', data: 'said' })
      return method === 'tools/call'
        ? { kind: 'result', value: { content: [], name: params.name } }
        : errorAnswer(-32601, 'Method not found')
    }),
}

async function open(options: Parameters<typeof serveHttp>[1] = {}) {
  const endpoint = await serveHttp(service, options)
  onTestFinished(() => endpoint.close())
  const send = async (body: unknown, headers: Record<string, string> = {}, method = 'POST') => {
    const response = await fetch(endpoint.url, {
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = method === 'GET' && response.ok ? '' : await response.text()
    const messages = text.startsWith('{')
      ? [JSON.parse(text)]
      : [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(String(data)))
    return { status: response.status, headers: response.headers, messages, error: messages.at(-1)?.error }
  }
  return { endpoint, send }
}

const meta = (more: object = {}) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  ...more,
})
const call = (params: object = {}, method = 'tools/call') => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { name: 't', _meta: meta(), ...params },
})
const headers = (more: Record<string, string> = {}) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 't',
  ...more,
})
const initialize = (protocolVersion?: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
})

describe('modern requests over HTTP', () => {
  it('are answered without a session, and say who answers', async () => {
    const { send } = await open()
    const { status, headers: got, messages } = await send(call(), headers())
    expect(status).toBe(200)
    expect(got.get('mcp-session-id')).toBeNull()
    expect(messages).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          resultType: 'complete',
          content: [],
          name: 't',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'x', version: '1' } },
        },
      },
    ])
  })
  it.each<[string, object, Record<string, string>, number, number]>([
    ['without _meta', { ...call(), params: { name: 't' } }, headers(), 400, -32602],
    [
      'without the client’s capabilities',
      call({ _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
      headers(),
      400,
      -32602,
    ],
    [
      'of a version nobody knows',
      call({ _meta: meta({ 'io.modelcontextprotocol/protocolVersion': '2031-01-01' }) }),
      headers({ 'mcp-protocol-version': '2031-01-01' }),
      400,
      -32022,
    ],
    [
      'with another version in the header',
      call(),
      headers({ 'mcp-protocol-version': '2025-11-25' }),
      400,
      -32020,
    ],
    ['with another name in the header', call(), headers({ 'mcp-name': 'other' }), 400, -32020],
    ['with another method in the header', call(), headers({ 'mcp-method': 'tools/list' }), 400, -32020],
    ['of an unknown method', call({}, 'acme/none'), headers({ 'mcp-method': 'acme/none' }), 404, -32601],
    ['of a method of the legacy era', call({}, 'ping'), headers({ 'mcp-method': 'ping' }), 404, -32601],
  ])('%s are refused with status and code', async (_name, body, sent, status, code) => {
    const { send } = await open()
    const answer = await send(body, sent)
    expect([answer.status, answer.error?.code]).toEqual([status, code])
  })
  it('carry log messages only where they asked for them', async () => {
    const { send } = await open()
    const { messages } = await send(
      call({ _meta: meta({ 'io.modelcontextprotocol/logLevel': 'info' }) }),
      headers(),
    )
    expect(messages.map(({ method }) => method)).toEqual(['notifications/message', undefined])
    expect((await send(call(), headers())).messages).toHaveLength(1)
  })
  it('find nobody where the modern era is not served, and legacy ones where it alone is', async () => {
    const legacy = await open({ versions: ['2025-11-25'] })
    expect((await legacy.send(call(), headers())).error?.code).toBe(-32601)
    const modern = await open({ versions: ['2026-07-28'] })
    const { status, error } = await modern.send(initialize('2025-11-25'))
    expect(status).toBeGreaterThanOrEqual(200)
    expect(error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '2025-11-25' },
    })
  })
})

describe('legacy sessions over HTTP', () => {
  it('negotiate from the body: a known version is taken, an unknown one answered with the newest, a missing one refused', async () => {
    const { send } = await open()
    const answered = async (version: unknown, more: Record<string, string> = {}) =>
      (await send(initialize(version), more)).messages.at(-1)?.result?.protocolVersion
    expect(await answered('2025-06-18')).toBe('2025-06-18')
    expect(await answered('2025-06-18', { 'mcp-protocol-version': '1999-01-01' })).toBe('2025-06-18')
    expect(await answered('1999-01-01')).toBe('2025-11-25')
    expect((await send(initialize())).error?.code).toBeLessThan(0)
  })
  it('are known by an id that cannot be guessed, and forgotten with a 404', async () => {
    const { send } = await open()
    const id = (await send(initialize('2025-11-25'))).headers.get('mcp-session-id') ?? ''
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    const session = { 'mcp-session-id': id }
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
    expect((await send(ping, session)).messages).toEqual([{ jsonrpc: '2.0', id: 2, result: {} }])
    expect((await send(ping, { ...session, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
    expect((await send(ping)).status).toBe(400)
    expect((await send(ping, { 'mcp-session-id': 'other' })).status).toBe(404)
    expect((await send(initialize('2025-11-25'), { 'mcp-session-id': 'stale' })).status).toBe(200)
    expect((await send(undefined, session, 'DELETE')).status).toBe(200)
    expect((await send(ping, session)).status).toBe(404)
  })
  it('belong to the profile that opened them', async () => {
    const { send } = await open({ profileOf: (given) => given.get('authorization') ?? 'default' })
    const id =
      (await send(initialize('2025-11-25'), { authorization: 'a' })).headers.get('mcp-session-id') ?? ''
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
    expect((await send(ping, { authorization: 'b', 'mcp-session-id': id })).status).toBe(404)
    expect((await send(ping, { authorization: 'a', 'mcp-session-id': id })).status).toBe(200)
  })
})

describe('an HTTP endpoint', () => {
  it('turns away what is no request of MCP', async () => {
    const { send, endpoint } = await open({
      fallback: async ({ url }) => (url.endsWith('/page') ? new Response('page') : undefined),
    })
    expect((await send('x', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send('{')).error?.code).toBe(-32700)
    expect((await send('[]')).status).toBe(400)
    expect((await send(`"${'x'.repeat(5 * 1024 * 1024)}"`)).status).toBe(413)
    expect(await (await fetch(new URL('/page', endpoint.url))).text()).toBe('page')
    expect((await fetch(new URL('/other', endpoint.url))).status).toBe(404)
  })
  it('answers no host and no page that it does not know, its own pages included', async () => {
    const { endpoint } = await open({ fallback: async () => new Response('page') })
    const status = (path: string, more: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = httpRequest(new URL(path, endpoint.url), { headers: more }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        sent.on('error', reject).end()
      })
    expect(await status('/page', {})).toBe(200)
    expect(await status('/page', { host: 'evil.example' })).toBe(403)
    expect(await status('/mcp', { host: 'evil.example' })).toBe(403)
    expect(await status('/page', { origin: 'https://evil.example' })).toBe(403)
    expect(await status('/page', { origin: 'http://localhost:1' })).toBe(200)
  })
  it('rejects where its address is taken', async () => {
    const { endpoint } = await open()
    await expect(serveHttp(service, { port: Number(new URL(endpoint.url).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })
})
