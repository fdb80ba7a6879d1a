import { createVerdictStore, type JsonObject, listSurface } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { call, callAnswering, connectFor } from './links.ts'
import { httpConfig } from './programs.ts'
import { json, plain, type Script, scriptedHttp } from './scripted-http.ts'

const timeouts = { probeMs: 1000, connectMs: 3000, requestMs: 3000 }

describe('a modern server over HTTP', () => {
  const modern: Script = ({ method, body }, response) => {
    const answer = (result: object) =>
      json(response, 200, { jsonrpc: '2.0', id: body.id, result: { resultType: 'complete', ...result } })
    if (method === 'server/discover')
      return answer({
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: 'private',
      })
    if (method === 'tools/list') {
      const inputSchema = {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      }
      const broken = { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'A' } } }
      return answer({
        tools: [
          { name: 'héllo', inputSchema },
          { name: 'broken', inputSchema: broken },
        ],
        ttlMs: 0,
        cacheScope: 'private',
      })
    }
    if (method === 'tools/call') return answer({ content: [] })
    return json(response, 404, {
      jsonrpc: '2.0',
      id: body.id,
      error: { code: -32601, message: 'Method not found' },
    })
  }

  it('costs one round trip, or none where the verdict is known', async () => {
    const first = await scriptedHttp(modern)
    const { upstream } = await connectFor('v2', httpConfig('s', first.url))
    await call(upstream, 'one')
    expect(first.seen.map(({ method }) => method)).toEqual(['server/discover', 'tools/call'])
    const second = await scriptedHttp(modern)
    const again = await connectFor('v2', httpConfig('s', second.url), {
      prior: upstream.negotiation.verdict(),
    })
    await call(again.upstream, 'one')
    expect(second.seen.map(({ method }) => method)).toEqual(['tools/call'])
  })

  it('gets its headers from the body: version, method, encoded name, and the arguments a tool declares', async () => {
    const { url, seen } = await scriptedHttp(modern)
    const { upstream } = await connectFor('v2', httpConfig('s', url))
    const surface = await listSurface(upstream)
    expect(surface.tools.items.map(({ name }) => name)).toEqual(['héllo'])
    expect(surface.tools.warnings).toEqual([expect.stringContaining('"broken" was left out')])
    await call(upstream, 'héllo', { region: 'Юг' })
    const sent = seen.at(-1)
    expect(sent?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from('héllo').toString('base64')}?=`,
      'mcp-param-region': `=?base64?${Buffer.from('Юг').toString('base64')}?=`,
    })
    expect(sent?.body.params).toMatchObject({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': expect.anything(),
      },
    })
  })

  it('that asks for input is answered under a new id, with its state byte for byte or with none', async () => {
    const state = '{"a": 1,  "é":"\\u00e9"} '
    const { url, seen } = await scriptedHttp((request, response) => {
      const { id, params } = request.body
      if (request.method !== 'tools/call') return modern(request, response)
      const { inputResponses, name } = params as { inputResponses?: object; name: string }
      const asked = { which: { method: 'roots/list' } }
      const result = inputResponses
        ? { resultType: 'complete', content: [] }
        : {
            resultType: 'input_required',
            inputRequests: asked,
            ...(name === 'with' ? { requestState: state } : {}),
          }
      return json(response, 200, { jsonrpc: '2.0', id, result })
    })
    const { upstream } = await connectFor('v2', httpConfig('s', url))
    for (const name of ['with', 'without']) {
      const { outcome } = await callAnswering(upstream, name, {}, () => ({ roots: [] }))
      expect(outcome.kind).toBe('result')
      await call(upstream, 'another')
      const [first, retry, other] = seen.slice(-3).map(({ body }) => body)
      expect(retry?.id).not.toBe(first?.id)
      expect(retry?.params).toMatchObject({ name, inputResponses: { which: { roots: [] } } })
      const stateOf = (body: JsonObject = {}) => (body.params as JsonObject).requestState
      expect([stateOf(first), stateOf(retry), stateOf(other)]).toEqual([
        undefined,
        name === 'with' ? state : undefined,
        undefined,
      ])
      expect(other?.params).not.toHaveProperty('inputResponses')
    }
  })

  it('remembered, that has become a legacy one refuses the call safely, and is asked next time', async () => {
    const verdicts = createVerdictStore()
    const server = (url: string) => httpConfig('s', url)
    const { url, seen } = await scriptedHttp(({ method }, response) =>
      method === 'tools/call' || method === 'server/discover' ? plain(response, 404, 'Not Found') : undefined,
    )
    verdicts.set(server(url), { era: 'modern', version: '2026-07-28' })
    const { upstream } = await connectFor('v2', server(url), { timeouts, verdicts })
    expect(await call(upstream, 'one')).toMatchObject({
      failure: 'closed',
      error: { data: { cause: 'verdict-contradicted', retry: 'safe' } },
    })
    expect(verdicts.get(server(url))).toBeUndefined()
    const again = await connectFor('v2', server(url), { timeouts, verdicts })
    expect(again.upstream.negotiation.era).toBe('legacy')
    expect(verdicts.get(server(url))?.prior.era).toBe('legacy')
    expect(seen.filter(({ verb }) => verb === 'POST').map(({ method }) => method)).toEqual([
      'tools/call',
      'server/discover',
      'initialize',
      'notifications/initialized',
    ])
  })

  it('that does not know a method says so with its own code', async () => {
    const { url } = await scriptedHttp(modern)
    const { upstream } = await connectFor('v2', httpConfig('s', url))
    expect(await upstream.request('acme/unheard', {})).toMatchObject({
      kind: 'error',
      error: { code: -32601 },
    })
  })

  it('is told no more of a client than it can do, and the trace of its call', async () => {
    const { url, seen } = await scriptedHttp(modern)
    const { upstream } = await connectFor('v2', httpConfig('s', url))
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await call(upstream, 'one', {}, { capabilities: { sampling: {} }, trace: { traceparent } })
    expect(seen.at(-1)?.body.params).toMatchObject({
      _meta: { 'io.modelcontextprotocol/clientCapabilities': { sampling: {} }, traceparent },
    })
  })
})

describe('a remembered verdict', () => {
  it('saves the probe, and is given up where the server has become another', async () => {
    const verdicts = createVerdictStore()
    let modernNow = false
    const { url, seen } = await scriptedHttp(({ method, body }, response) => {
      if (!modernNow) return undefined
      if (method === 'server/discover') {
        const result = {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: {},
          ttlMs: 0,
          cacheScope: 'private',
        }
        return json(response, 200, { jsonrpc: '2.0', id: body.id, result })
      }
      const data = { supported: ['2026-07-28'] }
      return json(response, 400, {
        jsonrpc: '2.0',
        id: body.id,
        error: { code: -32022, message: 'Modern only', data },
      })
    })
    const open = async () => {
      seen.length = 0
      const { upstream } = await connectFor('v2', httpConfig('s', url), { timeouts, verdicts })
      return [
        upstream.negotiation.era,
        ...seen.filter(({ verb }) => verb === 'POST').map(({ method }) => method),
      ]
    }
    expect(await open()).toEqual(['legacy', 'server/discover', 'initialize', 'notifications/initialized'])
    expect(await open()).toEqual(['legacy', 'initialize', 'notifications/initialized'])
    modernNow = true
    expect(await open()).toEqual(['modern', 'initialize', 'server/discover'])
    expect(await open()).toEqual(['modern'])
  })
})
