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
  metaVersion,
  modernServer,
  type Peer,
  result,
} from '../../test/scripted-peer.ts'
import { createNegotiation } from './negotiation.ts'
import type { NegotiationPolicy } from './options.ts'
import type { NegotiationEvent } from './outcome.ts'

const TRANSPORTS = ['stdio', 'http'] as const
type Transport = (typeof TRANSPORTS)[number]

const negotiate = (transport: Transport, policy?: NegotiationPolicy, versions?: string[]) =>
  createNegotiation({ transport, client: CLIENT, policy, versions })

const PROBE = 'server/discover'
const HANDSHAKE = ['initialize', 'notifications/initialized']

describe.each(TRANSPORTS)('every row of the compatibility matrix over %s', (transport) => {
  const run = (era: 'auto' | 'legacy' | 'modern', peer: Peer) => {
    const n = negotiate(transport, { era })
    const { sent, processes } = drive(n, peer)
    return { sent, processes, state: n.state, era: n.era, code: n.reason?.code, reason: n.reason, n }
  }

  it('modern client, modern server: one round trip', () => {
    expect(run('modern', modernServer(transport))).toMatchObject({
      sent: [PROBE],
      state: 'ready',
      era: 'modern',
    })
  })

  it('modern client, legacy server: fails after the probe alone, saying so, and never sends initialize', () => {
    const { sent, state, reason } = run('modern', legacyServer())
    expect([sent, state, reason?.code]).toEqual([[PROBE], 'closed', 'version-mismatch'])
    expect(reason?.message).toContain('does not speak the modern era')
    expect(reason?.ours).toEqual(['2026-07-28'])
  })

  it('dual-era client, modern server: stays modern', () => {
    expect(run('auto', modernServer(transport))).toMatchObject({
      sent: [PROBE],
      state: 'ready',
      era: 'modern',
    })
  })

  it('dual-era client, legacy server: falls back to initialize', () => {
    expect(run('auto', legacyServer())).toMatchObject({
      sent: [PROBE, ...HANDSHAKE],
      state: 'ready',
      era: 'legacy',
    })
  })

  it('dual-era client, dual-era server: modern, in one round trip and one process', () => {
    expect(run('auto', dualServer(transport))).toMatchObject({ sent: [PROBE], processes: 1, era: 'modern' })
  })

  it('legacy client, modern server: fails, with nothing sent after the refused initialize', () => {
    const { sent, state, code } = run('legacy', modernServer(transport))
    expect([sent, state]).toEqual([['initialize'], 'closed'])
    expect(code).toBe(transport === 'stdio' ? 'version-mismatch' : 'refused')
  })

  it('legacy client, dual-era server: the server answers initialize, without a probe', () => {
    expect(run('legacy', dualServer(transport))).toMatchObject({
      sent: HANDSHAKE,
      state: 'ready',
      era: 'legacy',
    })
  })

  it('legacy client, legacy server: one round trip', () => {
    const { sent, n } = run('legacy', legacyServer())
    expect([sent, n.roundTrips, n.era]).toEqual([HANDSHAKE, 1, 'legacy'])
  })
})

describe('round trips', () => {
  it.each(TRANSPORTS)(
    'costs one for a modern server and two for an unknown legacy one over %s',
    (transport) => {
      const modern = negotiate(transport)
      drive(modern, modernServer(transport))
      const legacy = negotiate(transport)
      drive(legacy, legacyServer())
      expect([modern.roundTrips, legacy.roundTrips]).toEqual([1, 2])
    },
  )

  it.each(TRANSPORTS)(
    'costs one for a remembered legacy server and none for a remembered modern one over %s',
    (transport) => {
      const first = negotiate(transport)
      drive(first, legacyServer())
      const again = negotiate(transport, { prior: first.verdict() })
      expect(drive(again, legacyServer()).sent).toEqual(HANDSHAKE)
      expect(again.roundTrips).toBe(1)

      const modern = negotiate(transport)
      drive(modern, modernServer(transport, { capabilities: { resources: {} } }))
      const known = negotiate(transport, { prior: modern.verdict() })
      expect(known.start()).toEqual({ do: 'ready' })
      expect([
        known.roundTrips,
        known.can('resources/read').allowed,
        known.can('tools/list').allowed,
      ]).toEqual([0, true, false])
    },
  )

  it('costs none where the caller skips discovery, and what the server can do is unknown until it is asked', () => {
    const n = negotiate('http', { era: 'modern', discover: false })
    expect(n.start()).toEqual({ do: 'ready' })
    expect([n.version, n.roundTrips]).toEqual(['2026-07-28', 0])
    expect(n.can('tools/list')).toMatchObject({ allowed: 'unknown', why: 'undiscovered' })
    expect(n.admit('tools/list')).toEqual({ do: 'send' })
    drive(n, modernServer('http', { capabilities: { tools: {} } }), n.discover())
    expect([n.can('tools/list').allowed, n.can('prompts/list').allowed]).toEqual([true, false])
  })
})

describe('a probe over stdio', () => {
  it.each<[string, NegotiationEvent | 'silent']>([
    ['-32601', error(-32601)],
    ['-32602', error(-32602)],
    ['-32600 with a null id', error(-32600)],
    ['-32000', error(-32000)],
    ['-32603', error(-32603)],
    ['code 0', error(0)],
    ['a version error that names no versions', error(-32022)],
    ['silence', 'silent'],
    ['an empty result', result({})],
    ['a result of another shape', result({ supportedVersions: '2026-07-28' })],
    ['a line that is no message', failure('invalid')],
  ])('answered with %s is a legacy server: initialize in the same process', (_, onProbe) => {
    const n = negotiate('stdio')
    expect(drive(n, legacyServer({ onProbe }))).toMatchObject({ sent: [PROBE, ...HANDSHAKE], processes: 1 })
    expect(n.verdict()?.era).toBe('legacy')
  })

  it.each<[string, NegotiationEvent]>([
    ['exits', { kind: 'exit', detail: 'code 1' }],
    ['closes its output', failure('closed')],
  ])('that the server %s on is followed by one clean process, which gets no probe', (_, onProbe) => {
    const n = negotiate('stdio')
    const log = drive(n, legacyServer({ onProbe }))
    expect(log).toMatchObject({ sent: [PROBE, 'initialize@2', 'notifications/initialized@2'], processes: 2 })
    expect([n.state, n.verdict()?.era]).toEqual(['ready', 'legacy'])
  })

  it('that the server answers and then dies of is followed by one clean process', () => {
    const n = negotiate('stdio')
    const legacy = legacyServer()
    const log = drive(n, (message, process) =>
      message.method === 'initialize' && process === 1 ? { kind: 'exit' } : legacy(message, process),
    )
    expect([log.processes, n.state]).toEqual([2, 'ready'])
  })

  it.each<[string, NegotiationEvent | 'silent']>([
    ['refuses', error(-32600)],
    ['never answers', 'silent'],
  ])('after which the server %s initialize is followed by one clean process', (_, answer) => {
    const n = negotiate('stdio')
    const legacy = legacyServer()
    const log = drive(n, (message, process) =>
      message.method === 'initialize' && process === 1 ? answer : legacy(message, process),
    )
    expect([log.processes, n.state]).toEqual([2, 'ready'])
  })

  it('leads to no third process, whatever the second one does', () => {
    const n = negotiate('stdio')
    const log = drive(n, () => ({ kind: 'exit', detail: 'code 1' }))
    expect(log).toMatchObject({ sent: [PROBE, 'initialize@2'], processes: 2 })
    expect(n.reason).toMatchObject({ code: 'exited', retry: true })
  })

  it('that could not be sent because nothing started is a failure to reach the server, not a legacy server', () => {
    const n = negotiate('stdio')
    expect(drive(n, () => failure('transport')).sent).toEqual([PROBE])
    expect([n.reason?.code, n.verdict()]).toEqual(['network', undefined])
  })

  it.each([
    ['before the handshake', true],
    ['after it', false],
  ])(
    'answered late %s by a dual-era server leaves the connection in the era of the accepted initialize',
    (_, first) => {
      const n = negotiate('stdio')
      n.start()
      n.receive({ ...failure('timeout'), exchange: 1 })
      const discover = () => n.receive({ ...discoverResult(), exchange: 1 })
      if (first) expect([discover(), n.state, n.era]).toEqual([{ do: 'wait' }, 'negotiating', undefined])
      expect(n.receive({ ...initializeResult(), exchange: 2 })).toMatchObject({
        do: 'send',
        message: { method: 'notifications/initialized' },
      })
      if (!first) expect(discover()).toEqual({ do: 'wait' })
      expect(n.receive({ kind: 'sent', exchange: 3 })).toEqual({ do: 'ready' })
      expect([n.era, n.version, n.meta()]).toEqual(['legacy', '2025-11-25', {}])
      // It speaks both eras, and was only slow.
      expect(n.verdict()).toBeUndefined()
    },
  )

  it('answered late, in use, by a server that was remembered for its silence is forgotten', () => {
    const n = negotiate('stdio')
    drive(n, legacyServer({ onProbe: 'silent' }))
    expect(n.verdict()?.era).toBe('legacy')
    expect(n.receive({ ...discoverResult(), exchange: 1 })).toEqual({ do: 'ready' })
    expect([n.era, n.verdict()]).toEqual(['legacy', undefined])
  })

  it.each<[string, NegotiationEvent]>([
    ['refused', error(-32601)],
    ['refused with its versions', error(-32022, { supported: ['2026-07-28'] })],
    ['never answered', failure('timeout')],
    ['answered with nonsense', failure('invalid')],
  ])(
    'answered late by a server by which initialize is %s is a modern one, in the same process',
    (_, answer) => {
      const n = negotiate('stdio')
      n.start()
      n.receive({ ...failure('timeout'), exchange: 1 })
      n.receive({ ...discoverResult(), exchange: 1 })
      expect(n.receive({ ...answer, exchange: 2 })).toEqual({ do: 'ready' })
      expect([n.era, n.version, n.generation, n.roundTrips]).toEqual(['modern', '2026-07-28', 1, 2])
      expect(n.verdict()?.era).toBe('modern')
      n.observe({ method: 'tools/list' }, error(-32000))
      expect(n.doubtful).toBe(false)
    },
  )

  it('answered late with an error changes nothing', () => {
    const n = negotiate('stdio')
    n.start()
    n.receive({ ...failure('timeout'), exchange: 1 })
    expect(n.receive({ ...error(-32601), exchange: 1 })).toEqual({ do: 'wait' })
    expect(n.receive({ ...error(-32020), exchange: 1 })).toEqual({ do: 'wait' })
    expect(n.receive({ ...error(-32022, { supported: ['2026-07-28'] }), exchange: 1 })).toEqual({
      do: 'wait',
    })
    n.receive({ ...initializeResult(), exchange: 2 })
    expect(n.receive({ kind: 'sent', exchange: 3 })).toEqual({ do: 'ready' })
    expect([n.era, n.verdict()?.era]).toEqual(['legacy', 'legacy'])
  })
})

describe('a probe over HTTP', () => {
  it.each<[string, NegotiationEvent]>([
    ['404 with text', http(404, 'Not Found', 'text/plain')],
    ['400 with an error that is not modern', httpError(400, -32600)],
    ['400 with -32000', httpError(400, -32000)],
    ["400 'missing session id'", http(400, 'Bad Request: missing session id')],
    ['400 with an empty body', http(400)],
    ['400 with HTML', http(400, '<html><body>Bad Request</body></html>', 'text/html')],
    ['405', http(405)],
    ['404 with -32601', httpError(404, -32601)],
    ['200 with -32601', error(-32601)],
    ['202 with an empty body', http(202)],
    ['204', http(204)],
    ['200 with an empty body', http(200)],
    ['200 with plain text', http(200, 'ok', 'text/plain')],
    ['400 with a version error that names no versions', httpError(400, -32022)],
  ])('answered with %s is a legacy server, and is remembered as one', (_, onProbe) => {
    const n = negotiate('http')
    expect(drive(n, legacyServer({ onProbe })).sent).toEqual([PROBE, ...HANDSHAKE])
    expect([n.state, n.reason, n.verdict()?.era]).toEqual(['ready', undefined, 'legacy'])
  })

  it.each<[string, NegotiationEvent | 'silent']>([
    ['500', http(500, 'Internal Server Error')],
    ['500 with a JSON-RPC error', httpError(500, -32603)],
    ['502', http(502)],
    ['silence', 'silent'],
  ])('answered with %s decides nothing: initialize is tried, and the era is not remembered', (_, onProbe) => {
    const n = negotiate('http')
    expect(drive(n, legacyServer({ onProbe })).sent).toEqual([PROBE, ...HANDSHAKE])
    expect([n.state, n.verdict()]).toEqual(['ready', undefined])
  })

  it.each<[string, NegotiationEvent, string, boolean]>([
    ['401', http(401), 'unauthorized', true],
    ['401 with a JSON-RPC error', httpError(401, -32600), 'unauthorized', true],
    ['403', http(403), 'forbidden', false],
    ['407', http(407), 'unauthorized', true],
    ['429', http(429), 'server-error', true],
    ['a refused connection', failure('transport'), 'network', true],
    ['a connection that breaks', failure('closed'), 'exited', true],
    ['an unfollowed redirect', http(307), 'refused', false],
  ])(
    'answered with %s decides nothing, is not remembered, and closes with its own reason',
    (_, onProbe, code, retry) => {
      const n = negotiate('http')
      expect(drive(n, legacyServer({ onProbe })).sent).toEqual([PROBE])
      expect([n.reason?.code, n.reason?.retry, n.era, n.verdict()]).toEqual([
        code,
        retry,
        undefined,
        undefined,
      ])
    },
  )

  it('answered with 500 or with silence ends a client that has only modern versions, for that reason', () => {
    for (const [answer, code] of [
      [http(500), 'server-error'],
      ['silent', 'timeout'],
    ] as const) {
      const n = negotiate('http', { era: 'modern' })
      expect(drive(n, () => answer).sent).toEqual([PROBE])
      expect(n.reason).toMatchObject({ code, retry: true })
    }
  })

  it.each([401, 403])('answered with %i goes on to initialize where the caller says so', (status) => {
    const n = negotiate('http', { whenUnauthorized: 'initialize' })
    expect(drive(n, legacyServer({ onProbe: http(status) })).sent).toEqual([PROBE, ...HANDSHAKE])
    expect([n.state, n.verdict()]).toEqual(['ready', undefined])
  })

  it.each([
    ['HeaderMismatch', -32020],
    ['MissingRequiredClientCapability', -32021],
  ])('answered 400 with %s is a modern server: no fallback, and the error is the reason', (_, code) => {
    const n = negotiate('http')
    const log = drive(n, () => httpError(400, code, { requiredCapabilities: { sampling: {} } }))
    expect(log.sent).toEqual([PROBE])
    expect(n.reason).toMatchObject({ code: 'refused', error: { code } })
  })

  it('tries the transport of 2024-11-05 once where initialize gets 400, 404 or 405 and the driver can speak it', () => {
    const peer: Peer = ({ method }, process) =>
      process === 1
        ? http(method === 'initialize' ? 404 : 405)
        : method === 'initialize'
          ? initializeResult()
          : { kind: 'sent' }
    const without = negotiate('http')
    expect(drive(without, peer).last).toMatchObject({ do: 'close', reason: { code: 'refused', status: 404 } })
    const n = negotiate('http', { sse: true })
    n.start()
    n.receive(http(405))
    expect(n.receive(http(404))).toEqual({ do: 'reconnect', cause: 'http+sse', transport: 'http+sse' })
    expect(n.receive({ kind: 'connected' })).toMatchObject({ do: 'send', message: { method: 'initialize' } })
    expect(n.receive(http(404))).toMatchObject({ do: 'close', reason: { code: 'refused' } })
  })
})

describe.each(TRANSPORTS)('the versions a modern server names over %s', (transport) => {
  const refusal = (supported: string[]) =>
    transport === 'stdio' ? error(-32022, { supported }) : httpError(400, -32022, { supported })

  it('are tried at the newest common one, with no initialize', () => {
    const n = negotiate(transport, {}, ['2026-07-28', '2027-02-01', '2025-11-25'])
    const versions: unknown[] = []
    const log = drive(n, (message) => {
      const version = metaVersion(message)
      versions.push(version)
      return version === '2026-07-28' ? discoverResult() : refusal(['2026-07-28', '2025-11-25'])
    })
    expect([log.sent, versions]).toEqual([
      [PROBE, PROBE],
      ['2027-02-01', '2026-07-28'],
    ])
    expect([n.state, n.version]).toEqual(['ready', '2026-07-28'])
  })

  it('without a common one end it, naming both sides, and nothing more is sent', () => {
    const n = negotiate(transport)
    expect(drive(n, () => refusal(['2027-01-01', '2028-01-01'])).sent).toEqual([PROBE])
    expect(n.reason).toMatchObject({
      code: 'version-mismatch',
      ours: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
      theirs: ['2027-01-01', '2028-01-01'],
      retry: false,
    })
    expect(n.admit('tools/list')).toMatchObject({ do: 'refuse', permission: { why: 'closed' } })
  })

  it('in a refused probe, with only a legacy one in common, lead to initialize at that version', () => {
    const n = negotiate(transport)
    const offered: unknown[] = []
    const log = drive(n, ({ method, params }) => {
      if (method === PROBE) return refusal(['2025-06-18'])
      if (method === 'initialize') offered.push(params?.protocolVersion)
      return method === 'initialize' ? initializeResult({}, '2025-06-18') : { kind: 'sent' }
    })
    expect([log.sent, log.processes, offered, n.version]).toEqual([
      [PROBE, ...HANDSHAKE],
      1,
      ['2025-06-18'],
      '2025-06-18',
    ])
  })

  it('in an answered probe, with only a legacy one in common, need a new process where the probe fixed the era', () => {
    const n = negotiate(transport, {}, ['2026-07-28', '2025-11-25'])
    const log = drive(n, ({ method }) =>
      method === PROBE
        ? discoverResult({}, ['2027-01-01', '2025-11-25'])
        : method === 'initialize'
          ? initializeResult()
          : { kind: 'sent' },
    )
    expect([n.era, n.version, log.processes]).toEqual(['legacy', '2025-11-25', transport === 'stdio' ? 2 : 1])
  })

  it('are tried three times at most, however a server changes its mind', () => {
    const modern = ['2026-07-28', '2027-01-01', '2027-02-01', '2027-03-01', '2027-04-01']
    const n = negotiate(transport, {}, modern)
    const log = drive(n, (message) =>
      refusal(modern.filter((version) => version < String(metaVersion(message)))),
    )
    expect(log.sent).toEqual([PROBE, PROBE, PROBE])
    expect(n.reason?.code).toBe('version-mismatch')
  })

  it('are shown in the message, eight at most', () => {
    const years = Array.from({ length: 9 }, (_, at) => `${2030 + at}-01-01`)
    for (const [count, ending] of [
      [8, '"2037-01-01"'],
      [9, '"2037-01-01", …'],
    ] as const) {
      const n = negotiate(transport)
      drive(n, () => refusal(years.slice(0, count)))
      expect(n.reason?.message.endsWith(ending)).toBe(true)
      expect(n.reason?.theirs).toHaveLength(count)
    }
    const none = negotiate(transport)
    drive(none, () => refusal([]))
    expect(none.reason?.message).toContain('the server named none')
  })

  it('are tried once more where it is the very version that was refused', () => {
    const n = negotiate(transport)
    let refusals = 0
    const log = drive(n, () => {
      refusals += 1
      return refusals === 1 ? refusal(['2026-07-28']) : discoverResult()
    })
    expect([log.sent, n.state, n.version]).toEqual([[PROBE, PROBE], 'ready', '2026-07-28'])
  })

  it('are not believed for ever: a server that refuses again what it names is left, and never initialized', () => {
    const n = negotiate(transport)
    expect(drive(n, () => refusal(['2026-07-28'])).sent).toEqual([PROBE, PROBE])
    expect(n.reason?.code).toBe('version-mismatch')
    expect(n.reason?.message).not.toContain('in common')
    const later = negotiate(transport, {}, ['2026-07-28', '2027-02-01'])
    expect(drive(later, () => refusal(['2026-07-28'])).sent).toEqual([PROBE, PROBE])
    expect(later.reason?.code).toBe('version-mismatch')
  })
})

describe('a discovery', () => {
  it('with an unknown resultType is invalid, and without one complete', () => {
    const value = { supportedVersions: ['2026-07-28'], capabilities: {} }
    const bad = negotiate('http')
    drive(bad, () => result({ ...value, resultType: 'x' }))
    expect(bad.reason?.code).toBe('invalid-answer')
    const good = negotiate('http')
    drive(good, () => result(value))
    expect(good.state).toBe('ready')
  })
})
