import {
  forgotSession,
  intersectClient,
  type Negotiation,
  type NegotiationEvent,
  type Permission,
  resultKind,
  type Step,
} from '@truename/capability-negotiator'
import { failure, reasonOf, safeToRetry } from './failure.ts'
import type { HttpAnswerError } from './http-answer.ts'
import type { JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { HttpOutcome } from './outgoing-requests.ts'
import { createParamHeaders } from './param-headers.ts'
import type { Peer } from './peer.ts'
import type { CallContext } from './port.ts'
import { addMeta, protocolMeta } from './protocol-meta.ts'
import type { Timeouts } from './timeouts.ts'
import { delayOf, within } from './timer.ts'
import type { Transport } from './transport.ts'

/** What is sent on a negotiated connection, by the rules of its negotiation. */
export interface Exchanges {
  /**
   * Sends a request, after whatever negotiation is under way, and tells the negotiation what became of it. Resolves,
   * never rejects.
   */
  request(
    method: string,
    params: JsonObject,
    context?: CallContext,
    onId?: (id: string | number) => void,
  ): Promise<Outcome>
  /** Sends a notification; says why where it was not sent. */
  notify(method: string, params: JsonObject | undefined): Promise<string | undefined>
  /** Asks a modern server for its capabilities (again); one question at a time. */
  discover(): Promise<void>
}

/** Requests whose servers may report progress, so that a token of our own keeps them alive. */
const longRunning = new Set(['tools/call', 'prompts/get', 'resources/read', 'completion/complete'])

/** Creates what sends on one connection. */
export function createExchanges(options: {
  readonly negotiation: Negotiation
  readonly transport: 'stdio' | 'http'
  readonly timeouts: Timeouts
  readonly peer: () => Peer | undefined
  readonly transportOf: () => Transport | undefined
  /** Why the connection is gone, once it is. */
  readonly closedBecause: () => string | undefined
  /** Carries out what the negotiation says, on the connection there is, until there is nothing more to send. */
  readonly drive: (step: Step) => Promise<Step>
  /** Ends the connection; where it is given something to wait for, nothing new is sent, and it ends after that. */
  readonly end: (reason: string, after?: Promise<unknown>) => void
}): Exchanges {
  const { negotiation, timeouts, closedBecause, end } = options
  const paramHeaders = createParamHeaders()
  let settling: Promise<void> | undefined
  /** What was sent and is not answered. */
  const open = new Set<Promise<unknown>>()
  const tracked = <T>(sent: Promise<T>): Promise<T> => {
    open.add(sent)
    void sent.finally(() => open.delete(sent))
    return sent
  }

  const modernHttp = (): boolean => negotiation.era === 'modern' && options.transport === 'http'

  const prepare = (params: JsonObject, context: CallContext): JsonObject => {
    const { retry, trace, capabilities } = context
    const traced = addMeta(params, { ...trace })
    if (negotiation.era !== 'modern') return traced
    const declared = negotiation.meta()[protocolMeta.clientCapabilities] as JsonObject
    const shared = capabilities ? { capabilities: intersectClient(declared, capabilities) } : {}
    const prepared = addMeta(traced, negotiation.meta({ ...shared, logLevel: context.logLevel }))
    if (!retry) return prepared
    const { inputResponses, requestState } = retry
    return { ...prepared, inputResponses, ...(requestState === undefined ? {} : { requestState }) }
  }

  const send = (
    peer: Peer,
    method: string,
    params: JsonObject,
    context: CallContext,
    onId: ((id: string | number) => void) | undefined,
  ): Promise<Outcome | HttpOutcome> => {
    const prepared = prepare(params, context)
    const headers = modernHttp()
      ? { ...negotiation.headers({ method, params: prepared }), ...paramHeaders.of(method, prepared) }
      : undefined
    return peer.request(method, prepared, {
      signal: context.signal,
      progress: context.progress,
      askProgress: longRunning.has(method),
      timeoutMs: context.timeoutMs ?? timeouts.requestMs,
      maxTimeoutMs: context.maxTimeoutMs ?? timeouts.maxRequestMs,
      cancelBy:
        modernHttp() && options.transportOf()?.hasPerRequestStream === true ? 'stream' : 'notification',
      send: headers === undefined ? {} : { headers },
      onId,
    })
  }

  const interpret = (outcome: Outcome | HttpOutcome): Outcome => {
    if (outcome.kind === 'http') return fromHttp(outcome)
    if (outcome.kind !== 'result' || negotiation.era !== 'modern') return outcome
    const kind = resultKind(outcome.value)
    if (kind === 'complete') return outcome
    if (kind === 'input_required') return { kind: 'input_required', value: outcome.value }
    return failure(
      'invalid',
      `The result is of an unknown type: ${JSON.stringify(outcome.value.resultType).slice(0, 80)}`,
    )
  }

  /** Waits until negotiation is settled; says why it was not waited for to the end. */
  const settled = (
    method: string,
    { signal, timeoutMs = timeouts.requestMs }: CallContext,
  ): Promise<Outcome | undefined> =>
    new Promise((resolve) => {
      const done = (outcome?: Outcome): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
        resolve(outcome)
      }
      const aborted = (): void => done(failure('cancelled', reasonOf(signal?.reason ?? 'cancelled')))
      const timer = setTimeout(
        () => done(failure('timeout', `${method} waited ${timeoutMs} ms for the negotiation`, safeToRetry)),
        delayOf(timeoutMs),
      )
      if (signal?.aborted) return aborted()
      signal?.addEventListener('abort', aborted, { once: true })
      void settling?.then(() => done())
    })

  /** Holds a message for as long as negotiation is not finished; what is returned says why it must not be sent. */
  async function held(
    method: string,
    params: JsonObject | undefined,
    context: CallContext,
  ): Promise<Outcome | undefined> {
    for (;;) {
      const admission = negotiation.admit(method, params)
      if (admission.do === 'send') return undefined
      if (admission.do === 'refuse') return refusal(admission.permission)
      if (settling === undefined)
        return failure('refused', `${method} came before the negotiation was finished`)
      const ended = await settled(method, context)
      if (ended) return ended
    }
  }

  function discover(): Promise<void> {
    settling ??= (async () => {
      const step = await options.drive(negotiation.discover())
      if (step.do === 'reconnect') end(`the connection has to be made again: ${step.cause}`)
      if (step.do === 'close') end(step.reason.message)
    })().finally(() => {
      settling = undefined
    })
    return settling
  }

  async function request(
    method: string,
    params: JsonObject,
    context: CallContext = {},
    onId?: (id: string | number) => void,
  ): Promise<Outcome> {
    for (let attempt = 0; ; attempt += 1) {
      const admitted = negotiation.admit(method, params).do === 'send'
      const refused = admitted ? undefined : await held(method, params, context)
      const peer = options.peer()
      const gone = closedBecause()
      if (gone !== undefined) return failure('closed', gone, safeToRetry)
      if (refused) return refused
      if (peer === undefined) return failure('closed', 'the connection is not open', safeToRetry)
      const { generation } = negotiation
      const raw = await tracked(send(peer, method, params, context, onId))
      const outcome = interpret(raw)
      paramHeaders.learn(method, outcome)
      const step = negotiation.observe({ method, params }, eventOf(raw, outcome), generation)
      if (step.do === 'resend' && attempt === 0) continue
      const lost = negotiation.generation !== generation && refusedWithSession(raw)
      if (step.do === 'reconnect' || lost) {
        const cause = step.do === 'reconnect' ? step.cause : 'session-lost'
        // What was verified holds for this connection alone: whoever uses it connects again, to a new generation.
        // Those that are under way are refused like this one, or answered, and can say so.
        end(`the connection has to be made again: ${cause}`, Promise.allSettled(open))
        return failure('closed', `${method} was refused before it was carried out: ${cause}`, {
          cause,
          ...safeToRetry,
        })
      }
      if (step.do === 'close') end(step.reason.message)
      else if (negotiation.doubtful) void discover()
      return outcome
    }
  }

  return {
    request,
    discover,
    async notify(method, params) {
      const refused = await held(method, params, {})
      if (refused?.kind === 'error') return refused.error.message
      const peer = options.peer()
      if (peer === undefined) return 'the connection is closed'
      // An HTTP server may leave a notification without its 202.
      const limits = { ms: timeouts.requestMs, what: `sending ${method}` }
      const { error } = await within(peer.notify(method, params), limits).catch((late: unknown) => ({
        error: late,
      }))
      return error === undefined ? undefined : reasonOf(error)
    },
  }
}

function refusal({ message, why, missing, instead }: Extract<Permission, { allowed: false }>): Outcome {
  return failure('refused', message, {
    why,
    ...(missing ? { missing } : {}),
    ...(instead ? { instead } : {}),
  })
}

/** An HTTP answer as a caller sees it: the peer's own error, or that the transport failed. */
function fromHttp({ answer, error }: HttpOutcome): Outcome {
  const { status, challenge, hadSession } = answer
  // A 404 to a request with a session id speaks of the session, and a challenge is for whoever logs in.
  const speaksOfItself = challenge !== undefined || (status === 404 && hadSession)
  if (error !== undefined && !speaksOfItself) return { kind: 'error', error }
  return failure('transport', answer.message, challenge === undefined ? { status } : { status, challenge })
}

/** Of a connection that was given up for its session meanwhile: refused for the same reason. */
const refusedWithSession = (raw: Outcome | HttpOutcome): boolean =>
  raw.kind === 'http' && raw.answer.hadSession && forgotSession(httpEvent(raw.answer))

/** What the negotiation is told of an HTTP answer. */
export const httpEvent = ({ status, contentType, body, hadSession }: HttpAnswerError): NegotiationEvent => ({
  kind: 'http',
  status,
  contentType,
  body,
  sessionId: hadSession,
})

const eventOf = (raw: Outcome | HttpOutcome, outcome: Outcome): NegotiationEvent =>
  raw.kind === 'http' ? httpEvent(raw.answer) : outcome
