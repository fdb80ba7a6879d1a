import { clientCanAnswer, eraOf, readClientCapabilities } from '@truename/capability-negotiator'
import { codes, errorAnswer, failure } from './failure.ts'
import type { Json, JsonObject } from './json.ts'
import { honour, listChanges, readFilter, refusalsIn, wants } from './listening.ts'
import { isJsonObject } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { IncomingRequest, Peer } from './peer.ts'
import type {
  ClientFacts,
  DownstreamContext,
  ListenFilter,
  Notice,
  ServerDeclaration,
  Service,
} from './port.ts'
import { fromProgress } from './progress.ts'
import { stripHopMeta, stripServerInfo, traceOf } from './protocol-meta.ts'
import type { Serving } from './serve-options.ts'
import { createServedDownstream, type ServedDownstream } from './served-downstream.ts'
import { within } from './timer.ts'
import type { SendOptions } from './transport.ts'

/** The legacy half of a served connection. */
export interface LegacySide {
  readonly initialized: boolean
  initialize(params: JsonObject): Promise<Outcome>
  request(request: IncomingRequest): Promise<Outcome>
  notified(notice: Notice): void
  closed(): void
}

/** How many notifications are held for a client that has not begun. */
const maxHeld = 256

/** How often one call may ask its client on behalf of a modern upstream. */
const maxRounds = 16

/** Serves one legacy client: handshake, requests, subscriptions (revisions up to 2025-11-25). */
export function createLegacySide(options: {
  readonly service: Service
  readonly serving: Serving
  readonly profile: string
  readonly peer: () => Peer
  readonly close: () => Promise<void>
}): LegacySide {
  const { service, serving, profile } = options
  let facts: ClientFacts | undefined
  let declaration: ServerDeclaration | undefined
  let downstream: ServedDownstream | undefined
  let initializing = false
  let begun = false
  let begin: () => void = () => undefined
  /** The client has the answer to `initialize`: it said so, or asks for something. */
  const beginning = new Promise<void>((resolve) => {
    begin = () => {
      begun = true
      resolve()
    }
  })
  let held = 0
  const watched = new Set<string>()

  async function initialize(params: JsonObject): Promise<Outcome> {
    if (initializing) return errorAnswer(codes.invalidRequest, 'This connection is initialized already')
    const requested = params.protocolVersion
    if (typeof requested !== 'string')
      return errorAnswer(codes.invalidParams, 'initialize needs a protocolVersion')
    const served = serving.versions.filter((version) => eraOf(version) === 'legacy')
    const version = served.includes(requested) ? requested : served.toSorted().at(-1)
    if (version === undefined)
      return errorAnswer(
        codes.unsupportedVersion,
        `Unsupported protocol version: ${requested.slice(0, 40)}`,
        { supported: [...serving.versions], requested },
      )
    initializing = true
    for (const { message } of readClientCapabilities(params.capabilities).diagnostics)
      serving.event({ level: 'warn', message: `what the client declares: ${message}` })
    facts = {
      era: 'legacy',
      version,
      capabilities: isJsonObject(params.capabilities) ? params.capabilities : {},
      info: isJsonObject(params.clientInfo) ? params.clientInfo : undefined,
      profile,
    }
    try {
      declaration = await service.declare(facts)
    } catch (thrown) {
      initializing = false
      throw thrown
    }
    downstream = createServedDownstream({
      client: () => facts,
      async notify(method, about) {
        if (begun) return notify(method, about)
        if (held >= maxHeld) {
          serving.event({ level: 'warn', message: `${method} was dropped: the client has not begun` })
          return
        }
        held += 1
        void beginning.then(() => notify(method, about))
      },
      async request(method, asked, how) {
        // 2025-11-25, lifecycle §Initialization: before `initialized` a server should send no requests.
        const limits = { ms: serving.askTimeoutMs, signal: how?.signal, what: 'waiting for the client' }
        if (!begun) await within(beginning, limits).catch(() => undefined)
        return ask(method, asked, {}, how?.signal)
      },
      close: options.close,
      event: serving.event,
    })
    service.accept(downstream)
    const { info, capabilities, instructions } = declaration
    return {
      kind: 'result',
      value: {
        protocolVersion: version,
        capabilities,
        serverInfo: info,
        ...(instructions === undefined ? {} : { instructions }),
      },
    }
  }

  async function notify(method: string, params: JsonObject | undefined): Promise<void> {
    const filter: ListenFilter = {
      ...Object.fromEntries(listChanges.map(({ member }) => [member, true])),
      resourceSubscriptions: [...watched],
    }
    // What was not declared is not sent, and an update goes only to who subscribed.
    const asked = wants(honour(filter, declaration?.capabilities ?? {}), method, params)
    if (asked === false) return
    if (method === 'notifications/message' && !isJsonObject(declaration?.capabilities.logging)) return
    await options.peer().notify(method, params)
  }

  async function ask(
    method: string,
    params: JsonObject,
    send: SendOptions,
    signal?: AbortSignal,
  ): Promise<Outcome> {
    if (!facts) return failure('refused', `${method} cannot be asked before the client is initialized`)
    const permission = method === 'ping' ? undefined : clientCanAnswer(facts, method, params)
    if (permission?.allowed === false) {
      return { ...errorAnswer(codes.methodNotFound, permission.message), failure: 'refused' }
    }
    const outcome = await options
      .peer()
      .request(method, params, { timeoutMs: serving.askTimeoutMs, send, signal })
    return outcome.kind === 'http' ? failure('transport', outcome.answer.message) : outcome
  }

  async function request({ id, method, params, signal }: IncomingRequest): Promise<Outcome> {
    if (method === 'ping') return { kind: 'result', value: {} }
    if (!facts || !declaration || !downstream) {
      return errorAnswer(codes.invalidRequest, `${method.slice(0, 80)} came before initialize`)
    }
    begin()
    if (method === 'resources/subscribe' || method === 'resources/unsubscribe') return watch(method, params)
    const { handler } = downstream
    if (!handler) return errorAnswer(codes.methodNotFound, `Method not found: ${method.slice(0, 80)}`)
    const related = { relatedRequestId: id }
    const token = isJsonObject(params._meta) ? params._meta.progressToken : undefined
    const context: DownstreamContext = {
      signal,
      client: facts,
      capabilities: facts.capabilities,
      trace: traceOf(params),
      notify: async (about, withParams) => {
        await options.peer().notify(about, withParams, related)
      },
      // A question has no point any more once its call is taken back.
      ask: (asked, withParams, how) =>
        ask(asked, withParams, related, how?.signal ? AbortSignal.any([signal, how.signal]) : signal),
      ...(typeof token === 'string' || typeof token === 'number'
        ? {
            progress: (step) =>
              void options.peer().notify('notifications/progress', fromProgress(step, token), related),
          }
        : {}),
    }
    const outcome = await withInput(handler, method, stripHopMeta(params), context)
    return outcome.kind === 'result' ? { kind: 'result', value: stripServerInfo(outcome.value) } : outcome
  }

  async function watch(method: string, params: JsonObject): Promise<Outcome> {
    const { uri } = params
    if (typeof uri !== 'string') return errorAnswer(codes.invalidParams, `${method} needs a uri`)
    const capability = declaration?.capabilities.resources
    if (!isJsonObject(capability) || capability.subscribe !== true || !downstream) {
      return errorAnswer(
        codes.methodNotFound,
        `${method} needs resources.subscribe, which this server does not declare`,
      )
    }
    const before = watched.has(uri)
    if (method === 'resources/subscribe') watched.add(uri)
    else watched.delete(uri)
    const about = { trace: traceOf(params) }
    const listened = await service.listening?.(downstream, { resourceSubscriptions: [...watched] }, about)
    const honoured = readFilter(listened)
    if (
      method === 'resources/subscribe' &&
      honoured &&
      honoured.resourceSubscriptions?.includes(uri) !== true
    ) {
      if (!before) watched.delete(uri)
      const why = refusalsIn(listened).get(uri)
      return why
        ? { kind: 'error', error: why }
        : errorAnswer(codes.invalidParams, 'This resource cannot be subscribed to', { uri })
    }
    return { kind: 'result', value: {} }
  }

  return {
    get initialized() {
      return initializing
    },
    initialize,
    request,
    notified(notice) {
      if (downstream && notice.method === 'notifications/initialized') begin()
      downstream?.heard(notice)
    },
    closed() {
      begin()
      if (!downstream) return
      if (watched.size > 0) void service.listening?.(downstream, {})
      watched.clear()
      downstream.gone()
    },
  }
}

/**
 * Runs a handler whose upstream may be modern: what it needs as input is asked of the legacy client, and the request
 * is made again with the answers (2026-07-28, basic/patterns/mrtr).
 */
async function withInput(
  handler: NonNullable<ServedDownstream['handler']>,
  method: string,
  params: JsonObject,
  context: DownstreamContext,
): Promise<Outcome> {
  let retry: DownstreamContext['retry']
  for (let round = 0; round < maxRounds; round += 1) {
    const outcome = await handler(method, params, retry ? { ...context, retry } : context)
    if (outcome.kind !== 'input_required') return outcome
    const { inputRequests, requestState } = outcome.value
    const answers: Record<string, Json> = {}
    for (const [key, asked] of Object.entries(isJsonObject(inputRequests) ? inputRequests : {})) {
      if (!isJsonObject(asked) || typeof asked.method !== 'string') {
        return failure('invalid', `The server asked for input in no legal way (${key.slice(0, 40)})`)
      }
      const answer = await context.ask?.(asked.method, isJsonObject(asked.params) ? asked.params : {})
      if (answer?.kind !== 'result') {
        return answer?.kind === 'error'
          ? { kind: 'error', error: answer.error }
          : failure('refused', 'The client cannot be asked')
      }
      Object.defineProperty(answers, key, { value: answer.value, enumerable: true })
    }
    retry = { inputResponses: answers, ...(typeof requestState === 'string' ? { requestState } : {}) }
  }
  return failure('refused', `The server asked for input more than ${maxRounds} times`)
}
