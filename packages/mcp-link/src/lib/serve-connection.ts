import { eraOf } from '@truename/capability-negotiator'
import { readEnvelope } from './client-envelope.ts'
import { codes, errorAnswer } from './failure.ts'
import type { JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import { createPeer, type IncomingRequest, type Peer } from './peer.ts'
import type { Era, Service } from './port.ts'
import { createLegacySide } from './serve-legacy.ts'
import { createModernSide } from './serve-modern.ts'
import type { Serving } from './serve-options.ts'
import type { Transport } from './transport.ts'

/** A client being served. */
export interface ServedConnection {
  /** Starts the transport. */
  start(): Promise<void>
  /** Ends it; whoever listens is told first. */
  close(): Promise<void>
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>
}

/**
 * Serves one connection of either era. The first accepted message fixes the era: `initialize` the legacy one, any
 * request with the modern envelope except `server/discover` the modern one, so that a client that only probed may
 * still go on with `initialize`.
 */
export function serveConnection(
  transport: Transport,
  service: Service,
  options: { readonly serving: Serving; readonly profile: string; readonly eras?: readonly Era[] },
): ServedConnection {
  const { serving, profile } = options
  const serves = (era: Era): boolean =>
    (options.eras?.includes(era) ?? true) && serving.versions.some((version) => eraOf(version) === era)
  let era: Era | undefined
  let peer: Peer | undefined
  let settled: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    settled = resolve
  })
  const peerNow = (): Peer => peer as Peer
  const close = async (): Promise<void> => {
    modern.drain()
    // The answers that end what listens are on their way before the transport goes.
    await new Promise<void>((resolve) => setImmediate(resolve))
    await peerNow().close('the server is closing')
  }
  const parts = { service, serving, profile, peer: peerNow, close }
  const legacy = createLegacySide(parts)
  const modern = createModernSide(parts)

  const noVersion = (requested: JsonObject[string]): Outcome => {
    const supported = serving.versions.filter((version) => eraOf(version) === 'modern')
    return errorAnswer(codes.unsupportedVersion, 'This server speaks the modern era only', {
      supported,
      ...(typeof requested === 'string' ? { requested } : {}),
    })
  }
  async function request(incoming: IncomingRequest): Promise<Outcome> {
    const { method, params } = incoming
    const envelope = readEnvelope(params)
    if (era === 'legacy') {
      if (method === 'initialize') return legacy.initialize(params)
      if (method === 'server/discover')
        return errorAnswer(codes.methodNotFound, `Method not found: ${method}`)
      return legacy.request(incoming)
    }
    if (method === 'initialize' && envelope.kind === 'none') {
      if (era === 'modern' || !serves('legacy')) return noVersion(params.protocolVersion)
      era = 'legacy'
      return legacy.initialize(params)
    }
    if (envelope.kind === 'invalid')
      return errorAnswer(codes.invalidParams, `Invalid params: ${envelope.why}`)
    if (envelope.kind === 'none') {
      if (era === 'modern' || method === 'server/discover') {
        return errorAnswer(
          codes.invalidParams,
          'Invalid params: _meta with the protocol version and the client capabilities is missing',
        )
      }
      return serves('legacy') ? legacy.request(incoming) : noVersion(undefined)
    }
    if (!serves('modern'))
      return errorAnswer(codes.methodNotFound, `Method not found: ${method.slice(0, 80)}`)
    if (method !== 'server/discover') era = 'modern'
    return modern.request(incoming, envelope)
  }

  peer = createPeer(transport, {
    request,
    notification: (notice) => (era === 'modern' ? modern.notified(notice) : legacy.notified(notice)),
    closed: () => {
      legacy.closed()
      modern.closed()
      settled()
    },
    event: serving.event,
  })
  return { start: () => peerNow().start(), close, closed }
}
