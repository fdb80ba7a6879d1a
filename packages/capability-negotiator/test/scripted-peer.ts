import { type JsonObject, own } from '../src/lib/json.ts'
import type { Negotiation } from '../src/lib/negotiation.ts'
import type { NegotiationEvent, WireError } from '../src/lib/outcome.ts'
import type { Step } from '../src/lib/steps.ts'

export type SendStep = Extract<Step, { do: 'send' }>
export interface Message {
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** What a peer does with a message: an event, or silence until the time is up. `process` counts from 1. */
export type Peer = (message: Message, process: number) => NegotiationEvent | 'silent'

export const CLIENT = { info: { name: 'test-client', version: '1.0.0' }, capabilities: {} }

export const result = (value: JsonObject): NegotiationEvent => ({ kind: 'result', value })
export const error = (code: number, data?: WireError['data'], message = 'no'): NegotiationEvent => ({
  kind: 'error',
  error: { code, message, ...(data === undefined ? {} : { data }) },
})
export const http = (status: number, body: unknown = '', contentType?: string): NegotiationEvent => ({
  kind: 'http',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...(contentType === undefined ? {} : { contentType }),
})
export const httpError = (status: number, code: number, data?: unknown): NegotiationEvent =>
  http(status, {
    jsonrpc: '2.0',
    id: null,
    error: { code, message: 'no', ...(data === undefined ? {} : { data }) },
  })
export const failure = (
  kind: 'timeout' | 'closed' | 'cancelled' | 'refused' | 'transport' | 'invalid',
): NegotiationEvent => ({ kind: 'error', error: { code: 0, message: kind }, failure: kind })

export const initializeResult = (capabilities: JsonObject = { tools: {} }, protocolVersion = '2025-11-25') =>
  result({ protocolVersion, capabilities, serverInfo: { name: 'kb', version: '3.1.4' } })
export const discoverResult = (
  capabilities: JsonObject = { tools: {} },
  supportedVersions = ['2026-07-28'],
) =>
  result({
    supportedVersions,
    capabilities,
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'kb', version: '3.1.4' } },
  })

/** The version in a modern message's `_meta`. */
export const metaVersion = (message: Message): unknown =>
  own(message.params?._meta, 'io.modelcontextprotocol/protocolVersion')

/** A server of revisions up to 2025-11-25; `onProbe` is what it makes of `server/discover`. */
export function legacyServer({
  versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
  capabilities = { tools: {} } as JsonObject,
  onProbe = error(-32601) as NegotiationEvent | 'silent',
} = {}): Peer {
  return ({ method, params }) => {
    if (method === 'server/discover') return onProbe
    if (method !== 'initialize') return { kind: 'sent' }
    const wanted = params?.protocolVersion as string
    return initializeResult(capabilities, versions.includes(wanted) ? wanted : versions[0])
  }
}

/** A server of 2026-07-28 alone. */
export function modernServer(
  transport: 'stdio' | 'http',
  { versions = ['2026-07-28'], capabilities = { tools: {} } as JsonObject } = {},
): Peer {
  return (message) => {
    const refused = { supported: versions, requested: String(metaVersion(message)) }
    if (message.method === 'initialize') {
      return transport === 'stdio' ? error(-32601, { supported: versions }) : httpError(400, -32020)
    }
    if (!versions.includes(String(metaVersion(message)))) {
      return transport === 'stdio' ? error(-32022, refused) : httpError(400, -32022, refused)
    }
    return discoverResult(capabilities, versions)
  }
}

/** A server of both eras. On stdio the first accepted message fixes its era, as the SDK and a Go server do. */
export function dualServer(
  transport: 'stdio' | 'http',
  { versions = ['2026-07-28', '2025-11-25'], capabilities = { tools: {} } as JsonObject } = {},
): Peer {
  const eras = new Map<number, 'legacy' | 'modern'>()
  const modern = modernServer(transport, { versions, capabilities })
  const legacy = legacyServer({ versions: versions.filter((version) => version < '2026'), capabilities })
  return (message, process) => {
    const fixed = transport === 'stdio' ? eras.get(process) : undefined
    if (message.method === 'server/discover') {
      if (fixed === 'legacy') return error(-32601)
      const answer = modern(message, process)
      if (answer !== 'silent' && answer.kind === 'result') eras.set(process, 'modern')
      return answer
    }
    if (message.method === 'initialize') {
      if (fixed === 'modern') return error(-32022, { supported: ['2026-07-28'], requested: '2025-11-25' })
      eras.set(process, 'legacy')
    }
    return legacy(message, process)
  }
}

export interface Log {
  /** Every message sent, as `method` or `method@process` from the second process on. */
  readonly sent: string[]
  readonly headers: Record<string, string>[]
  readonly last: Step
  readonly processes: number
}

/** Carries out what a negotiation says against a peer, until it is ready, closed, or stuck. */
export function drive(negotiation: Negotiation, peer: Peer, step = negotiation.start(), process = 1): Log {
  const sent: string[] = []
  const headers: Record<string, string>[] = []
  for (let turns = 0; turns < 30; turns += 1) {
    if (step.do === 'send') {
      sent.push(process === 1 ? step.message.method : `${step.message.method}@${process}`)
      headers.push({ ...step.headers })
      const answer = peer(step.message, process)
      const event = answer === 'silent' ? failure('timeout') : answer
      step = negotiation.receive({ ...event, exchange: step.exchange })
    } else if (step.do === 'reconnect') {
      process += 1
      step = negotiation.receive({ kind: 'connected' })
    } else {
      return { sent, headers, last: step, processes: process }
    }
  }
  throw new Error(`negotiation does not end: ${sent.join(', ')}`)
}
