import { describe, expect, it } from 'vitest'
import type { JsonObject } from './json.ts'
import { createNegotiation } from './negotiation.ts'
import type { NegotiationPolicy } from './options.ts'
import type { Step } from './steps.ts'

const client = { info: { name: 'test', version: '1.0.0' }, capabilities: { roots: { listChanged: true } } }

const negotiation = (transport: 'stdio' | 'http', policy?: NegotiationPolicy, versions?: string[]) =>
  createNegotiation({ transport, client, ...(policy ? { policy } : {}), ...(versions ? { versions } : {}) })

const sent = (step: Step) => {
  if (step.do !== 'send') throw new Error(`expected a send step, got ${JSON.stringify(step)}`)
  return step
}

const initializeResult = (capabilities: JsonObject, protocolVersion = '2025-11-25') => ({
  kind: 'result' as const,
  value: { protocolVersion, capabilities, serverInfo: { name: 'kb', version: '3' } },
})

const discovery = (capabilities: JsonObject, supportedVersions = ['2026-07-28']) => ({
  kind: 'result' as const,
  value: { supportedVersions, capabilities, resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
})

describe('the legacy handshake', () => {
  it('sends initialize, then notifications/initialized, then is ready at the version the server answered', () => {
    const n = negotiation('http', { era: 'legacy' })
    const first = sent(n.start())
    expect(first.message.method).toBe('initialize')
    expect(first.message.params?.protocolVersion).toBe('2025-11-25')
    expect(first.headers).toEqual({})
    const second = sent(
      n.receive({ ...initializeResult({ tools: {} }, '2025-06-18'), exchange: first.exchange }),
    )
    expect(second).toMatchObject({
      message: { method: 'notifications/initialized' },
      expect: 'nothing',
      headers: { 'MCP-Protocol-Version': '2025-06-18' },
    })
    expect(n.state).toBe('negotiating')
    expect(n.receive({ kind: 'sent', exchange: second.exchange })).toEqual({ do: 'ready' })
    expect([n.state, n.era, n.version, n.roundTrips]).toEqual(['ready', 'legacy', '2025-06-18', 1])
    expect(n.headers()).toEqual({ 'MCP-Protocol-Version': '2025-06-18' })
    expect(n.meta()).toEqual({})
    expect(n.serverInfo).toEqual({ name: 'kb', version: '3' })
  })
})

describe('the modern era', () => {
  it('is ready after one discovery, and every later request carries the version and the client in _meta', () => {
    const n = negotiation('http')
    const probe = sent(n.start())
    expect(probe.message.method).toBe('server/discover')
    expect(probe.headers).toEqual({ 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'server/discover' })
    expect(n.receive(discovery({ resources: {} }))).toEqual({ do: 'ready' })
    expect([n.era, n.version, n.roundTrips]).toEqual(['modern', '2026-07-28', 1])
    expect(n.meta()).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': client.info,
      'io.modelcontextprotocol/clientCapabilities': client.capabilities,
    })
    expect(n.headers({ method: 'resources/read', params: { uri: 'docs://héllo' } })).toEqual({
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'resources/read',
      'Mcp-Name': '=?base64?ZG9jczovL2jDqWxsbw==?=',
    })
  })

  it('falls back to initialize in the same process after a refused probe', () => {
    const n = negotiation('stdio')
    n.start()
    const next = sent(n.receive({ kind: 'error', error: { code: -32601, message: 'Method not found' } }))
    expect(next.message.method).toBe('initialize')
    sent(n.receive(initializeResult({ tools: {} })))
    expect(n.receive({ kind: 'sent' })).toEqual({ do: 'ready' })
    expect([n.era, n.roundTrips]).toEqual(['legacy', 2])
    expect(n.verdict()).toEqual({ era: 'legacy', version: '2025-11-25' })
  })

  it('asks for a new process where the old one ended on the probe, and initializes there', () => {
    const n = negotiation('stdio')
    n.start()
    expect(n.receive({ kind: 'exit' })).toEqual({
      do: 'reconnect',
      cause: 'probe-ended-it',
      transport: 'same',
    })
    expect(sent(n.receive({ kind: 'connected' })).message.method).toBe('initialize')
  })
})

describe('the gate before ready', () => {
  it('holds ordinary requests back until ready, or refuses them by option', () => {
    const waiting = negotiation('stdio')
    waiting.start()
    expect(waiting.admit('tools/list')).toEqual({ do: 'wait' })
    const refusing = negotiation('stdio', { beforeReady: 'refuse' })
    refusing.start()
    expect(refusing.admit('tools/list')).toMatchObject({ do: 'refuse', permission: { why: 'not-ready' } })
  })
})
