import { listSurface } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { adapters, connectFor } from './links.ts'
import { httpConfig } from './programs.ts'
import { json, plain, type Script, scriptedHttp } from './scripted-http.ts'

const timeouts = { probeMs: 5000, connectMs: 5000, requestMs: 5000 }
const client = { name: 't', version: '1' }
const error = { code: -32603, message: 'not today' }

/** What a server may make of `initialize`, and why there is no connection then. */
const answers: Record<string, { readonly answer: Script; readonly code: string; readonly retry: boolean }> = {
  'no answer': { answer: () => true, code: 'timeout', retry: true },
  'a 401': { answer: (_, response) => plain(response, 401), code: 'unauthorized', retry: true },
  'a 401 with an error': {
    answer: ({ body }, response) => json(response, 401, { jsonrpc: '2.0', id: body.id, error }),
    code: 'unauthorized',
    retry: true,
  },
  'a 403': { answer: (_, response) => plain(response, 403), code: 'forbidden', retry: false },
  'a 429': { answer: (_, response) => plain(response, 429), code: 'server-error', retry: true },
  'a 500': { answer: (_, response) => plain(response, 500, 'oops'), code: 'server-error', retry: true },
  'a 503 with an error': {
    answer: ({ body }, response) => json(response, 503, { jsonrpc: '2.0', id: body.id, error }),
    code: 'server-error',
    retry: true,
  },
  'a 202 with nothing': {
    answer: (_, response) => plain(response, 202),
    code: 'invalid-answer',
    retry: false,
  },
  'a page': {
    answer: (_, response) => plain(response, 200, '<h1>Welcome</h1>', 'text/html'),
    code: 'invalid-answer',
    retry: false,
  },
  'a cut line': { answer: (_, response) => response.destroy(), code: 'network', retry: true },
  'an error': {
    answer: ({ body }, response) => json(response, 200, { jsonrpc: '2.0', id: body.id, error }),
    code: 'refused',
    retry: false,
  },
  'a result without a version': {
    answer: ({ body }, response) => json(response, 200, { jsonrpc: '2.0', id: body.id, result: {} }),
    code: 'invalid-answer',
    retry: false,
  },
  'a version of another world': {
    answer: ({ body }, response) =>
      json(response, 200, {
        jsonrpc: '2.0',
        id: body.id,
        result: { protocolVersion: '2099-01-01', capabilities: {}, serverInfo: {} },
      }),
    code: 'version-mismatch',
    retry: false,
  },
}

describe.each(['v1', 'v2'] as const)('a handshake over HTTP, on the %s line,', (line) => {
  it.each(Object.keys(answers))('answered with %s ends there and says why', async (name) => {
    const { answer, code, retry } = answers[name] as (typeof answers)[string]
    const { url, seen } = await scriptedHttp((request, response) =>
      request.method === 'initialize' ? answer(request, response) : undefined,
    )
    const connected = await adapters[line].connect(httpConfig('s', url), {
      client,
      timeouts: code === 'timeout' ? { ...timeouts, connectMs: 1000 } : timeouts,
      era: 'legacy',
    })
    expect(connected).toMatchObject({ ok: false, failure: { code, retry } })
    if (connected.ok) return
    expect(connected.failure.message).toMatch(/^Server "s": \S/)
    if (code === 'version-mismatch') expect(connected.failure.message).toMatch(/2025-11-25.*2099-01-01/)
    expect(seen.map(({ method }) => method)).toEqual(['initialize'])
  })

  it.each([400, 404, 405])(
    'answered with %i is tried once more in the transport of 2024-11-05',
    async (status) => {
      const { url, seen } = await scriptedHttp(({ method }, response) =>
        method === 'initialize' ? plain(response, status) : undefined,
      )
      const connected = await adapters[line].connect(httpConfig('s', url), {
        client,
        timeouts,
        era: 'legacy',
      })
      expect(connected.ok).toBe(false)
      expect(seen.map(({ verb }) => verb)).toEqual(['POST', 'GET'])
    },
  )

  it('with a server that declares what it does not implement leaves its tools usable, and is reported', async () => {
    const { url, seen } = await scriptedHttp(({ method, body }, response) => {
      if (method !== 'initialize') return undefined
      const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true } }
      const serverInfo = { name: 'broken', version: '0.9.1' }
      const result = { protocolVersion: '2025-11-25', capabilities, serverInfo }
      return json(response, 200, { jsonrpc: '2.0', id: body.id, result })
    })
    const { upstream } = await connectFor(line, httpConfig('s', url), { era: 'legacy' })
    for (let refresh = 0; refresh < 3; refresh += 1) {
      const surface = await listSurface(upstream)
      expect(surface.tools.items).toEqual([{ name: 'one' }])
      expect(surface.prompts.items).toEqual([])
    }
    const subscription = await upstream.listen({ resourceSubscriptions: ['docs://a'] })
    expect(subscription.honoured).toEqual({})
    expect(await upstream.request('resources/subscribe', { uri: 'docs://b' })).toMatchObject({
      failure: 'refused',
      error: { data: { why: 'violated', instead: expect.stringContaining('polling') } },
    })
    for (const method of ['prompts/list', 'resources/list', 'resources/subscribe'])
      expect(seen.filter((request) => request.method === method)).toHaveLength(1)
    const report = upstream.negotiation.report()
    for (const part of ['`prompts/list`', '0.9.1', 'Method not found']) expect(report).toContain(part)
  })
})
