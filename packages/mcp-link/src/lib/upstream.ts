import type { Negotiation, Step } from '@truename/capability-negotiator'
import { createAttribution, type Isolation } from './attribution.ts'
import { createExchanges } from './exchanges.ts'
import { codes, errorAnswer, reasonOf } from './failure.ts'
import type { JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { Peer, PeerHandlers } from './peer.ts'
import type { CallContext, LinkEvent, Notice, RequestHandler, Upstream } from './port.ts'
import type { Timeouts } from './timeouts.ts'
import { within } from './timer.ts'
import type { Transport } from './transport.ts'
import { createUpstreamListening } from './upstream-listening.ts'

/** An upstream in the making: what a peer has to hand over to, and the finished thing once negotiated. */
export interface UpstreamLink {
  handlers(isCurrent: () => boolean): PeerHandlers
  ready(peer: Peer, transport: () => Transport | undefined): Upstream
}

/** Creates the client's half of the port for one connection. */
export function createUpstream(options: {
  readonly serverId: string
  readonly generation: number
  readonly transport: 'stdio' | 'http'
  readonly negotiation: Negotiation
  readonly timeouts: Timeouts
  readonly isolation: Isolation
  readonly event: (event: LinkEvent) => void
  readonly stderr: () => readonly string[]
  /** Carries out what the negotiation says, on the connection there is, until there is nothing more to send. */
  readonly drive: (step: Step) => Promise<Step>
  readonly close: () => Promise<void>
}): UpstreamLink {
  const { negotiation, timeouts, event } = options
  const attribution = createAttribution(options.isolation)
  const noticeListeners = new Set<(notice: Notice) => void>()
  const closeListeners = new Set<(reason: string) => void>()
  let handler: RequestHandler<{ readonly signal: AbortSignal }> | undefined
  let current: Peer | undefined
  let transportOf: () => Transport | undefined = () => undefined
  let closedBecause: string | undefined

  /** What one listener throws keeps nothing from the others. */
  const call = <Told>(listener: (told: Told) => void, told: Told): void => {
    try {
      listener(told)
    } catch (thrown) {
      event({ level: 'error', message: `a listener threw: ${reasonOf(thrown)}` })
    }
  }
  const tell = (notice: Notice): void => {
    for (const listener of noticeListeners) call(listener, notice)
  }
  const closedNow = (reason: string): void => {
    if (closedBecause !== undefined) return
    closedBecause = reason
    negotiation.close()
    for (const listener of closeListeners) call(listener, reason)
    closeListeners.clear()
  }
  const end = async (reason: string, after?: Promise<unknown>): Promise<void> => {
    closedNow(reason)
    const limits = { ms: timeouts.graceMs, what: 'what is under way' }
    if (after) await within(after, limits).catch(() => undefined)
    await options.close()
  }

  const exchanges = createExchanges({
    negotiation,
    transport: options.transport,
    timeouts,
    peer: () => current,
    transportOf: () => transportOf(),
    closedBecause: () => closedBecause,
    drive: options.drive,
    end: (reason, after) => void end(reason, after),
  })
  async function request(method: string, params: JsonObject, context: CallContext = {}): Promise<Outcome> {
    const call = attribution.began(context)
    const outcome = await exchanges.request(method, params, context, call.sentAs)
    call.ended(outcome)
    return outcome
  }
  const listening = createUpstreamListening({
    negotiation,
    timeouts,
    event,
    exchange: exchanges.request,
    discover: exchanges.discover,
    tell,
  })

  /** The refusal of a question that this client never said it could answer. */
  const undeclared = (method: string, params: JsonObject): Outcome | undefined => {
    const permission = negotiation.accepts(method, params)
    if (permission.allowed !== false || permission.why !== 'not-declared') return undefined
    // The method is there, and this form of it is not (2025-11-25, Elicitation §Error Handling).
    const inPart = negotiation.accepts(method).allowed !== false
    return errorAnswer(inPart ? codes.invalidParams : codes.methodNotFound, permission.message)
  }

  return {
    handlers: (isCurrent) => ({
      request: async ({ method, params, signal, via }) =>
        method === 'ping'
          ? { kind: 'result', value: {} }
          : (undeclared(method, params) ?? attribution.answer(method, params, via, signal, handler)),
      answeredLate: attribution.answeredLate,
      notification: (notice) => {
        if (isCurrent()) listening.arrived(notice)
      },
      closed: (reason) => {
        if (!isCurrent() || !current) return
        // Whether what is remembered of the server still holds depends on how far it got.
        if (options.transport === 'stdio') negotiation.receive({ kind: 'exit', detail: reason })
        closedNow(reason)
      },
      event,
    }),
    ready(peer, transport) {
      current = peer
      transportOf = transport
      if (peer.closedBecause !== undefined) closedNow(peer.closedBecause)
      return {
        serverId: options.serverId,
        generation: options.generation,
        negotiation,
        get serverInfo() {
          return negotiation.serverInfo
        },
        get capabilities() {
          return negotiation.capabilities ?? {}
        },
        get instructions() {
          return negotiation.instructions
        },
        request,
        async notify(method, params) {
          const why = await exchanges.notify(method, params)
          if (why !== undefined) event({ level: 'warn', message: `${method} was not sent: ${why}` })
        },
        discover: exchanges.discover,
        listen: listening.listen,
        onRequest(next) {
          handler = next
          return () => {
            if (handler === next) handler = undefined
          }
        },
        onNotification(listener) {
          noticeListeners.add(listener)
          return () => noticeListeners.delete(listener)
        },
        onClose(listener) {
          if (closedBecause !== undefined) {
            const reason = closedBecause
            queueMicrotask(() => call(listener, reason))
          } else closeListeners.add(listener)
          return () => closeListeners.delete(listener)
        },
        stderr: options.stderr,
        close: () => end('closed by this side'),
      }
    },
  }
}
