import type { ServerResponse } from 'node:http'
import { listSurface } from '@truename/mcp-link'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adapters, call, connectFor, textOf, until } from './links.ts'
import { httpConfig } from './programs.ts'
import { sampleService } from './sample-service.ts'
import { json, plain, type Script, scriptedHttp } from './scripted-http.ts'

const timeouts = { probeMs: 1000, connectMs: 3000, requestMs: 3000 }
const client = { name: 't', version: '1' }
const onProbe =
  (answer: Script): Script =>
  (request, response) =>
    request.method === 'server/discover' ? answer(request, response) : undefined

describe('the probe of a legacy server over HTTP', () => {
  const answers: Record<string, Script> = {
    'a 404 in text': (_, response) => plain(response, 404, 'not here', 'text/plain'),
    'a 400 with an error under no id': (_, response) =>
      json(response, 400, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid Request' } }),
    'a 400 that misses a session id': (_, response) =>
      json(response, 400, {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32000, message: 'Bad Request: Mcp-Session-Id header is required' },
      }),
    'a 400 with nothing': (_, response) => plain(response, 400),
    'a 400 in HTML': (_, response) => plain(response, 400, '<html><body>Bad</body></html>', 'text/html'),
    'a 405': (_, response) => plain(response, 405),
    'a 500': (_, response) => plain(response, 500, 'oops'),
    'a 503': (_, response) => plain(response, 503),
    'a 202 with nothing': (_, response) => plain(response, 202),
    'a 204': (_, response) => plain(response, 204),
    'a 200 with nothing': (_, response) => plain(response, 200),
    'a 200 in text': (_, response) => plain(response, 200, 'hello', 'text/plain'),
    'a 200 with -32601': ({ body }, response) =>
      json(response, 200, {
        jsonrpc: '2.0',
        id: body.id,
        error: { code: -32601, message: 'Method not found' },
      }),
    'a 200 with JSON that is no message': (_, response) => json(response, 200, { status: 'ok' }),
    'a 200 with broken JSON': (_, response) => plain(response, 200, '{"jsonrpc":', 'application/json'),
    'an event stream that ends': (_, response) => plain(response, 200, ': nothing\n\n', 'text/event-stream'),
  }
  it.each(Object.keys(answers))(
    'that answers with %s still ends in a working legacy session',
    async (name) => {
      const { url, seen } = await scriptedHttp(onProbe(answers[name] as Script))
      const { upstream } = await connectFor('v2', httpConfig('s', url), { timeouts })
      expect(upstream.negotiation.era).toBe('legacy')
      expect((await listSurface(upstream)).tools.items).toEqual([{ name: 'one' }])
      expect(seen.filter(({ method }) => method === 'initialize')).toHaveLength(1)
    },
  )

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
  ])('that is answered with %i ends there, so that a login can come first', async (status, code) => {
    const { url, seen } = await scriptedHttp((_, response) => {
      response.setHeader('www-authenticate', 'Bearer realm="x"')
      return plain(response, status)
    })
    const connected = await adapters.v2.connect(httpConfig('s', url), { client, timeouts })
    expect(connected).toMatchObject({ ok: false, failure: { code, challenge: 'Bearer realm="x"' } })
    expect(seen.map(({ method }) => method)).toEqual(['server/discover'])
  })

  it.each([
    [401, 'unauthorized', ['server/discover']],
    [503, undefined, ['server/discover', 'initialize', 'notifications/initialized']],
  ])(
    'that is answered with %i is not taken for a verdict by the error in its body',
    async (status, code, sent) => {
      const { url, seen } = await scriptedHttp(
        onProbe(({ body }, response) =>
          json(response, status, {
            jsonrpc: '2.0',
            id: body.id,
            error: { code: -32603, message: 'not now' },
          }),
        ),
      )
      const connected = await adapters.v2.connect(httpConfig('s', url), { client, timeouts })
      const posts = seen.filter(({ verb }) => verb === 'POST')
      expect(posts.map(({ method }) => method)).toEqual(sent)
      if (connected.ok) {
        onTestFinished(() => connected.upstream.close())
        expect([code, connected.upstream.negotiation.verdict()]).toEqual([undefined, undefined])
      } else expect(connected.failure.code).toBe(code)
    },
  )

  it('goes on with initialize after a 401 where the operator wants it', async () => {
    const { url } = await scriptedHttp(onProbe((_, response) => plain(response, 401)))
    const { upstream } = await connectFor('v2', httpConfig('s', url), {
      timeouts,
      whenUnauthorized: 'initialize',
    })
    expect(upstream.negotiation.verdict()).toBeUndefined()
  })

  it('and then of what is no MCP server at all ends at once, with what it said', async () => {
    const { url } = await scriptedHttp((_, response) => json(response, 200, { status: 'ok' }))
    const patient = { probeMs: 60_000, connectMs: 60_000, requestMs: 60_000 }
    const connected = await adapters.v2.connect(httpConfig('s', url), { client, timeouts: patient })
    expect(connected).toMatchObject({ ok: false, failure: { code: 'invalid-answer' } })
  })

  it('that finds nobody listening is a network failure, not a legacy server', async () => {
    const connected = await adapters.v2.connect(httpConfig('s', 'http://127.0.0.1:9/mcp'), {
      client,
      timeouts,
    })
    expect(connected).toMatchObject({ ok: false, failure: { code: 'network' } })
    if (!connected.ok) expect(connected.failure.message).toMatch(/^Server "s": .*could not be reached/)
  })

  it('that names modern versions only, none of them ours, falls back to nothing', async () => {
    const { url, seen } = await scriptedHttp(
      onProbe(({ body }, response) =>
        json(response, 400, {
          jsonrpc: '2.0',
          id: body.id,
          error: {
            code: -32022,
            message: 'Unsupported',
            data: { supported: ['2031-01-01'], requested: '2026-07-28' },
          },
        }),
      ),
    )
    const connected = await adapters.v2.connect(httpConfig('s', url), { client, timeouts })
    expect(connected).toMatchObject({ ok: false, failure: { code: 'version-mismatch' } })
    if (!connected.ok) expect(connected.failure.message).toMatch(/2026-07-28.*2031-01-01/)
    expect(seen).toHaveLength(1)
  })
})

describe.each(['v1', 'v2'] as const)('a legacy server over HTTP, on the %s line,', (line) => {
  const options = { timeouts, era: 'legacy' as const }

  it('is told the negotiated version on every request after initialize, whatever was offered', async () => {
    const { url, seen } = await scriptedHttp(undefined, { version: '2025-06-18' })
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    await upstream.request('tools/list', {})
    await until(() => seen.some(({ verb }) => verb === 'GET'))
    await upstream.close()
    await until(() => seen.some(({ verb }) => verb === 'DELETE'))
    const [first, ...later] = seen
    expect(first?.headers['mcp-protocol-version']).toBeUndefined()
    expect(first?.body.params).toMatchObject({ protocolVersion: '2025-11-25' })
    expect(later.length).toBeGreaterThanOrEqual(4)
    for (const request of later) {
      expect([
        request.verb,
        request.headers['mcp-protocol-version'],
        request.headers['mcp-session-id'],
      ]).toEqual([request.verb, '2025-06-18', 's-1'])
    }
  })

  it('costs one round trip and one notification before the first request', async () => {
    const { url, seen } = await scriptedHttp()
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    await upstream.request('tools/list', {})
    const posts = seen.filter(({ verb }) => verb === 'POST').map(({ method }) => method)
    expect(posts).toEqual(['initialize', 'notifications/initialized', 'tools/list'])
    expect(upstream.negotiation.roundTrips).toBe(1)
  })

  it('that forgot the session refuses the call safely, and a new connection starts without the dead id', async () => {
    let forgotten = false
    const { url, seen } = await scriptedHttp((request, response) =>
      forgotten && request.headers['mcp-session-id'] === 's-1' && request.verb === 'POST'
        ? lateGone(response)
        : undefined,
    )
    // One after the other: the first ends the connection, and the rest are on their way.
    const lateGone = async (response: ServerResponse) => {
      waited += 5
      await new Promise((resolve) => setTimeout(resolve, waited))
      return plain(response, 404, 'gone')
    }
    let waited = 0
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    const reasons: string[] = []
    upstream.onClose((reason) => reasons.push(reason))
    forgotten = true
    const refused = {
      kind: 'error',
      failure: 'closed',
      error: { data: { cause: 'session-lost', retry: 'safe' } },
    }
    for (const outcome of await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => call(upstream, name)),
    ))
      expect(outcome).toMatchObject(refused)
    expect(reasons).toHaveLength(1)
    const { error } = (await call(upstream, 'g')) as { error?: unknown }
    expect(error).toMatchObject({ data: { retry: 'safe' } })
    forgotten = false
    seen.length = 0
    const { upstream: next } = await connectFor(line, httpConfig('s', url), { ...options, generation: 2 })
    expect(next.generation).toBe(2)
    const begun = seen.find(({ method }) => method === 'initialize')
    expect([begun?.verb, begun?.headers['mcp-session-id']]).toEqual(['POST', undefined])
  })

  it('that speaks of a lost session in a 400 is left for a new connection too', async () => {
    let forgotten = false
    const { url } = await scriptedHttp(({ method }, response) =>
      forgotten && method === 'tools/call'
        ? json(response, 400, {
            jsonrpc: '2.0',
            id: null,
            error: { code: -32000, message: 'Bad Request: No valid session ID provided' },
          })
        : undefined,
    )
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    forgotten = true
    expect(await call(upstream, 'one')).toMatchObject({
      failure: 'closed',
      error: { data: { cause: 'session-lost', retry: 'safe' } },
    })
  })

  it('that says in a 400 what a tool did is heard, and its connection kept', async () => {
    const error = {
      code: -32603,
      message: 'Card was charged, but the checkout session could not be stored',
    }
    const { url } = await scriptedHttp(({ method, body }, response) =>
      method === 'tools/call' ? json(response, 400, { jsonrpc: '2.0', id: body.id, error }) : undefined,
    )
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    expect(await call(upstream, 'pay')).toEqual({ kind: 'error', error })
    expect(await upstream.request('tools/list', {})).toMatchObject({ kind: 'result' })
  })

  it('that never gave a session has none to lose: a 404 is the answer to that one call', async () => {
    const { url } = await scriptedHttp(
      ({ method }, response) => (method === 'tools/call' ? plain(response, 404, 'no such route') : undefined),
      { session: false },
    )
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    expect(await call(upstream, 'one')).toMatchObject({
      failure: 'transport',
      error: { data: { status: 404 } },
    })
    expect(await upstream.request('tools/list', {})).toMatchObject({ kind: 'result' })
  })

  it('that is gone says whether a call can have reached it', async () => {
    const { url, stop } = await scriptedHttp(({ method }, response) =>
      method === 'tools/call' ? response.destroy() : undefined,
    )
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    const cut = await call(upstream, 'one')
    expect(cut).toMatchObject({ failure: 'transport' })
    expect(cut.kind === 'error' && cut.error.data).toBeUndefined()
    await stop()
    let refused = await call(upstream, 'one')
    await until(async () => {
      refused = await call(upstream, 'one')
      return refused.kind === 'error' && refused.error.message.includes('ECONNREFUSED')
    })
    expect(refused).toMatchObject({ failure: 'transport', error: { data: { retry: 'safe' } } })
  })

  it.each<[string, Script, object]>([
    [
      'a 500',
      (_, response) => plain(response, 500, 'boom'),
      { failure: 'transport', error: { message: 'HTTP 500: boom' } },
    ],
    [
      'a page',
      (_, response) => plain(response, 200, '<h1>Login</h1>', 'text/html'),
      { failure: 'transport' },
    ],
    ['a 202', (_, response) => plain(response, 202), { failure: 'transport' }],
    [
      'an event stream that ends',
      (_, response) => plain(response, 200, '', 'text/event-stream'),
      { failure: 'transport' },
    ],
    [
      'JSON that is no message',
      (_, response) => json(response, 200, { error: 'session expired' }),
      { failure: 'transport', error: { message: 'HTTP 200: {"error":"session expired"}' } },
    ],
    [
      'JSON that answers another',
      ({ body }, response) => json(response, 200, { jsonrpc: '2.0', id: `${body.id}`, result: {} }),
      { failure: 'transport' },
    ],
    ['an empty list', (_, response) => json(response, 200, []), { failure: 'transport' }],
    [
      'an error under no id',
      (_, response) =>
        json(response, 200, { jsonrpc: '2.0', id: null, error: { code: -32099, message: 'no' } }),
      { error: { code: -32099, message: 'no' } },
    ],
    ['a cut line', (_, response) => response.destroy(), { failure: 'transport' }],
    [
      'an error in a 400',
      ({ body }, response) =>
        json(response, 400, { jsonrpc: '2.0', id: body.id, error: { code: -32099, message: 'no', data: 1 } }),
      { error: { code: -32099, message: 'no', data: 1 } },
    ],
    [
      'a result that is a list',
      ({ body }, response) => json(response, 200, { jsonrpc: '2.0', id: body.id, result: [] }),
      { failure: 'invalid' },
    ],
  ])('that answers a call with %s fails that call and no other', async (_name, answer, expected) => {
    const { url } = await scriptedHttp((request, response) =>
      request.method === 'tools/call' ? answer(request, response) : undefined,
    )
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    expect(await call(upstream, 'one')).toMatchObject({ kind: 'error', ...expected })
    expect(await upstream.request('tools/list', {})).toMatchObject({ kind: 'result' })
  })

  it('whose stream to a call is cut fails that call at once, one that can be taken up again when that fails', async () => {
    const noise =
      'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n'
    const { url } = await scriptedHttp(({ method, body, headers }, response) => {
      if (headers['last-event-id'] === 'failing') return plain(response, 503)
      if (method !== 'tools/call') return undefined
      const { name } = body.params as { name: string }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`${name === 'plain' ? '' : `retry: 5\nid: ${name}\n`}${noise}`)
      setTimeout(() => response.destroy(), 20)
      return true
    })
    const { upstream } = await connectFor(line, httpConfig('s', url), { ...options, timeouts: {} })
    for (const name of ['plain', 'refused', 'failing']) {
      const outcome = await call(upstream, name, {}, { timeoutMs: 60_000 })
      expect(outcome).toMatchObject({ kind: 'error', failure: 'transport' })
      expect(outcome.kind === 'error' && outcome.error.message).toContain('its stream broke')
    }
    expect(await upstream.request('tools/list', {})).toMatchObject({ kind: 'result' })
  })

  it('keeps members and their order, in JSON and in an event stream', async () => {
    const result =
      '{"zebra":1,"content":[],"_meta":{"b":1,"a":2},"isError":false,"alpha":{"__proto__":{"x":1}}}'
    let stream = false
    const { url } = await scriptedHttp(({ method, body }, response) => {
      if (method !== 'tools/call') return undefined
      const message = `{"jsonrpc":"2.0","unknown":true,"id":${body.id},"result":${result}}`
      return stream
        ? plain(response, 200, `event: message\ndata: ${message}\n\n`, 'text/event-stream')
        : plain(response, 200, message, 'application/json; charset=utf-8')
    })
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    for (const streamed of [false, true]) {
      stream = streamed
      const outcome = await call(upstream, 'one')
      expect(outcome.kind === 'result' && JSON.stringify(outcome.value)).toBe(result)
    }
  })

  it('is not followed to another origin, and its headers go nowhere else', async () => {
    const elsewhere = await scriptedHttp()
    const { url } = await scriptedHttp((_, response) => {
      response.writeHead(307, { location: elsewhere.url }).end()
      return true
    })
    const connected = await adapters[line].connect(httpConfig('s', url, { authorization: 'Bearer secret' }), {
      client,
      ...options,
    })
    expect(connected.ok).toBe(false)
    expect(elsewhere.seen).toEqual([])
  })
})

describe('a shared connection over HTTP', () => {
  it('asks the client of the very call on whose exchange the question came, with many in flight', async () => {
    const { service } = sampleService()
    const endpoint = await adapters.v1.serveHttp(service)
    onTestFinished(() => endpoint.close())
    const { upstream } = await connectFor('v2', httpConfig('s', endpoint.url), {
      era: 'legacy',
      isolation: 'shared',
    })
    const ask = async (pick: string) => {
      const outcome = await call(
        upstream,
        'ask',
        {},
        { ask: async () => ({ kind: 'result', value: { action: 'accept', content: { pick } } }) },
      )
      return textOf(outcome)
    }
    const picks = ['a', 'b', 'c', 'd']
    expect(await Promise.all(picks.map(ask))).toEqual(picks.map((pick) => `{"pick":"${pick}"}`))
  })
})
