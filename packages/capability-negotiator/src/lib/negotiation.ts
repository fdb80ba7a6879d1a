import { type Diagnostic, flagName, normalizeClientCapabilities } from './capabilities.ts'
import { headersFor, metaFor } from './headers.ts'
import { isObject, type Json, type JsonObject, own } from './json.ts'
import { advance, begin, close, IDLE, type Machine, type Move, type Plan, refresh } from './machine.ts'
import type { NegotiationEvent, WireError } from './outcome.ts'
import {
  computePermission,
  notImplemented,
  notOpen,
  notReady,
  type Permission,
  ruleFor,
  unknownMessage,
} from './permission.ts'
import { renderReport } from './report.ts'
import type { CloseReason, Prior, Step } from './steps.ts'
import { observeInUse } from './use.ts'
import { type Era, eraOf, REVISIONS, revisionFor } from './versions.ts'
import type { Violation } from './violation.ts'

/** How to negotiate, where the defaults do not fit. */
export interface NegotiationPolicy {
  /** `auto` (default) asks for the modern era first. `legacy` and `modern` never try the other one. */
  readonly era?: 'auto' | 'legacy' | 'modern' | undefined
  /** What an earlier negotiation with this very server found (`verdict()`), keyed by server id and URL. */
  readonly prior?: Prior | undefined
  /** What `admit()` says to an ordinary request before `ready`. Default `wait`. */
  readonly beforeReady?: 'wait' | 'refuse' | undefined
  /** `false` skips `server/discover` with `era: 'modern'`: no round trip, and capabilities are unknown. Default true. */
  readonly discover?: boolean | undefined
  /** Whether the driver can speak the HTTP+SSE transport of 2024-11-05. Default false. */
  readonly sse?: boolean | undefined
  /** What a 401 or 403 to the probe leads to. Default `close`, so that a login can come first. */
  readonly whenUnauthorized?: 'close' | 'initialize' | undefined
  /** Milliseconds; default 5000. A silent server costs this once: keep the verdict. */
  readonly probeTimeoutMs?: number | undefined
  /** Milliseconds; default 60000. */
  readonly initializeTimeoutMs?: number | undefined
}

export interface NegotiationOptions {
  readonly transport: 'stdio' | 'http'
  /** The versions this side can use, in any order. Default: all published revisions. */
  readonly versions?: readonly string[] | undefined
  readonly client: { readonly info: JsonObject; readonly capabilities?: JsonObject | undefined }
  readonly policy?: NegotiationPolicy | undefined
  /** The time for evidence, as ISO 8601. Without it evidence carries no time. */
  readonly now?: (() => string) | undefined
}

/** Caller misuse: options that no negotiation can be made of. */
export class NegotiationOptionsError extends Error {
  override readonly name = 'NegotiationOptionsError'
  readonly code: 'bad-version' | 'no-version' | 'bad-transport' | 'bad-client'
  readonly value: unknown

  constructor(code: NegotiationOptionsError['code'], message: string, value: unknown) {
    super(message)
    this.code = code
    this.value = value
  }
}

/** What is to be done with a message that somebody wants to send now. */
export type Admission =
  | { readonly do: 'send' }
  /** Negotiation is not finished: hold it until `ready`, then ask again. */
  | { readonly do: 'wait' }
  | { readonly do: 'refuse'; readonly permission: Extract<Permission, { allowed: false }> }

/** A request as the evidence holds it. */
export interface SentRequest {
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** One connection's negotiation: give it what arrived, it says what to send. No IO, no clock, no timer. */
export interface Negotiation {
  readonly state: 'idle' | 'negotiating' | 'ready' | 'closed'
  readonly era: Era | undefined
  /** The negotiated version. */
  readonly version: string | undefined
  readonly reason: CloseReason | undefined
  /** What the server declared, malformed members left out; undefined while unknown. */
  readonly capabilities: JsonObject | undefined
  /** What the server said of itself; informational, never an identity. */
  readonly serverInfo: JsonObject | undefined
  readonly instructions: string | undefined
  /** What was not as the specification has it in the server's declaration. */
  readonly diagnostics: readonly Diagnostic[]
  /** Requests sent for negotiation so far. */
  readonly roundTrips: number
  start(): Step
  /** Takes an answer, a failure or a transport event. Never throws; late and repeated events change nothing. */
  receive(event: NegotiationEvent): Step
  /** Asks a modern server (again) for its capabilities while the connection is in use. */
  discover(): Step
  /** Takes the outcome of an ordinary request: evidence of a broken promise, of a lost session, of a changed server. */
  observe(request: SentRequest, outcome: NegotiationEvent): Step
  close(): Step
  /** Whether a message may be sent by this client (or, for a message only servers send, by the server). */
  can(method: string, params?: JsonObject): Permission
  /** Whether the server may send this message to the client. */
  accepts(method: string, params?: JsonObject): Permission
  /** What to do with a message now: send it, hold it back until ready, or refuse it. */
  admit(method: string, params?: JsonObject): Admission
  /** HTTP headers of every request after negotiation; of one message, where it is given. Empty over stdio. */
  headers(message?: SentRequest): Record<string, string>
  /** The `_meta` members of every modern request; empty in the legacy era. */
  meta(more?: {
    readonly capabilities?: JsonObject | undefined
    readonly logLevel?: string | undefined
  }): JsonObject
  /** Keeps a -32601 as evidence and refuses the method on this connection from now on. */
  recordViolation(request: SentRequest, error: WireError): Violation
  violations(): readonly Violation[]
  /** The evidence as Markdown for the server's author; undefined without a violation. */
  report(): string | undefined
  /** What may be remembered of this server; undefined while undetermined. */
  verdict(): Prior | undefined
}

function planOf({ transport, versions = REVISIONS, client, policy = {} }: NegotiationOptions): Plan {
  if (transport !== 'stdio' && transport !== 'http') {
    throw new NegotiationOptionsError('bad-transport', `transport must be 'stdio' or 'http'`, transport)
  }
  if (!isObject(client?.info) || (client.capabilities !== undefined && !isObject(client.capabilities))) {
    throw new NegotiationOptionsError(
      'bad-client',
      'client needs { info, capabilities? }, both objects',
      client,
    )
  }
  for (const version of versions) {
    if (eraOf(version) === undefined) {
      throw new NegotiationOptionsError(
        'bad-version',
        `${JSON.stringify(version)} is no protocol version (YYYY-MM-DD)`,
        version,
      )
    }
  }
  const era = policy.era ?? 'auto'
  const usable = versions.filter((version) => era === 'auto' || eraOf(version) === era)
  if (usable.length === 0) {
    throw new NegotiationOptionsError(
      'no-version',
      `no version of the era ${era} among those given`,
      versions,
    )
  }
  return {
    transport,
    versions: usable,
    client: { info: client.info, capabilities: client.capabilities ?? {} },
    prior: policy.prior,
    discover: policy.discover ?? true,
    sse: policy.sse ?? false,
    whenUnauthorized: policy.whenUnauthorized ?? 'close',
    probeTimeoutMs: policy.probeTimeoutMs ?? 5_000,
    initializeTimeoutMs: policy.initializeTimeoutMs ?? 60_000,
  }
}

const STATES = {
  idle: 'idle',
  probing: 'negotiating',
  initializing: 'negotiating',
  confirming: 'negotiating',
  reconnecting: 'negotiating',
  ready: 'ready',
  closed: 'closed',
} as const

/**
 * Negotiates one connection of either era (legacy lifecycle; 2026-07-28 §Versioning and §Backward Compatibility).
 *
 * @throws NegotiationOptionsError where the options cannot be used; nothing a peer sends is ever thrown
 */
export function createNegotiation(options: NegotiationOptions): Negotiation {
  const plan = planOf(options)
  const client = normalizeClientCapabilities(plan.client.capabilities)
  const broken = new Map<string, Violation>()
  let machine: Machine = IDLE
  let permissions = new Map<string, Permission>()

  const agreement = () =>
    machine.phase.at === 'ready' || machine.phase.at === 'confirming'
      ? machine.phase.agreement
      : lastAgreement
  let lastAgreement: Extract<Machine['phase'], { at: 'ready' }>['agreement'] | undefined

  const take = (move: Move): Step => {
    const before = agreement()
    machine = move.machine
    if (machine.phase.at === 'ready') lastAgreement = machine.phase.agreement
    if (machine.phase.at === 'reconnecting' || machine.phase.at === 'probing') lastAgreement = undefined
    if (before !== agreement() || machine.phase.at !== 'ready') permissions = new Map()
    if (move.step.do === 'reconnect') broken.clear()
    return move.step
  }

  const evaluate = (
    from: 'client' | 'server',
    method: string,
    params: JsonObject | undefined,
  ): Permission => {
    const { phase } = machine
    if (phase.at === 'closed') return notOpen(method, phase.reason.message)
    if (phase.at !== 'ready') return notReady(method)
    const rule = ruleFor(from, method) ?? (from === 'client' ? ruleFor('server', method) : undefined)
    if (rule === undefined) return unknownMessage(method)
    const { version, capabilities } = phase.agreement
    const permission = computePermission(rule, params, { version, server: capabilities, client })
    const violation = permission.allowed === false ? undefined : broken.get(feature(method))
    return violation?.refuses ? notImplemented(method, violation.declared, violation.flag) : permission
  }

  const lookUp = (from: 'client' | 'server', method: string, params: JsonObject | undefined): Permission => {
    if (params !== undefined) return evaluate(from, method, params)
    const key = from === 'client' ? method : `<${method}`
    const known = permissions.get(key)
    if (known !== undefined) return known
    const permission = evaluate(from, method, undefined)
    if (permissions.size < 256) permissions.set(key, permission)
    return permission
  }

  const can = (method: string, params?: JsonObject): Permission => lookUp('client', method, params)

  const recordViolation = (request: SentRequest, error: WireError): Violation => {
    const { method } = request
    const key = feature(method)
    const earlier = broken.get(key)
    const declared = earlier?.declared ?? can(method, request.params).allowed === true
    const found = agreement()
    const version = found?.version ?? ''
    const need = ruleFor('client', method)?.needs[revisionFor(version)]
    const flag = need?.is === 'flags' ? need.flags.at(-1) : undefined
    const at = earlier ? earlier.at : options.now?.()
    const serverInfo = infoOf(found?.result)
    const violation: Violation = earlier
      ? { ...earlier, count: earlier.count + 1 }
      : {
          method,
          request,
          error,
          declared,
          refuses: method !== 'tools/call',
          ...(flag ? { flag: flagName(flag) } : {}),
          era: found?.era ?? 'legacy',
          version,
          ...(serverInfo ? { serverInfo } : {}),
          capabilities: found?.capabilities ?? {},
          count: 1,
          ...(at === undefined ? {} : { at }),
        }
    broken.set(key, violation)
    permissions = new Map()
    return violation
  }

  return {
    get state() {
      return STATES[machine.phase.at]
    },
    get era() {
      return agreement()?.era
    },
    get version() {
      return agreement()?.version
    },
    get reason() {
      return machine.phase.at === 'closed' ? machine.phase.reason : undefined
    },
    get capabilities() {
      return agreement()?.capabilities
    },
    get serverInfo() {
      return infoOf(agreement()?.result)
    },
    get instructions() {
      const text = own(agreement()?.result, 'instructions')
      return typeof text === 'string' ? text : undefined
    },
    get diagnostics() {
      return agreement()?.diagnostics ?? []
    },
    get roundTrips() {
      return machine.roundTrips
    },
    start: () => take(begin(machine, plan)),
    receive: (event) => take(advance(machine, event, plan)),
    discover: () => take(refresh(machine, plan)),
    observe(request, outcome) {
      const { move, unimplemented } = observeInUse(machine, request, outcome, plan)
      if (unimplemented && !(request.method === 'tools/call')) recordViolation(request, unimplemented)
      return take(move)
    },
    close() {
      if (machine.phase.at === 'closed') return { do: 'close', reason: machine.phase.reason }
      return take(close(machine, { code: 'closed' }))
    },
    can,
    accepts: (method, params) => lookUp('server', method, params),
    admit(method, params) {
      const { phase } = machine
      if (phase.at === 'initializing' && method === 'ping') return { do: 'send' }
      if (phase.at !== 'ready' && phase.at !== 'closed' && options.policy?.beforeReady !== 'refuse')
        return { do: 'wait' }
      const permission = can(method, params)
      return permission.allowed === false ? { do: 'refuse', permission } : { do: 'send' }
    },
    headers(message) {
      const version = agreement()?.version
      if (version === undefined || plan.transport === 'stdio') return {}
      return message ? headersFor(version, message) : { 'MCP-Protocol-Version': version }
    },
    meta(more) {
      const found = agreement()
      return found?.era === 'modern' ? metaFor(found.version, plan.client, more) : {}
    },
    recordViolation,
    violations: () => [...broken.values()],
    report: () => renderReport([...broken.values()]),
    verdict() {
      const found = agreement()
      if (!machine.cacheable || machine.phase.at !== 'ready' || found === undefined) return undefined
      const discovered = found.era === 'modern' ? found.result : undefined
      return { era: found.era, version: found.version, ...(discovered ? { discovered } : {}) }
    },
  }
}

/** What falls with a refused method: without `resources/subscribe` there is nothing to unsubscribe. */
const feature = (method: string): string =>
  method === 'resources/unsubscribe' ? 'resources/subscribe' : method

/** What a server said of itself: in the result (legacy), or in its `_meta` (modern). */
function infoOf(result: JsonObject | undefined): JsonObject | undefined {
  const inMeta: Json | undefined = own(own(result, '_meta'), 'io.modelcontextprotocol/serverInfo')
  const info = own(result, 'serverInfo') ?? inMeta
  return isObject(info) ? info : undefined
}
