import {
  intersectClient,
  type Negotiation,
  type NegotiationEvent,
  resultKind,
} from '@truename/capability-negotiator'
import { createAttribution, type Isolation } from './attribution.ts'
import { failure, reasonOf } from './failure.ts'
import type { HttpAnswerError } from './http-answer.ts'
import type { JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { HttpOutcome } from './outgoing-requests.ts'
import { createParamHeaders } from './param-headers.ts'
import type { Peer, PeerHandlers } from './peer.ts'
import type { CallContext, LinkEvent, Notice, RequestHandler, Upstream } from './port.ts'
import { addMeta } from './protocol-meta.ts'
import type { Timeouts } from './timeouts.ts'
import type { Transport } from './transport.ts'
import { createUpstreamListening } from './upstream-listening.ts'

/** An upstream in the making: what a peer has to hand over to, and the finished thing once negotiated. */
export interface UpstreamLink {
  handlers(isCurrent: () => boolean): PeerHandlers
  ready(peer: Peer, transport: () => Transport | undefined): Upstream
}

/** Requests whose servers may report progress, so that a token of our own keeps them alive. */
const longRunning = new Set(['tools/call', 'prompts/get', 'resources/read', 'completion/complete'])

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
  readonly close: () => Promise<void>
}): UpstreamLink {
  const { negotiation, timeouts, event } = options
  const attribution = createAttribution(options.isolation)
  const paramHeaders = createParamHeaders()
  const noticeListeners = new Set<(notice: Notice) => void>()
  const closeListeners = new Set<(reason: string) => void>()
  let handler: RequestHandler<{ readonly signal: AbortSignal }> | undefined
  let current: Peer | undefined
  let transportOf: () => Transport | undefined = () => undefined
  let closedBecause: string | undefined

  const tell = (notice: Notice): void => {
    for (const listener of noticeListeners) {
      try {
        listener(notice)
      } catch (thrown) {
        event({ level: 'error', message: `a listener threw: ${reasonOf(thrown)}` })
      }
    }
  }
  const closedNow = (reason: string): void => {
    if (closedBecause !== undefined) return
    closedBecause = reason
    negotiation.close()
    for (const listener of closeListeners) listener(reason)
    closeListeners.clear()
  }
  const end = async (reason: string): Promise<void> => {
    closedNow(reason)
    await options.close()
  }
  const modernHttp = (): boolean => negotiation.era === 'modern' && options.transport === 'http'

  const interpret = (outcome: Outcome | HttpOutcome): Outcome => {
    if (outcome.kind === 'http') return httpFailure(outcome.answer)
    if (outcome.kind !== 'result' || negotiation.era !== 'modern') return outcome
    const kind = resultKind(outcome.value)
    if (kind === 'complete') return outcome
    if (kind === 'input_required') return { kind: 'input_required', value: outcome.value }
    return failure(
      'invalid',
      `The result is of an unknown type: ${JSON.stringify(outcome.value.resultType).slice(0, 80)}`,
    )
  }
  const send = (
    method: string,
    params: JsonObject,
    context: CallContext,
    onId?: (id: string | number) => void,
  ) => {
    if (!current) return Promise.resolve(failure('closed', closedBecause ?? 'the connection is not open'))
    const prepared = prepare(params, context)
    return current.request(method, prepared, {
      signal: context.signal,
      progress: context.progress,
      askProgress: longRunning.has(method),
      timeoutMs: context.timeoutMs ?? timeouts.requestMs,
      maxTimeoutMs: context.maxTimeoutMs ?? timeouts.maxRequestMs,
      cancelBy: modernHttp() && transportOf()?.hasPerRequestStream === true ? 'stream' : 'notification',
      send: modernHttp()
        ? {
            headers: {
              ...negotiation.headers({ method, params: prepared }),
              ...paramHeaders.of(method, prepared),
            },
          }
        : {},
      onId,
    })
  }
  const prepare = (params: JsonObject, context: CallContext): JsonObject => {
    const { retry, trace, capabilities } = context
    const traced = addMeta(params, { ...trace })
    if (negotiation.era !== 'modern') return traced
    const declared = capabilities
      ? { capabilities: intersectClient(declaredCapabilities(), capabilities) }
      : {}
    const prepared = addMeta(traced, negotiation.meta({ ...declared, logLevel: context.logLevel }))
    if (!retry) return prepared
    const { inputResponses, requestState } = retry
    return { ...prepared, inputResponses, ...(requestState === undefined ? {} : { requestState }) }
  }
  const declaredCapabilities = (): JsonObject => {
    const meta = negotiation.meta()
    return (meta['io.modelcontextprotocol/clientCapabilities'] ?? {}) as JsonObject
  }

  async function request(method: string, params: JsonObject, context: CallContext = {}): Promise<Outcome> {
    const admission = negotiation.admit(method, params)
    if (admission.do === 'refuse') {
      const { message, why, missing, instead } = admission.permission
      return failure('refused', message, {
        why,
        ...(missing ? { missing } : {}),
        ...(instead ? { instead } : {}),
      })
    }
    if (closedBecause !== undefined) return failure('closed', closedBecause)
    const call = attribution.began(context)
    try {
      for (let attempt = 0; ; attempt += 1) {
        const raw = await send(method, params, context, call.sentAs)
        const outcome = interpret(raw)
        paramHeaders.learn(method, outcome)
        const step = negotiation.observe({ method, params }, observed(raw, outcome))
        if (step.do === 'resend' && attempt === 0) continue
        const forgotten = raw.kind === 'http' && raw.answer.status === 404 && raw.answer.hadSession
        if (step.do === 'reconnect' || forgotten) {
          const cause = step.do === 'reconnect' ? step.cause : 'session-lost'
          // What was verified holds for this connection alone: whoever uses it connects again, to a new generation.
          void end(`the connection has to be made again: ${cause}`)
          return failure('closed', `${method} was refused before it was carried out: ${cause}`, {
            cause,
            retry: 'safe',
          })
        }
        if (step.do === 'close') void end(step.reason.message)
        return outcome
      }
    } finally {
      call.ended()
    }
  }

  const listening = createUpstreamListening({ negotiation, timeouts, event, request, send, tell })

  return {
    handlers: (isCurrent) => ({
      request: ({ method, params, signal, via }) =>
        method === 'ping'
          ? Promise.resolve({ kind: 'result', value: {} })
          : attribution.answer(method, params, via, signal, handler),
      notification: (notice) => {
        if (isCurrent()) listening.arrived(notice)
      },
      closed: (reason) => {
        if (isCurrent() && current) closedNow(reason)
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
        serverInfo: negotiation.serverInfo,
        capabilities: negotiation.capabilities ?? {},
        instructions: negotiation.instructions,
        request,
        async notify(method, params) {
          const admission = negotiation.admit(method, params)
          if (admission.do === 'refuse') {
            return event({
              level: 'warn',
              message: `${method} was not sent: ${admission.permission.message}`,
            })
          }
          const { error } = await peer.notify(method, params)
          if (error !== undefined)
            event({ level: 'warn', message: `${method} could not be sent: ${reasonOf(error)}` })
        },
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
            queueMicrotask(() => listener(reason))
          } else closeListeners.add(listener)
          return () => closeListeners.delete(listener)
        },
        stderr: options.stderr,
        close: () => end('closed by this side'),
      }
    },
  }
}

function httpFailure(answer: HttpAnswerError): Outcome {
  const { status, challenge } = answer
  return failure('transport', answer.message, challenge === undefined ? { status } : { status, challenge })
}

function observed(raw: Outcome | HttpOutcome, outcome: Outcome): NegotiationEvent {
  if (raw.kind !== 'http') return outcome
  const { status, contentType, body } = raw.answer
  return { kind: 'http', status, contentType, body }
}
