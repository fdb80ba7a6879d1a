import { advance, begin } from './advance.ts'
import { type Diagnostic, flagName, normalizeClientCapabilities } from './capabilities.ts'
import { headersFor, metaFor } from './headers.ts'
import { isObject, type JsonObject, own } from './json.ts'
import { type Agreement, close, IDLE, type Machine, type Move, stay } from './machine.ts'
import { type NegotiationOptions, planOf } from './options.ts'
import type { NegotiationEvent, WireError } from './outcome.ts'
import {
  ALLOWED,
  notImplemented,
  notOpen,
  notReady,
  type Permission,
  type PreparedPermission,
  preparePermission,
  ruleFor,
  unknownMessage,
} from './permission.ts'
import { renderReport } from './report.ts'
import type { CloseReason, Prior, Step } from './steps.ts'
import { observe, receiveInUse, refresh } from './use.ts'
import { type Era, revisionFor, versionsOf } from './versions.ts'
import { createEvidence, type SentRequest, type Violation } from './violation.ts'

/** What is to be done with a message that somebody wants to send now. */
export type Admission =
  | { readonly do: 'send' }
  /** Negotiation is not finished: hold it until `ready`, then ask again. */
  | { readonly do: 'wait' }
  | { readonly do: 'refuse'; readonly permission: Extract<Permission, { allowed: false }> }

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
  /**
   * True when the era was only remembered (or taken for granted) and an answer came that a server of that era would
   * hardly give. `discover()` settles it, on this connection.
   */
  readonly doubtful: boolean
  /** What was not as the specification has it in the server's declaration. */
  readonly diagnostics: readonly Diagnostic[]
  /** Requests sent for negotiation so far. */
  readonly roundTrips: number
  /** Grows with every `reconnect` step, from 1. */
  readonly generation: number
  start(): Step
  /**
   * Takes what became of the open step, or the end of the connection. Never throws; an event that is late, repeated
   * or out of place changes nothing.
   */
  receive(event: NegotiationEvent): Step
  /** Asks a modern server (again) for its capabilities while the connection is in use. */
  discover(): Step
  /**
   * Takes the outcome of an ordinary request: evidence of a broken promise, of a lost session, of a version or an era
   * that no longer holds. Mostly the step is `ready`; it never asks to send anything new. After `resend` and
   * `reconnect` the request was certainly not carried out. `generation` is the one the request was sent in: what arrives
   * late from an earlier one changes nothing. Unsaid, it is taken for the present one.
   */
  observe(request: SentRequest, outcome: NegotiationEvent, generation?: number): Step
  close(): Step
  /** Whether this client may send a message (for one that only servers send: whether the server may). */
  can(method: string, params?: JsonObject): Permission
  /** Whether the server may send this message to the client. */
  accepts(method: string, params?: JsonObject): Permission
  /** What to do with a message now: send it, hold it back until ready, or refuse it. */
  admit(method: string, params?: JsonObject): Admission
  /** HTTP headers of every request after negotiation; with a message, of that message. Empty over stdio. */
  headers(message?: SentRequest): Record<string, string>
  /** The `_meta` members of every modern request; empty in the legacy era. `capabilities`: the client's, for this one. */
  meta(more?: {
    readonly capabilities?: JsonObject | undefined
    readonly logLevel?: string | undefined
  }): JsonObject
  /** Keeps an error as evidence; after a -32601 the method is refused on this connection. */
  recordViolation(request: SentRequest, error: WireError): Violation
  violations(): readonly Violation[]
  /** The evidence as Markdown for the server's author; undefined where every promise was kept. */
  report(): string | undefined
  /**
   * What may be remembered of this server: what it was found to be, by a probe or in use. Undefined while undetermined, in
   * doubt, or contradicted: then what was remembered before is to be forgotten. Undefined also where only one era was
   * offered and the other one could not show: that says nothing of what was remembered of the other.
   */
  verdict(): Prior | undefined
}

/** Ends of a connection that say nothing against what was agreed on it. */
const OVER: ReadonlySet<CloseReason['code']> = new Set(['closed', 'exited'])

/** Answers kept ready: every published message, and some others. */
const KNOWN_LIMIT = 256

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
  const evidence = createEvidence()
  const known = {
    client: new Map<string, PreparedPermission>(),
    server: new Map<string, PreparedPermission>(),
  }
  let machine: Machine = IDLE
  let agreement: Agreement | undefined
  /** What was last agreed on, kept while a lost session is made anew: that says nothing against the server's era. */
  let agreed: Agreement | undefined

  const forget = () => {
    known.client.clear()
    known.server.clear()
  }

  const take = ({ machine: next, step }: Move): Step => {
    const { phase } = next
    if (phase !== machine.phase) {
      forget()
      const sessionLost = step.do === 'reconnect' && step.cause === 'session-lost'
      if (phase.at === 'ready') agreed = phase.agreement
      else if (phase.at !== 'closed' && !sessionLost) agreed = undefined
    }
    if (phase.at === 'ready' || phase.at === 'confirming') agreement = phase.agreement
    else if (phase.at !== 'closed') agreement = undefined
    // A handshake is a new promise, also on a connection that was taken for one of the other era.
    if (phase.at === 'reconnecting' || phase.at === 'initializing') evidence.clear()
    machine = next
    return step
  }

  const evaluate = (from: 'client' | 'server', method: string): PreparedPermission => {
    const { phase } = machine
    if (phase.at === 'closed') return { plain: notOpen(method, phase.reason.message) }
    if (phase.at !== 'ready') return { plain: early(from, method) ? ALLOWED : notReady(method) }
    const violation = from === 'client' ? evidence.against(method) : undefined
    const rule = ruleFor(from, method) ?? (from === 'client' ? ruleFor('server', method) : undefined)
    const { version, capabilities } = phase.agreement
    const prepared = rule
      ? preparePermission(rule, { version, server: capabilities, client })
      : { plain: unknownMessage(method) }
    return violation?.refuses && prepared.plain.allowed !== false
      ? { plain: notImplemented(method, violation) }
      : prepared
  }

  /** Before `initialized`: ping both ways, and the server's log (legacy lifecycle, §Initialization). */
  const early = (from: 'client' | 'server', method: string): boolean => {
    const { at } = machine.phase
    if (at !== 'initializing' && !(at === 'confirming' && from === 'server')) return false
    return method === 'ping' || (from === 'server' && method === 'notifications/message')
  }

  const lookUp = (from: 'client' | 'server', method: string, params: JsonObject | undefined): Permission => {
    let prepared = known[from].get(method)
    if (prepared === undefined) {
      prepared = evaluate(from, method)
      if (known[from].size < KNOWN_LIMIT) known[from].set(method, prepared)
    }
    return params === undefined || prepared.given === undefined ? prepared.plain : prepared.given(params)
  }

  const can = (method: string, params?: JsonObject): Permission => lookUp('client', method, params)

  const recordViolation = (request: SentRequest, error: WireError): Violation => {
    const { method } = request
    const version = agreement?.version ?? ''
    const need = ruleFor('client', method)?.needs[revisionFor(version)]
    const flag = need?.is === 'flags' ? need.flags.at(-1) : undefined
    const at = options.now?.()
    const serverInfo = infoOf(agreement)
    const violation = evidence.add({
      method,
      request,
      error,
      declared: flag !== undefined && can(method, request.params).allowed === true,
      refuses: error.code === -32601 && method !== 'tools/call',
      ...(flag ? { flag: flagName(flag) } : {}),
      era: agreement?.era ?? 'legacy',
      version,
      ...(serverInfo ? { serverInfo } : {}),
      capabilities: agreement?.capabilities ?? {},
      ...(at === undefined ? {} : { at }),
    })
    forget()
    return violation
  }

  return {
    get state() {
      return STATES[machine.phase.at]
    },
    get era() {
      return agreement?.era
    },
    get version() {
      return agreement?.version
    },
    get reason() {
      return machine.phase.at === 'closed' ? machine.phase.reason : undefined
    },
    get capabilities() {
      return agreement?.capabilities
    },
    get serverInfo() {
      return infoOf(agreement)
    },
    get instructions() {
      const text = own(agreement?.result, 'instructions')
      return typeof text === 'string' ? text : undefined
    },
    get diagnostics() {
      return agreement?.diagnostics ?? []
    },
    get doubtful() {
      return agreement?.doubtful ?? false
    },
    get roundTrips() {
      return machine.roundTrips
    },
    start: () => take(begin(machine, plan)),
    receive(event) {
      const { phase, generation } = machine
      if (event.generation !== undefined && event.generation !== generation) return stay(machine).step
      return take(
        phase.at === 'ready' ? receiveInUse(machine, phase, event, plan) : advance(machine, event, plan),
      )
    },
    discover: () => take(refresh(machine, plan)),
    get generation() {
      return machine.generation
    },
    observe(request, outcome, generation = machine.generation) {
      if (generation !== machine.generation) return stay(machine).step
      const { move, unimplemented } = observe(machine, outcome, plan)
      const step = take(move)
      if (unimplemented && request.method !== 'tools/call') recordViolation(request, unimplemented)
      return step
    },
    close: () => take(machine.phase.at === 'closed' ? stay(machine) : close(machine, { code: 'closed' })),
    can,
    accepts: (method, params) => lookUp('server', method, params),
    admit(method, params) {
      const permission = can(method, params)
      if (permission.allowed !== false) return { do: 'send' }
      const waits = permission.why === 'not-ready' && options.policy?.beforeReady !== 'refuse'
      return waits ? { do: 'wait' } : { do: 'refuse', permission }
    },
    headers(message) {
      if (agreement === undefined || plan.transport === 'stdio') return {}
      return message ? headersFor(agreement.version, message) : { 'MCP-Protocol-Version': agreement.version }
    },
    meta: (more) => (agreement?.era === 'modern' ? metaFor(agreement.version, plan.client, more) : {}),
    recordViolation,
    violations: () => evidence.list(),
    report: () => renderReport(evidence.list()),
    verdict() {
      const { phase, cacheable } = machine
      const held = phase.at === 'ready' || (phase.at === 'closed' && OVER.has(phase.reason.code))
      if (!cacheable || !held || agreed === undefined || agreed.doubtful) return undefined
      const found =
        agreed.era === 'legacy'
          ? versionsOf('modern', plan.versions).length > 0
          : agreed.proven || plan.prior?.era === 'modern'
      if (!found) return undefined
      const discovered = agreed.era === 'modern' ? agreed.result : undefined
      return { era: agreed.era, version: agreed.version, ...(discovered ? { discovered } : {}) }
    },
  }
}

/** What a server said of itself: in the result (legacy), or in its `_meta` (modern). */
function infoOf(agreement: Agreement | undefined): JsonObject | undefined {
  const result = agreement?.result
  const info = own(result, 'serverInfo') ?? own(own(result, '_meta'), 'io.modelcontextprotocol/serverInfo')
  return isObject(info) ? info : undefined
}
