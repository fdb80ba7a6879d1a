import { clientCanAnswer, eraOf, readClientCapabilities } from '@truename/capability-negotiator'
import type { Envelope } from './client-envelope.ts'
import { codes, errorAnswer, failure } from './failure.ts'
import { type HeldCall, startHeldCall, type Turn } from './held-call.ts'
import type { JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import { createModernListeners } from './modern-listeners.ts'
import type { Outcome } from './outcome.ts'
import type { IncomingRequest, Peer } from './peer.ts'
import type { ClientFacts, DownstreamContext, Notice, Progress, ServerDeclaration, Service } from './port.ts'
import { fromProgress } from './progress.ts'
import { addMeta, protocolMeta, stripHopMeta, traceOf, without } from './protocol-meta.ts'
import { bindingOf } from './request-binding.ts'
import type { Serving } from './serve-options.ts'
import { createServedDownstream, type ServedDownstream } from './served-downstream.ts'
import { refuseUndeclared } from './undeclared-input.ts'

/** The modern half of a served connection: one client over stdio, one request over HTTP. */
export interface ModernSide {
  request(request: IncomingRequest, envelope: Extract<Envelope, { kind: 'modern' }>): Promise<Outcome>
  notified(notice: Notice): void
  /** Ends what listens, with the answer that says so. */
  drain(): void
  closed(): void
}

/** Requests that may be answered with `input_required`. */
const mayAsk = new Set(['tools/call', 'resources/read', 'prompts/get'])
/** Results with `ttlMs` and `cacheScope` (2026-07-28, server/utilities/caching). */
const cacheable = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])
/** What the modern era no longer has. */
const removed = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
])
const retryMembers = new Set(['inputResponses', 'requestState'])

/** Serves modern requests: stateless, each with what its client can do (2026-07-28). */
export function createModernSide(options: {
  readonly service: Service
  readonly serving: Serving
  readonly profile: string
  readonly peer: () => Peer
  readonly close: () => Promise<void>
}): ModernSide {
  const { service, serving, profile } = options
  const listeners = createModernListeners(service, options.peer)
  let facts: ClientFacts | undefined
  let declaration: Promise<ServerDeclaration> | undefined
  let downstream: ServedDownstream | undefined

  const open = (
    client: ClientFacts,
  ): { downstream: ServedDownstream; declaration: Promise<ServerDeclaration> } => {
    facts = client
    declaration ??= Promise.resolve(service.declare(client)).catch((thrown) => {
      declaration = undefined
      throw thrown
    })
    if (!downstream) {
      for (const { message } of readClientCapabilities(client.capabilities).diagnostics)
        serving.event({ level: 'warn', message: `what the client declares: ${message}` })
      downstream = createServedDownstream({
        client: () => facts,
        notify: listeners.notify,
        request: async (method) =>
          failure(
            'refused',
            `${method} cannot be asked outside a call: the modern era has no requests of servers`,
          ),
        close: options.close,
        event: serving.event,
      })
      service.accept(downstream)
    }
    return { downstream, declaration }
  }

  async function request(
    incoming: IncomingRequest,
    envelope: Extract<Envelope, { kind: 'modern' }>,
  ): Promise<Outcome> {
    const { method } = incoming
    const supported = serving.versions.filter((version) => eraOf(version) === 'modern')
    if (!supported.includes(envelope.version)) {
      const data = { supported, requested: envelope.version }
      return errorAnswer(
        codes.unsupportedVersion,
        `Unsupported protocol version: ${envelope.version.slice(0, 40)}`,
        data,
      )
    }
    const client: ClientFacts = {
      era: 'modern',
      version: envelope.version,
      capabilities: envelope.capabilities,
      info: envelope.info,
      profile,
    }
    if (removed.has(method)) return errorAnswer(codes.methodNotFound, `Method not found: ${method}`)
    if (method === 'server/discover') {
      // Who only asked what this is may go on with `initialize`: it is no client yet.
      const offered = await service.declare(client)
      return finish(method, { kind: 'result', value: discovered(offered, supported) }, offered)
    }
    const opened = open(client)
    const declared = await opened.declaration
    if (method === 'subscriptions/listen') return listeners.listen(incoming, opened.downstream, declared)
    const { handler } = opened.downstream
    if (!handler) return errorAnswer(codes.methodNotFound, `Method not found: ${method.slice(0, 80)}`)
    const outcome = await call(incoming, client, envelope.logLevel, handler)
    serving.paramHeaders.learn(method, outcome)
    return finish(method, outcome, declared)
  }

  const discovered = (
    { capabilities, instructions }: ServerDeclaration,
    supported: readonly string[],
  ): JsonObject => ({
    supportedVersions: supported,
    capabilities: without(capabilities, new Set(['tasks'])),
    ...(instructions === undefined ? {} : { instructions }),
  })

  const finish = (method: string, outcome: Outcome, { info }: ServerDeclaration): Outcome => {
    if (outcome.kind === 'error') return outcome
    const identified = addMeta(outcome.value, { [protocolMeta.serverInfo]: info })
    if (outcome.kind === 'input_required')
      return { kind: 'result', value: { ...identified, resultType: 'input_required' } }
    return {
      kind: 'result',
      value: {
        resultType: 'complete',
        ...(cacheable.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),
        ...identified,
      },
    }
  }

  async function call(
    { id, method, params, signal }: IncomingRequest,
    client: ClientFacts,
    logLevel: string | undefined,
    handler: NonNullable<ServedDownstream['handler']>,
  ): Promise<Outcome> {
    const inner = without(stripHopMeta(params), retryMembers)
    const binding = bindingOf(method, inner, client)
    const { requestState } = params
    const inputResponses = isJsonObject(params.inputResponses) ? params.inputResponses : undefined
    const token = isJsonObject(params._meta) ? params._meta.progressToken : undefined
    const report =
      typeof token === 'string' || typeof token === 'number'
        ? (step: Progress): void =>
            void options
              .peer()
              .notify('notifications/progress', fromProgress(step, token), { relatedRequestId: id })
        : undefined

    const state = typeof requestState === 'string' ? serving.sealer.open(requestState, binding) : undefined
    const held =
      isJsonObject(state) && typeof state.held === 'string' ? serving.held.take(state.held) : undefined
    const relayed = isJsonObject(state) && typeof state.relayed === 'string' ? state.relayed : undefined
    if (requestState !== undefined && !held && relayed === undefined) {
      return errorAnswer(
        codes.invalidParams,
        'The requestState is not one of this server, is for another request, or has expired',
      )
    }
    const current =
      held ??
      startHeldCall((context) => {
        const given: DownstreamContext = {
          signal: context.signal,
          client,
          capabilities: client.capabilities,
          logLevel,
          trace: traceOf(params),
          progress: context.progress,
          notify: context.notify,
          ask: context.ask,
          ...(inputResponses && !held
            ? { retry: { inputResponses, ...(relayed === undefined ? {} : { requestState: relayed }) } }
            : {}),
        }
        return handler(method, inner, given)
      })
    const turn = await current.attempt({
      inputResponses: held ? inputResponses : undefined,
      signal,
      progress: report,
      notify: async (about, withParams) => {
        // Log messages go out only on a request that asked for them (2026-07-28, server/utilities/logging).
        if (about !== 'notifications/message' || logLevel === undefined) return
        await options.peer().notify(about, withParams, { relatedRequestId: id })
      },
      refuses: (asked, withParams) => {
        const permission = mayAsk.has(method) ? clientCanAnswer(client, asked, withParams) : undefined
        if (permission && permission.allowed !== false) return undefined
        const why = permission?.message ?? `${method} may not ask its client for input`
        return { ...errorAnswer(codes.methodNotFound, why), failure: 'refused' }
      },
    })
    return answerTurn(turn, current, binding, client)
  }

  function answerTurn(turn: Turn, call: HeldCall, binding: string, client: ClientFacts): Outcome {
    if (turn.kind === 'asks') {
      const requestState = serving.sealer.seal({ held: serving.held.hold(call) }, binding)
      return { kind: 'input_required', value: { inputRequests: turn.inputRequests, requestState } }
    }
    const { outcome } = turn
    if (outcome.kind !== 'input_required') return outcome
    const missing = refuseUndeclared(outcome.value.inputRequests, client)
    if (missing) return missing
    const { requestState } = outcome.value
    if (typeof requestState !== 'string') return outcome
    return {
      kind: 'input_required',
      value: { ...outcome.value, requestState: serving.sealer.seal({ relayed: requestState }, binding) },
    }
  }

  return {
    request,
    drain: listeners.drain,
    notified: (notice) => downstream?.heard(notice),
    closed() {
      listeners.drain()
      downstream?.gone()
    },
  }
}
