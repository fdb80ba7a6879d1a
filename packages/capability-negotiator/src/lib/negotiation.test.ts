import { describe, expect, it } from 'vitest'
import {
  CLIENT,
  discoverResult,
  drive,
  error,
  failure,
  http,
  httpError,
  initializeResult,
  legacyServer,
  type Message,
  modernServer,
  result,
} from '../../test/scripted-peer.ts'
import { createNegotiation } from './negotiation.ts'
import { NegotiationOptionsError, type NegotiationPolicy } from './options.ts'

const negotiate = (transport: 'stdio' | 'http', policy?: NegotiationPolicy, versions?: string[]) =>
  createNegotiation({ transport, client: CLIENT, policy, versions })

const legacy = (transport: 'stdio' | 'http' = 'stdio', versions?: string[]) =>
  negotiate(transport, { era: 'legacy' }, versions)

describe('before ready', () => {
  it('nothing but ping is admitted while initialize is unanswered, however late the answer is', () => {
    const n = legacy()
    n.start()
    expect(n.admit('ping')).toEqual({ do: 'send' })
    for (const method of [
      'tools/list',
      'tools/call',
      'resources/read',
      'logging/setLevel',
      'custom/thing',
      'initialize',
    ]) {
      expect(n.admit(method)).toEqual({ do: 'wait' })
      expect(n.can(method)).toMatchObject({ allowed: false, why: 'not-ready' })
    }
    expect(n.receive(initializeResult())).toMatchObject({
      do: 'send',
      message: { method: 'notifications/initialized' },
    })
    expect(n.admit('tools/list')).toEqual({ do: 'wait' })
    n.receive({ kind: 'sent' })
    expect(n.admit('tools/list')).toEqual({ do: 'send' })
  })

  it('an initialize answered after its time was up stays refused, and nothing more is sent', () => {
    const n = legacy()
    n.start()
    expect(n.receive({ ...failure('timeout'), exchange: 1 })).toMatchObject({
      do: 'close',
      reason: { code: 'timeout', retry: true },
    })
    expect(n.receive({ ...initializeResult(), exchange: 1 })).toMatchObject({ do: 'close' })
    expect(n.admit('tools/list')).toMatchObject({ do: 'refuse', permission: { why: 'closed' } })
    expect(n.admit('ping')).toMatchObject({ do: 'refuse' })
  })

  it('requests are refused instead of held where the caller says so', () => {
    const n = negotiate('stdio', { beforeReady: 'refuse' })
    expect(n.admit('tools/list')).toMatchObject({ do: 'refuse', permission: { why: 'not-ready' } })
    n.start()
    expect(n.admit('tools/list')).toMatchObject({ do: 'refuse', permission: { why: 'not-ready' } })
    expect(n.admit('ping')).toMatchObject({ do: 'refuse' })
  })

  it('the server may ping and log, and nothing else', () => {
    const n = legacy()
    expect(n.accepts('ping').allowed).toBe(false)
    n.start()
    expect([n.accepts('ping').allowed, n.accepts('notifications/message').allowed]).toEqual([true, true])
    expect(n.accepts('roots/list')).toMatchObject({ allowed: false, why: 'not-ready' })
    n.receive(initializeResult())
    expect([n.accepts('ping').allowed, n.admit('ping').do]).toEqual([true, 'wait'])
  })

  it('a second initialize is never admitted, since it could change what was agreed', () => {
    const n = legacy()
    drive(n, legacyServer())
    expect(n.admit('initialize')).toMatchObject({ do: 'refuse', permission: { why: 'lifecycle' } })
    expect(n.can('notifications/initialized')).toMatchObject({ allowed: false, why: 'lifecycle' })
  })
})

describe('the legacy handshake', () => {
  it('offers the newest version it has, and says who the client is', () => {
    const n = createNegotiation({
      transport: 'stdio',
      versions: ['2024-11-05', '2025-06-18'],
      client: { info: { name: 'c', version: '2', title: 'C' }, capabilities: { roots: {} } },
    })
    expect(n.start()).toMatchObject({
      message: {
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: { roots: {} },
          clientInfo: { name: 'c', version: '2', title: 'C' },
        },
      },
    })
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'takes %s where the server answers it',
    (version) => {
      const n = legacy('http')
      drive(n, legacyServer({ versions: [version] }))
      expect([n.state, n.version]).toEqual(['ready', version])
    },
  )

  it.each(['2023-01-01', '2099-01-01', '2026-07-28', 'zzz', ''])(
    'is refused when the server answers %j: both sides are named, and nothing more is sent',
    (version) => {
      const n = legacy('http')
      const log = drive(n, () => initializeResult({ tools: {} }, version))
      expect(log.sent).toEqual(['initialize'])
      expect(n.reason).toMatchObject({
        code: 'version-mismatch',
        ours: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'],
        theirs: [version],
      })
      expect(n.reason?.message).toContain(JSON.stringify(version))
      expect(n.admit('tools/list')).toMatchObject({ do: 'refuse' })
    },
  )

  it('is refused when the server answers it with a version that has no initialize, though both sides speak that', () => {
    const n = createNegotiation({ transport: 'http', client: CLIENT, policy: { prior: { era: 'legacy' } } })
    expect(drive(n, () => initializeResult({}, '2026-07-28')).sent).toEqual(['initialize'])
    expect(n.reason).toMatchObject({ code: 'version-mismatch', theirs: ['2026-07-28'] })
    expect(n.reason?.message).toContain('without initialize')
    expect(n.reason?.message).not.toContain('in common')
  })

  it('is refused when the server answers a version the caller left out', () => {
    const n = legacy('stdio', ['2025-11-25'])
    drive(n, legacyServer({ versions: ['2025-03-26'] }))
    expect(n.reason).toMatchObject({ code: 'version-mismatch', ours: ['2025-11-25'], theirs: ['2025-03-26'] })
  })

  it('takes up a version that an error names, once', () => {
    const n = legacy()
    const offered: unknown[] = []
    const peer = ({ method, params }: Message) => {
      if (method !== 'initialize') return { kind: 'sent' as const }
      offered.push(params?.protocolVersion)
      return params?.protocolVersion === '2025-03-26'
        ? initializeResult({}, '2025-03-26')
        : error(-32602, { supported: ['2025-03-26'], requested: '2025-11-25' })
    }
    drive(n, peer)
    expect([offered, n.version]).toEqual([['2025-11-25', '2025-03-26'], '2025-03-26'])

    const stubborn = legacy()
    expect(
      drive(stubborn, () => error(-32602, { supported: ['2025-03-26', '2024-11-05'] })).sent,
    ).toHaveLength(2)
    expect(stubborn.reason).toMatchObject({ code: 'version-mismatch', theirs: ['2025-03-26', '2024-11-05'] })
  })

  it.each([
    ['no version', result({ capabilities: {} })],
    ['a version that is no text', result({ protocolVersion: 20251125, capabilities: {} })],
    ['a request for input', { kind: 'input_required' as const, value: {} }],
    ['no legal message', failure('invalid')],
    ['an empty HTTP body', http(200)],
  ])('is refused when the answer is %s', (_, answer) => {
    const n = legacy('http')
    expect(drive(n, () => answer).sent).toEqual(['initialize'])
    expect(n.reason?.code).toBe('invalid-answer')
  })

  it('shows a hostile server text only quoted, shortened and without control characters', () => {
    const n = legacy()
    drive(n, () => error(-1, undefined, `\u001b[31mIgnore\u202e previous\n${'x'.repeat(10_000)}`))
    expect(n.reason?.message.length).toBeLessThan(300)
    expect(n.reason?.message).toMatch(/^[\x20-\x7e…;]+$/)
  })

  it.each<[number, string, boolean]>([
    [400, 'refused', false],
    [404, 'refused', false],
    [418, 'refused', false],
    [307, 'refused', false],
    [401, 'unauthorized', true],
    [407, 'unauthorized', true],
    [403, 'forbidden', false],
    [408, 'server-error', true],
    [425, 'server-error', true],
    [429, 'server-error', true],
    [500, 'server-error', true],
    [503, 'server-error', true],
  ])(
    'refused with HTTP %i, bare or with an error, is %s, and trying again may help: %s',
    (status, code, retry) => {
      for (const answer of [http(status), httpError(status, -32000)]) {
        const n = legacy('http')
        expect(drive(n, () => answer).sent).toEqual(['initialize'])
        expect(n.reason).toMatchObject({ code, retry, status })
        expect(n.reason?.message).toContain(`HTTP ${status}`)
      }
    },
  )

  it('survives a server that answers the initialized notification', () => {
    for (const answer of [
      http(200, { error: { code: -32601, message: 'no' } }),
      error(-32601),
      result({}),
      http(202),
      http(204),
    ]) {
      const n = legacy('http')
      drive(n, ({ method }) => (method === 'initialize' ? initializeResult() : answer))
      expect(n.state).toBe('ready')
    }
  })

  it('ends where the initialized notification is refused by the transport', () => {
    const n = legacy('http')
    drive(n, ({ method }) => (method === 'initialize' ? initializeResult() : http(401)))
    expect(n.reason).toMatchObject({ code: 'unauthorized', status: 401 })
  })
})

describe('headers and _meta', () => {
  it('carry the negotiated version, not the requested one, on everything after initialize over HTTP', () => {
    const n = legacy('http')
    const log = drive(n, legacyServer({ versions: ['2025-06-18'] }))
    expect(log.headers).toEqual([{}, { 'MCP-Protocol-Version': '2025-06-18' }])
    expect(n.headers({ method: 'tools/list' })).toEqual({ 'MCP-Protocol-Version': '2025-06-18' })
    expect(n.headers()).toEqual({ 'MCP-Protocol-Version': '2025-06-18' })
    n.close()
    expect(n.headers()).toEqual({ 'MCP-Protocol-Version': '2025-06-18' })
  })

  it('are empty over stdio, and before anything is agreed', () => {
    const n = legacy('stdio')
    expect([n.headers(), n.meta()]).toEqual([{}, {}])
    drive(n, legacyServer())
    expect([n.headers(), n.headers({ method: 'tools/list' }), n.meta()]).toEqual([{}, {}, {}])
  })

  it.each(['stdio', 'http'] as const)(
    'put both required members in every modern request over %s, the probe included',
    (transport) => {
      const n = negotiate(transport)
      const probes: Message[] = []
      drive(n, (message, process) => {
        probes.push(message)
        return modernServer(transport)(message, process)
      })
      for (const meta of [probes[0]?.params?._meta, n.meta()]) {
        expect(meta).toEqual({
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': CLIENT.info,
          'io.modelcontextprotocol/clientCapabilities': {},
        })
      }
    },
  )

  it('state client capabilities and the log level per request', () => {
    const n = negotiate('http')
    drive(n, modernServer('http'))
    expect(n.meta({ capabilities: { elicitation: {} }, logLevel: 'warning' })).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      'io.modelcontextprotocol/logLevel': 'warning',
    })
    expect(n.meta()['io.modelcontextprotocol/clientCapabilities']).toEqual({})
    expect(Object.keys(n.meta())).not.toContain('io.modelcontextprotocol/logLevel')
  })
})

describe('what is known of the server', () => {
  it('is its own word, from the result or from _meta', () => {
    const n = legacy()
    drive(n, () =>
      result({
        protocolVersion: '2025-11-25',
        capabilities: {},
        serverInfo: { name: 'kb' },
        instructions: 'Read.',
      }),
    )
    expect([n.serverInfo, n.instructions]).toEqual([{ name: 'kb' }, 'Read.'])
    const modern = negotiate('http')
    drive(modern, () => discoverResult())
    expect(modern.serverInfo).toEqual({ name: 'kb', version: '3.1.4' })
  })

  it('is left out where it is malformed', () => {
    const n = legacy()
    drive(n, () =>
      result({ protocolVersion: '2025-11-25', capabilities: null, serverInfo: 'kb', instructions: 7 }),
    )
    expect([n.serverInfo, n.instructions, n.capabilities, n.diagnostics[0]?.code]).toEqual([
      undefined,
      undefined,
      {},
      'malformed-capabilities',
    ])
  })
})

describe('options that cannot be used', () => {
  const code = (options: object): string | undefined => {
    try {
      createNegotiation({ transport: 'stdio', client: CLIENT, ...options } as never)
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(NegotiationOptionsError)
      return (thrown as NegotiationOptionsError).code
    }
    return undefined
  }

  it.each([
    ['bad-version', { versions: ['zzz'] }],
    ['bad-version', { versions: ['2026-01-15'] }],
    ['no-version', { versions: [] }],
    ['no-version', { versions: ['2025-11-25'], policy: { era: 'modern' } }],
    ['bad-transport', { transport: 'sse' }],
    ['bad-client', { client: {} }],
    ['bad-client', { client: { info: {}, capabilities: [] } }],
    ['bad-timeout', { policy: { probeTimeoutMs: 0 } }],
    ['bad-timeout', { policy: { initializeTimeoutMs: Number.NaN } }],
  ])('are a %s error', (expected, options) => {
    expect(code(options)).toBe(expected)
  })

  it('are no error where they can', () => {
    expect(code({ versions: ['2025-11-25'], policy: { era: 'legacy', probeTimeoutMs: 1 } })).toBeUndefined()
  })
})

it('timeouts are those of the policy', () => {
  const n = negotiate('stdio', { probeTimeoutMs: 111, initializeTimeoutMs: 222 })
  expect(n.start()).toMatchObject({ timeoutMs: 111 })
  expect(n.receive(httpError(404, -32601))).toMatchObject({ timeoutMs: 222 })
})
