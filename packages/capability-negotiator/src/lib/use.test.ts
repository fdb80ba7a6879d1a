import { describe, expect, it } from 'vitest'
import {
  CLIENT,
  discoverResult,
  drive,
  dualServer,
  error,
  failure,
  http,
  httpError,
  initializeResult,
  legacyServer,
  modernServer,
  result,
} from '../../test/scripted-peer.ts'
import { createNegotiation, type Negotiation } from './negotiation.ts'
import type { NegotiationPolicy } from './options.ts'
import { forgotSession } from './use.ts'

const negotiate = (transport: 'stdio' | 'http', policy?: NegotiationPolicy, versions?: string[]) =>
  createNegotiation({ transport, client: CLIENT, policy, versions })

const LIST = { method: 'tools/list' }
const modern = { era: 'modern', version: '2026-07-28' } as const
const legacy = { era: 'legacy', version: '2025-11-25' } as const

function ready(n: Negotiation, peer = legacyServer()): Negotiation {
  drive(n, peer)
  expect(n.state).toBe('ready')
  return n
}

describe('a server remembered as legacy that no longer is', () => {
  it('is asked again after a refused initialize over stdio, and found modern', () => {
    const n = negotiate('stdio', { prior: legacy })
    expect(drive(n, modernServer('stdio')).sent).toEqual(['initialize', 'server/discover'])
    expect([n.era, n.verdict()?.era]).toEqual(['modern', 'modern'])
  })

  it('is asked again after a header error over HTTP, and found modern', () => {
    const n = negotiate('http', { prior: legacy })
    expect(drive(n, modernServer('http')).sent).toEqual(['initialize', 'server/discover'])
    expect(n.era).toBe('modern')
  })

  it('is asked again after any refusal, once', () => {
    const n = negotiate('http', { prior: legacy })
    expect(drive(n, () => http(404)).sent).toEqual(['initialize', 'server/discover', 'initialize'])
    expect(n.reason).toMatchObject({ code: 'refused', status: 404 })
  })

  it('is not asked again for what says nothing of its era', () => {
    for (const answer of [http(401), http(503), failure('transport'), failure('timeout')]) {
      const n = negotiate('http', { prior: legacy })
      expect(drive(n, () => answer).sent).toEqual(['initialize'])
      expect(n.state).toBe('closed')
    }
  })

  it('that answers a request in use with a modern error is connected to anew', () => {
    const n = ready(negotiate('http', { prior: legacy }))
    const step = n.observe(LIST, httpError(400, -32020))
    expect(step).toEqual({ do: 'reconnect', cause: 'verdict-contradicted', transport: 'same' })
    expect(n.state).toBe('negotiating')
    drive(n, modernServer('http'), step)
    expect([n.state, n.era]).toEqual(['ready', 'modern'])
  })
})

describe('a legacy server in use', () => {
  it('may use the codes of the modern era for errors of its own', () => {
    for (const code of [-32020, -32021, -32022]) {
      const data = { supported: ['2026-07-28'] }
      expect(ready(negotiate('stdio', { era: 'auto' })).observe(LIST, error(code, data))).toEqual({
        do: 'ready',
      })
      expect(ready(negotiate('http')).observe(LIST, error(code, data))).toEqual({ do: 'ready' })
      const overHttp = ready(negotiate('http')).observe(LIST, httpError(400, code, data))
      expect(overHttp.do).toBe(code === -32021 ? 'ready' : 'reconnect')
    }
  })

  it('is not left for an era this side does not speak', () => {
    const n = ready(negotiate('http', { era: 'legacy' }))
    expect(n.observe(LIST, httpError(400, -32020))).toEqual({ do: 'ready' })
  })
})

describe('a server remembered as modern', () => {
  it('is asked again, on this connection, when its first answer shows nothing of the modern era', () => {
    for (const answer of [result({ tools: [] }), error(-32000), failure('timeout')]) {
      const n = negotiate('stdio', { prior: modern })
      expect([n.start().do, n.doubtful]).toEqual(['ready', false])
      expect(n.observe(LIST, answer)).toEqual({ do: 'ready' })
      expect([n.doubtful, n.state, n.verdict()]).toEqual([true, 'ready', undefined])
      const step = n.discover()
      expect(drive(n, legacyServer(), step).sent).toEqual([
        'server/discover',
        'initialize',
        'notifications/initialized',
      ])
      expect([n.era, n.doubtful, n.verdict()?.era]).toEqual(['legacy', false, 'legacy'])
    }
  })

  it('that is initialized on the same connection owes nothing for what it refused before', () => {
    const n = negotiate('stdio', { prior: modern })
    n.start()
    n.observe(LIST, error(-32601))
    expect([n.can('tools/list').allowed, n.violations().length]).toEqual([false, 1])
    drive(n, legacyServer(), n.discover())
    expect([n.can('tools/list').allowed, n.violations()]).toEqual([true, []])
  })

  it.each([
    ['404 with text', http(404, 'Not Found')],
    ['405', http(405)],
    ['400 with an error that is not modern', httpError(400, -32000)],
    ['404 with an unknown session', httpError(404, -32001)],
  ])('that refuses with %s over HTTP is connected to anew, without what was remembered', (_, answer) => {
    const n = negotiate('http', { prior: modern })
    n.start()
    const step = n.observe(LIST, answer)
    expect(step).toEqual({ do: 'reconnect', cause: 'verdict-contradicted', transport: 'same' })
    drive(n, legacyServer({ onProbe: http(404) }), step)
    expect([n.era, n.verdict()?.era]).toEqual(['legacy', 'legacy'])
  })

  it.each([
    ['404 with -32601', httpError(404, -32601)],
    ['400 with -32602', httpError(400, -32602)],
    ['200 with an error', error(-32603)],
  ])('that answers %s, as a modern server may, keeps its connection', (_, answer) => {
    const n = negotiate('http', { prior: modern })
    n.start()
    expect(n.observe(LIST, answer)).toEqual({ do: 'ready' })
    drive(n, modernServer('http'), n.discover())
    expect([n.era, n.doubtful, n.can('tools/call').allowed]).toEqual(['modern', false, true])
    expect(n.observe(LIST, http(404, 'Not Found'))).toEqual({ do: 'ready' })
  })

  it.each([
    ['a result with a resultType', result({ tools: [], resultType: 'complete' })],
    [
      'a result that carries serverInfo',
      result({ _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'kb' } } }),
    ],
    ['a modern error', error(-32021, { requiredCapabilities: {} })],
    ['a request for input', { kind: 'input_required' as const, value: { inputRequests: {} } }],
  ])('is proven by %s, and not doubted afterwards', (_, answer) => {
    const n = negotiate('stdio', { prior: modern })
    n.start()
    expect(n.observe(LIST, answer)).toEqual({ do: 'ready' })
    expect(n.observe(LIST, error(-32000))).toEqual({ do: 'ready' })
    expect(n.doubtful).toBe(false)
  })

  it.each([
    ['a login', http(401)],
    ['a fault', http(503)],
    ['a broken network', failure('transport')],
    ['a cancelled request', failure('cancelled')],
  ])('is not doubted for %s', (_, answer) => {
    const n = negotiate('http', { prior: modern })
    n.start()
    expect(n.observe(LIST, answer)).toEqual({ do: 'ready' })
    expect(n.doubtful).toBe(false)
  })

  it('that ends before it showed its era is not remembered again, and what it was doing is not called undone', () => {
    const n = negotiate('stdio', { prior: modern })
    n.start()
    const step = n.observe(LIST, { kind: 'exit', detail: 'code 1' })
    expect(step).toMatchObject({ do: 'close', reason: { code: 'exited', retry: true } })
    expect(n.reason?.message).toContain('verdict-contradicted')
    expect(n.verdict()).toBeUndefined()
    const proven = ready(negotiate('stdio'), modernServer('stdio'))
    proven.receive({ kind: 'exit', detail: 'code 3' })
    expect(proven.verdict()?.era).toBe('modern')
  })

  it.each([
    ['nothing', null],
    ['a list', []],
    ['an unknown era', { era: 'ancient', version: '2026-07-28' }],
    ['a version of another type', { era: 'modern', version: 20260728 }],
    ['an inherited era', Object.create({ era: 'modern', version: '2026-07-28' })],
  ])('that is remembered as %s is asked as if nothing were remembered', (_, prior) => {
    const n = negotiate('http', { prior: prior as never })
    expect(drive(n, modernServer('http')).sent).toEqual(['server/discover'])
  })

  it('with a discovery that is none is ready, and what it can do is unknown', () => {
    const n = negotiate('http', { prior: { ...modern, discovered: 'tools' as never } })
    expect(n.start()).toEqual({ do: 'ready' })
    expect(n.can('tools/list').allowed).toBe('unknown')
  })

  it('at a version this side no longer has is asked as if nothing were remembered', () => {
    const n = negotiate('http', { prior: { era: 'modern', version: '2027-01-01' } })
    expect(drive(n, modernServer('http')).sent).toEqual(['server/discover'])
  })

  it('is asked by a client of the other era, not believed', () => {
    const onlyLegacy = negotiate('http', { era: 'legacy', prior: modern })
    expect(drive(onlyLegacy, dualServer('http')).sent[0]).toBe('initialize')
    const onlyModern = negotiate('http', { era: 'modern', prior: legacy })
    expect(drive(onlyModern, dualServer('http')).sent).toEqual(['server/discover'])
  })
})

describe('a version refused in use', () => {
  const versions = ['2026-07-28', '2027-02-01', '2025-11-25']

  it('is replaced by the newest common one, and the request is to be sent again with it', () => {
    const n = negotiate('http', { prior: { era: 'modern', version: '2027-02-01' } }, versions)
    n.start()
    expect(n.observe(LIST, httpError(400, -32022, { supported: ['2026-07-28'] }))).toEqual({ do: 'resend' })
    expect(n.headers(LIST)).toEqual({ 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' })
    expect(n.meta()['io.modelcontextprotocol/protocolVersion']).toBe('2026-07-28')
    expect(n.observe(LIST, httpError(400, -32022, { supported: ['2026-07-28'] }))).toEqual({ do: 'ready' })
  })

  it('is replaced once for all requests under way: each refused at the old one is sent again', () => {
    const n = negotiate('http', { prior: { era: 'modern', version: '2027-02-01' } }, versions)
    n.start()
    const refusedAt = (requested: string) => httpError(400, -32022, { supported: ['2026-07-28'], requested })
    expect(n.observe(LIST, refusedAt('2027-02-01'))).toEqual({ do: 'resend' })
    expect(n.observe(LIST, refusedAt('2027-02-01'))).toEqual({ do: 'resend' })
    expect(n.observe(LIST, refusedAt('2026-07-28'))).toEqual({ do: 'ready' })
    expect(n.version).toBe('2026-07-28')
  })

  it('with only a legacy one left is negotiated anew on a new connection', () => {
    const n = negotiate('stdio', { prior: modern })
    n.start()
    const step = n.observe(LIST, error(-32022, { supported: ['2025-11-25'] }))
    expect(step).toMatchObject({ do: 'reconnect', cause: 'verdict-contradicted' })
  })

  it('with none left ends the connection, naming both lists', () => {
    const n = negotiate('stdio', { prior: modern })
    n.start()
    expect(n.observe(LIST, error(-32022, { supported: ['2030-01-01'] }))).toMatchObject({
      do: 'close',
      reason: { code: 'version-mismatch', theirs: ['2030-01-01'] },
    })
    expect(n.admit('tools/list')).toMatchObject({ do: 'refuse' })
  })
})

describe('a session the server forgot', () => {
  const session = () => ready(negotiate('http', { era: 'legacy' }))

  it('is followed by a fresh initialize without the negotiated header', () => {
    const n = session()
    const step = n.observe(LIST, { kind: 'http', status: 404, sessionId: true })
    expect(step).toEqual({ do: 'reconnect', cause: 'session-lost', transport: 'same' })
    expect(n.headers()).toEqual({})
    const log = drive(n, legacyServer({ versions: ['2025-06-18'] }), step)
    expect(log.sent).toEqual(['initialize@2', 'notifications/initialized@2'])
    expect(log.headers).toEqual([{}, { 'MCP-Protocol-Version': '2025-06-18' }])
    expect(n.headers()).toEqual({ 'MCP-Protocol-Version': '2025-06-18' })
  })

  const refusal = (code: number, message: string) =>
    http(400, { jsonrpc: '2.0', id: null, error: { code, message } })

  it('is seen in a 400 that speaks of a session too, and in no other 400 or 503', () => {
    for (const [code, message] of [
      [-32000, 'Bad Request: No valid session ID provided'],
      [-32000, 'Bad Request: Mcp-Session-Id header is required'],
      [-32001, 'Session not found'],
      [-32000, 'session has expired'],
      [-32000, 'Invalid session'],
    ] as const) {
      expect(forgotSession(refusal(code, message)), message).toBe(true)
      expect(session().observe(LIST, refusal(code, message))).toMatchObject({ do: 'reconnect' })
    }
    for (const [code, message] of [
      [-32603, 'Card was charged, but the checkout session could not be stored'],
      [-32000, 'Card was charged, but the checkout session could not be stored'],
      [-32603, 'Session not found'],
      [-32602, 'sessionId is missing in the arguments'],
    ] as const) {
      expect(forgotSession(refusal(code, message)), message).toBe(false)
      expect(session().observe(LIST, refusal(code, message))).toEqual({ do: 'ready' })
    }
    expect(session().observe(LIST, httpError(400, -32602))).toEqual({ do: 'ready' })
    expect(session().observe(LIST, http(503))).toEqual({ do: 'ready' })
    expect(session().observe(LIST, error(-32000))).toEqual({ do: 'ready' })
  })

  it('twice in a row, with no good answer between, ends the connection', () => {
    const n = session()
    drive(n, legacyServer(), n.observe(LIST, http(404)))
    expect(n.state).toBe('ready')
    expect(n.observe(LIST, http(404))).toMatchObject({
      do: 'close',
      reason: { code: 'session-lost', status: 404 },
    })
  })

  it('is renewed again where it was good in between', () => {
    const n = session()
    for (let round = 0; round < 3; round += 1) {
      drive(n, legacyServer(), n.observe(LIST, http(404)))
      n.observe(LIST, result({ tools: [] }))
    }
    expect(n.state).toBe('ready')
  })

  it('is not suspected where the request carried none, on stdio, or in the modern era', () => {
    expect(session().observe(LIST, { kind: 'http', status: 404, sessionId: false })).toEqual({ do: 'ready' })
    expect(ready(negotiate('stdio')).observe(LIST, http(404))).toEqual({ do: 'ready' })
    const n = ready(negotiate('http'), modernServer('http'))
    expect(n.observe(LIST, httpError(404, -32601))).toEqual({ do: 'ready' })
  })

  it('gives concurrent callers one renewal: later 404s find it under way, or done', () => {
    const n = session()
    const { generation } = n
    const step = n.observe(LIST, http(404), generation)
    expect(step).toMatchObject({ do: 'reconnect' })
    expect(n.observe(LIST, http(404), generation)).toEqual({ do: 'wait' })
    drive(n, legacyServer(), step)
    expect(n.generation).toBe(generation + 1)
    expect(n.observe(LIST, http(404), generation)).toEqual({ do: 'ready' })
    expect(n.state).toBe('ready')
  })
})

describe('asking a modern server again', () => {
  it('replaces what it can do, and leaves it as it was where the answer is no discovery', () => {
    const n = ready(negotiate('http'), modernServer('http'))
    drive(n, modernServer('http', { capabilities: { tools: {}, prompts: {} } }), n.discover())
    expect(n.can('prompts/list').allowed).toBe(true)
    for (const answer of [error(-32603), result({}), failure('timeout'), http(500)]) {
      drive(n, () => answer, n.discover())
      expect([n.state, n.era, n.can('prompts/list').allowed]).toEqual(['ready', 'modern', true])
    }
  })

  it('takes up a version the server moved to', () => {
    const n = negotiate('http', {}, ['2026-07-28', '2027-02-01'])
    ready(n, modernServer('http'))
    n.discover()
    n.receive(discoverResult({}, ['2027-02-01', '2026-07-28']))
    expect(n.version).toBe('2027-02-01')
    n.discover()
    expect(n.receive(error(-32022, { supported: ['2026-07-28'] }))).toEqual({ do: 'ready' })
    expect(n.version).toBe('2026-07-28')
  })

  it('keeps what was agreed where the server then names only versions this side lacks', () => {
    const n = ready(negotiate('http'), modernServer('http'))
    drive(n, () => discoverResult({ prompts: {} }, ['2030-01-01']), n.discover())
    expect([n.state, n.version, n.can('tools/list').allowed]).toEqual(['ready', '2026-07-28', true])
  })

  it('that was only taken for modern finds a legacy one with that one question', () => {
    const n = negotiate('stdio', { prior: modern })
    n.start()
    const log = drive(n, legacyServer(), n.discover())
    expect([log.sent, n.era]).toEqual([
      ['server/discover', 'initialize', 'notifications/initialized'],
      'legacy',
    ])
    const alone = negotiate('stdio', { era: 'modern', discover: false })
    alone.start()
    expect(drive(alone, legacyServer(), alone.discover()).last).toMatchObject({
      do: 'close',
      reason: { code: 'version-mismatch' },
    })
    const ill = negotiate('http', { prior: modern })
    ill.start()
    expect(drive(ill, () => http(503), ill.discover()).last).toEqual({ do: 'ready' })
  })

  it('does nothing in the legacy era', () => {
    const n = ready(negotiate('http', { era: 'legacy' }))
    expect(n.discover()).toEqual({ do: 'ready' })
    expect(n.roundTrips).toBe(1)
  })

  it('is not answered by an answer to another exchange', () => {
    const n = ready(negotiate('http'), modernServer('http'))
    const step = n.discover() as { exchange: number }
    n.receive({ ...discoverResult({ prompts: {} }), exchange: step.exchange + 1 })
    expect(n.can('prompts/list').allowed).toBe(false)
    n.receive({ ...discoverResult({ prompts: {} }), exchange: step.exchange })
    expect(n.can('prompts/list').allowed).toBe(true)
  })
})

it('the exit of a process that was replaced does not end the one that replaced it', () => {
  const n = negotiate('stdio')
  n.start()
  n.receive({ kind: 'exit', generation: 1 })
  n.receive({ kind: 'connected', generation: 2 })
  expect(n.receive({ kind: 'exit', generation: 1 })).toEqual({ do: 'wait' })
  n.receive(initializeResult())
  n.receive({ kind: 'sent' })
  expect(n.receive({ kind: 'exit', generation: 1 })).toEqual({ do: 'ready' })
  expect(n.receive({ kind: 'exit', generation: 2 })).toMatchObject({ do: 'close' })
})

it('a response that breaks off over HTTP is the fate of that request, and the end of a process is that of the connection', () => {
  const overHttp = ready(negotiate('http', { era: 'legacy' }))
  expect(overHttp.observe(LIST, failure('closed'))).toEqual({ do: 'ready' })
  expect(overHttp.receive({ kind: 'exit' })).toMatchObject({ do: 'close', reason: { code: 'exited' } })
  const process = ready(negotiate('stdio', { era: 'legacy' }))
  expect(process.observe(LIST, failure('closed'))).toMatchObject({ do: 'close', reason: { code: 'exited' } })
})

it('a verdict outlives the connection, unless the connection ended by contradicting it', () => {
  for (const end of [(n: Negotiation) => n.close(), (n: Negotiation) => n.receive({ kind: 'exit' })]) {
    const n = ready(negotiate('stdio'))
    end(n)
    expect(n.verdict()).toEqual({ era: 'legacy', version: '2025-11-25' })
  }
  const n = negotiate('stdio', { prior: modern })
  n.start()
  n.observe(LIST, error(-32022, { supported: ['2030-01-01'] }))
  expect([n.state, n.verdict()]).toEqual(['closed', undefined])
})

it('a verdict is what was found, and not what was asked for', () => {
  expect(ready(negotiate('stdio', { era: 'legacy' })).verdict()).toBeUndefined()
  expect(ready(negotiate('stdio', {}, ['2025-06-18', '2025-11-25'])).verdict()).toBeUndefined()
  expect(ready(negotiate('stdio', { prior: legacy })).verdict()).toEqual(legacy)
  const granted = negotiate('stdio', { era: 'modern', discover: false })
  granted.start()
  expect(granted.verdict()).toBeUndefined()
  granted.observe(LIST, { kind: 'result', value: { resultType: 'complete', tools: [] } })
  expect(granted.verdict()).toEqual(modern)
})

it('a verdict outlives a lost session that is given up, and no contradiction that is', () => {
  const lost = ready(negotiate('http'))
  lost.observe(LIST, { kind: 'http', status: 404, sessionId: true })
  lost.receive({ kind: 'sent' })
  lost.close()
  expect(lost.verdict()).toEqual({ era: 'legacy', version: '2025-11-25' })
  const contradicted = ready(negotiate('http'))
  contradicted.observe(LIST, httpError(400, -32020))
  contradicted.close()
  expect(contradicted.verdict()).toBeUndefined()
  const initializing = negotiate('stdio', { prior: modern })
  initializing.start()
  initializing.discover()
  initializing.receive({ ...error(-32601), exchange: 1 })
  initializing.close()
  expect(initializing.verdict()).toBeUndefined()
})

it('an initialize answered twice is answered once', () => {
  const n = negotiate('stdio', { era: 'legacy' })
  n.start()
  n.receive({ ...initializeResult(), exchange: 1 })
  expect(n.receive({ ...initializeResult({ prompts: {} }), exchange: 1 })).toEqual({ do: 'wait' })
  n.receive({ kind: 'sent', exchange: 2 })
  expect(n.can('prompts/list').allowed).toBe(false)
})
