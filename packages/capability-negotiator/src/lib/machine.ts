import type { Diagnostic } from './capabilities.ts'
import { readServerCapabilities } from './capabilities.ts'
import { type Closing, closeFor } from './closing.ts'
import { headersFor, metaFor } from './headers.ts'
import { isObject, type JsonObject, own, strings } from './json.ts'
import type { NegotiationEvent, ProbeOutcome } from './outcome.ts'
import {
  type Answer,
  answeredVersion,
  classifyProbe,
  isModernError,
  readAnswer,
  supportedBy,
  type Verdict,
} from './probe.ts'
import type { CloseReason, Prior, ReconnectCause, Step } from './steps.ts'
import { type Era, newestCommon, versionsOf } from './versions.ts'

/** How a connection is to be negotiated. */
export interface Plan {
  readonly transport: 'stdio' | 'http'
  readonly versions: readonly string[]
  readonly client: { readonly info: JsonObject; readonly capabilities: JsonObject }
  readonly prior: Prior | undefined
  readonly discover: boolean
  readonly sse: boolean
  readonly whenUnauthorized: 'close' | 'initialize'
  readonly probeTimeoutMs: number
  readonly initializeTimeoutMs: number
}

/** What a negotiation came to. */
export interface Agreement {
  readonly era: Era
  readonly version: string
  /** Undefined while unknown (modern, undiscovered). */
  readonly capabilities: JsonObject | undefined
  readonly result: JsonObject | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** Where a negotiation stands. */
export type Phase =
  | { readonly at: 'idle' }
  | { readonly at: 'probing'; readonly exchange: number; readonly version: string }
  | { readonly at: 'initializing'; readonly exchange: number; readonly version: string }
  | { readonly at: 'confirming'; readonly exchange: number; readonly agreement: Agreement }
  | {
      readonly at: 'reconnecting'
      readonly next: 'start' | 'initialize'
      readonly version?: string | undefined
    }
  | { readonly at: 'ready'; readonly agreement: Agreement; readonly refreshing?: number | undefined }
  | { readonly at: 'closed'; readonly reason: CloseReason }

/** All a negotiation remembers: plain data, replaced and never changed. */
export interface Machine {
  readonly phase: Phase
  /** The number of the last exchange. */
  readonly exchanges: number
  /** Requests sent so far that wait for an answer: the round trips negotiation has cost. */
  readonly roundTrips: number
  /** The exchange of the last probe: its late answer still says what the server is. */
  readonly lastProbe: number | undefined
  /** How often each bounded detour was taken, so that none is taken twice. */
  readonly detours: { readonly probe: number; readonly initialize: number; readonly reconnect: number }
  /** False once what was found must not be remembered. */
  readonly cacheable: boolean
  /** Whether the remembered verdict may still be used. */
  readonly trustPrior: boolean
}

/** A machine and what the driver does next. */
export interface Move {
  readonly machine: Machine
  readonly step: Step
}

export const IDLE: Machine = {
  phase: { at: 'idle' },
  exchanges: 0,
  roundTrips: 0,
  lastProbe: undefined,
  detours: { probe: 0, initialize: 0, reconnect: 0 },
  cacheable: true,
  trustPrior: true,
}

const WAIT: Step = Object.freeze({ do: 'wait' })
const READY: Step = Object.freeze({ do: 'ready' })

/** The step that a machine stands at, for events that change nothing. */
export function standing(machine: Machine): Step {
  if (machine.phase.at === 'ready') return READY
  return machine.phase.at === 'closed' ? { do: 'close', reason: machine.phase.reason } : WAIT
}

/** Begins, or does nothing where it has begun. */
export function begin(machine: Machine, plan: Plan): Move {
  if (machine.phase.at !== 'idle') return { machine, step: standing(machine) }
  return open(machine, plan)
}

function open(machine: Machine, plan: Plan): Move {
  const modern = versionsOf('modern', plan.versions)
  const prior = machine.trustPrior ? plan.prior : undefined
  if (prior?.era === 'modern') {
    const version = prior.version !== undefined && modern.includes(prior.version) ? prior.version : undefined
    if (version !== undefined) return settle(machine, modernAgreement(version, prior.discovered))
  }
  const [newest] = modern
  if (newest !== undefined && prior?.era !== 'legacy') {
    return plan.discover ? probe(machine, plan, newest) : settle(machine, modernAgreement(newest, undefined))
  }
  return initialize(machine, plan)
}

function probe(machine: Machine, plan: Plan, version: string): Move {
  const exchange = machine.exchanges + 1
  const message = { method: 'server/discover', params: { _meta: metaFor(version, plan.client) } }
  return {
    machine: {
      ...machine,
      phase: { at: 'probing', exchange, version },
      exchanges: exchange,
      roundTrips: machine.roundTrips + 1,
      lastProbe: exchange,
      detours: { ...machine.detours, probe: machine.detours.probe + 1 },
    },
    step: {
      do: 'send',
      exchange,
      message,
      expect: 'response',
      headers: plan.transport === 'http' ? headersFor(version, message) : {},
      timeoutMs: plan.probeTimeoutMs,
    },
  }
}

function initialize(machine: Machine, plan: Plan, wanted?: string): Move {
  const version = wanted ?? versionsOf('legacy', plan.versions)[0]
  if (version === undefined) {
    return close(machine, {
      code: 'version-mismatch',
      ours: plan.versions,
      theirs: undefined,
      detail: 'it is a legacy server',
    })
  }
  const exchange = machine.exchanges + 1
  const params = {
    protocolVersion: version,
    capabilities: plan.client.capabilities,
    clientInfo: plan.client.info,
  }
  return {
    machine: {
      ...machine,
      phase: { at: 'initializing', exchange, version },
      exchanges: exchange,
      roundTrips: machine.roundTrips + 1,
      detours: { ...machine.detours, initialize: machine.detours.initialize + 1 },
    },
    step: {
      do: 'send',
      exchange,
      message: { method: 'initialize', params },
      expect: 'response',
      headers: {},
      timeoutMs: plan.initializeTimeoutMs,
    },
  }
}

function confirm(machine: Machine, plan: Plan, agreement: Agreement): Move {
  const exchange = machine.exchanges + 1
  const message = { method: 'notifications/initialized' }
  return {
    machine: { ...machine, phase: { at: 'confirming', exchange, agreement }, exchanges: exchange },
    step: {
      do: 'send',
      exchange,
      message,
      expect: 'nothing',
      headers: plan.transport === 'http' ? headersFor(agreement.version, message) : {},
      timeoutMs: plan.initializeTimeoutMs,
    },
  }
}

function modernAgreement(version: string, result: JsonObject | undefined): Agreement {
  if (result === undefined) {
    return { era: 'modern', version, capabilities: undefined, result: undefined, diagnostics: [] }
  }
  return { era: 'modern', version, result, ...readServerCapabilities(own(result, 'capabilities')) }
}

/** Ready: the detours begin anew, so that a session lost much later is not counted against the first connect. */
function settle(machine: Machine, agreement: Agreement): Move {
  return {
    machine: { ...machine, phase: { at: 'ready', agreement }, detours: IDLE.detours },
    step: READY,
  }
}

export function close(machine: Machine, closing: Closing): Move {
  const reason = closeFor(closing)
  return { machine: { ...machine, phase: { at: 'closed', reason } }, step: { do: 'close', reason } }
}

export function reconnect(
  machine: Machine,
  cause: ReconnectCause,
  next: { readonly next: 'start' | 'initialize'; readonly version?: string | undefined },
): Move {
  return {
    machine: {
      ...machine,
      phase: { at: 'reconnecting', ...next },
      lastProbe: undefined,
      detours: { ...machine.detours, reconnect: machine.detours.reconnect + 1 },
    },
    step: { do: 'reconnect', cause, transport: cause === 'http+sse' ? 'http+sse' : 'same' },
  }
}

/** Takes what happened and says what to do next. Total: any event in any phase, nothing thrown. */
export function advance(machine: Machine, event: NegotiationEvent, plan: Plan): Move {
  const stay: Move = { machine, step: standing(machine) }
  const { phase } = machine
  const open = 'exchange' in phase ? phase.exchange : phase.at === 'ready' ? phase.refreshing : undefined
  if (event.exchange !== undefined && event.exchange !== open) return late(machine, event, plan) ?? stay
  switch (phase.at) {
    case 'probing':
      return isAnswer(event) ? probed(machine, event, plan) : stay
    case 'initializing':
      return isAnswer(event) ? initialized(machine, phase.version, event, plan) : stay
    case 'confirming':
      return confirmed(machine, phase.agreement, event)
    case 'reconnecting':
      return reconnected(machine, phase, event, plan)
    case 'ready':
      return inUse(machine, phase, event, plan)
    default:
      return stay
  }
}

const isAnswer = (event: NegotiationEvent): event is ProbeOutcome & { exchange?: number } =>
  event.kind !== 'sent' && event.kind !== 'connected'

/** A probe that is answered after its time was up: the server is modern after all, and its era is fixed. */
function late(machine: Machine, event: NegotiationEvent, plan: Plan): Move | undefined {
  if (machine.phase.at !== 'initializing' || event.exchange !== machine.lastProbe || !isAnswer(event))
    return undefined
  const verdict = classifyProbe(event, plan)
  return verdict.era === 'modern' && verdict.usable && verdict.discovered
    ? settle(machine, modernAgreement(verdict.version, verdict.discovered))
    : undefined
}

function probed(machine: Machine, event: ProbeOutcome, plan: Plan): Move {
  const verdict = classifyProbe(event, plan)
  if (verdict.era === 'modern') return foundModern(machine, verdict, plan)
  if (verdict.era === 'legacy') return foundLegacy(machine, verdict, plan)
  const uncached = { ...machine, cacheable: false }
  const { because, status, error } = verdict
  const goesOn =
    because === 'server-error' ||
    because === 'timeout' ||
    ((because === 'unauthorized' || because === 'forbidden') && plan.whenUnauthorized === 'initialize')
  if (goesOn && versionsOf('legacy', plan.versions).length > 0) return initialize(uncached, plan)
  return close(uncached, { undetermined: because, status, error })
}

function foundModern(machine: Machine, verdict: Extract<Verdict, { era: 'modern' }>, plan: Plan): Move {
  if (!verdict.usable) {
    if (verdict.because === 'no-common-version') {
      return close(machine, { code: 'version-mismatch', ours: plan.versions, theirs: verdict.supported })
    }
    return close(machine, {
      code: verdict.because === 'modern-error' ? 'refused' : 'invalid-answer',
      error: verdict.error,
    })
  }
  if (verdict.discovered) return settle(machine, modernAgreement(verdict.version, verdict.discovered))
  const { phase } = machine
  const same = phase.at === 'probing' && phase.version === verdict.version
  if (same || machine.detours.probe > 1) {
    return close(machine, { code: 'version-mismatch', ours: plan.versions, theirs: verdict.supported })
  }
  return probe(machine, plan, verdict.version)
}

function foundLegacy(machine: Machine, verdict: Extract<Verdict, { era: 'legacy' }>, plan: Plan): Move {
  if (versionsOf('legacy', plan.versions).length === 0) {
    return close(machine, {
      code: 'version-mismatch',
      ours: plan.versions,
      error: verdict.error,
      detail: 'it does not speak the modern era',
    })
  }
  const cause = verdict.because === 'exit' ? 'probe-ended-it' : verdict.fixed ? 'era-fixed' : undefined
  if (cause === undefined) return initialize(machine, plan, verdict.version)
  return reconnect(machine, cause, { next: 'initialize', version: verdict.version })
}

function initialized(machine: Machine, offered: string, event: ProbeOutcome, plan: Plan): Move {
  const answer = readAnswer(event)
  if (answer.is === 'error') return initializeRefused(machine, offered, answer, plan)
  if (answer.is === 'failure') return close(machine, { failure: answer.failure, detail: answer.message })
  if (answer.is === 'http') {
    return trySse(machine, answer.status, plan) ?? close(machine, { status: answer.status })
  }
  const theirs = own(answer.value, 'protocolVersion')
  if (typeof theirs !== 'string')
    return close(machine, { code: 'invalid-answer', detail: 'it names no protocolVersion' })
  const version = answeredVersion(answer.value, plan.versions)
  if (version === undefined)
    return close(machine, { code: 'version-mismatch', ours: plan.versions, theirs: [theirs] })
  return confirm(machine, plan, {
    era: 'legacy',
    version,
    result: answer.value,
    ...readServerCapabilities(own(answer.value, 'capabilities')),
  })
}

function trySse(machine: Machine, status: number, plan: Plan): Move | undefined {
  const old = status === 400 || status === 404 || status === 405
  if (!plan.sse || !old || plan.transport !== 'http' || machine.detours.reconnect > 0) return undefined
  return reconnect(machine, 'http+sse', { next: 'initialize' })
}

/** An error to `initialize`: a modern server says so, a legacy one may name versions it supports; else it is a no. */
function initializeRefused(
  machine: Machine,
  offered: string,
  { error, status }: Extract<Answer, { is: 'error' }>,
  plan: Plan,
): Move {
  const named = supportedBy(error)
  if (isModernError(error)) {
    const version = named && newestCommon('modern', plan.versions, named)
    if (version !== undefined && machine.detours.probe < 2)
      return probe({ ...machine, trustPrior: false }, plan, version)
    if (version !== undefined) return close(machine, { code: 'refused', error })
  }
  const counter = named && newestCommon('legacy', plan.versions, named)
  if (counter !== undefined && counter !== offered && machine.detours.initialize < 2) {
    return initialize(machine, plan, counter)
  }
  if (named) return close(machine, { code: 'version-mismatch', ours: plan.versions, theirs: named, error })
  if (status !== undefined && status >= 400 && !isModernError(error)) {
    return trySse(machine, status, plan) ?? close(machine, { status, error })
  }
  return close(machine, { code: 'refused', error })
}

function confirmed(machine: Machine, agreement: Agreement, event: NegotiationEvent): Move {
  if (event.kind === 'sent') return settle(machine, agreement)
  if (event.kind === 'connected') return { machine, step: WAIT }
  if (event.kind === 'http' && event.status >= 200 && event.status < 300) return settle(machine, agreement)
  const answer = readAnswer(event)
  switch (answer.is) {
    case 'result':
      return settle(machine, agreement)
    case 'error':
      return close(machine, { code: 'refused', error: answer.error, status: answer.status })
    case 'http':
      return close(machine, { status: answer.status })
    case 'failure':
      return close(machine, { failure: answer.failure, detail: answer.message })
  }
}

function reconnected(
  machine: Machine,
  phase: Extract<Phase, { at: 'reconnecting' }>,
  event: NegotiationEvent,
  plan: Plan,
): Move {
  if (event.kind === 'connected') {
    return phase.next === 'start' ? open(machine, plan) : initialize(machine, plan, phase.version)
  }
  if (event.kind === 'error' && event.failure !== undefined && event.failure !== 'closed') {
    return close(machine, { failure: event.failure, detail: event.error.message })
  }
  return { machine, step: WAIT }
}

/** Asks a modern server for its capabilities while the connection is in use. */
export function refresh(machine: Machine, plan: Plan): Move {
  const { phase } = machine
  if (phase.at !== 'ready' || phase.agreement.era !== 'modern') return { machine, step: standing(machine) }
  const sent = probe(machine, plan, phase.agreement.version)
  return {
    step: sent.step,
    machine: {
      ...sent.machine,
      phase: { ...phase, refreshing: sent.machine.exchanges },
      detours: machine.detours,
    },
  }
}

function inUse(
  machine: Machine,
  phase: Extract<Phase, { at: 'ready' }>,
  event: NegotiationEvent,
  plan: Plan,
): Move {
  const stay: Move = { machine, step: READY }
  if (event.kind === 'exit' || (event.kind === 'error' && event.failure === 'closed')) {
    return close(machine, {
      failure: 'exit',
      detail: event.kind === 'exit' ? event.detail : event.error.message,
    })
  }
  if (phase.refreshing === undefined || !isAnswer(event)) return stay
  const settled: Move = {
    machine: { ...machine, phase: { at: 'ready', agreement: phase.agreement } },
    step: READY,
  }
  const answer = readAnswer(event)
  if (
    answer.is !== 'result' ||
    !isObject(answer.value) ||
    strings(own(answer.value, 'supportedVersions')) === undefined
  ) {
    return settled
  }
  const verdict = classifyProbe(event, plan)
  return verdict.era === 'modern' && verdict.usable
    ? settle(machine, modernAgreement(verdict.version, answer.value))
    : settled
}
