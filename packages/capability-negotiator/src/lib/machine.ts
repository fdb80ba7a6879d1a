import { type Diagnostic, readServerCapabilities } from './capabilities.ts'
import { type Closing, closeFor } from './closing.ts'
import { headersFor, metaFor } from './headers.ts'
import { type JsonObject, own } from './json.ts'
import type { CloseReason, Prior, ReconnectCause, Step } from './steps.ts'
import { type Era, versionsOf } from './versions.ts'

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
  /** False while it rests on what was remembered, and this connection has shown nothing for it yet. */
  readonly proven: boolean
  /** Whether an answer came that a server of this era would hardly give, before it was proven. */
  readonly doubtful: boolean
}

/** Where a negotiation stands. */
export type Phase =
  | { readonly at: 'idle' }
  | { readonly at: 'probing'; readonly exchange: number; readonly version: string }
  | {
      readonly at: 'initializing'
      readonly exchange: number
      readonly version: string
      /** What a discovery that came late says; it counts only where `initialize` is not accepted. */
      readonly late?: Agreement | undefined
    }
  | { readonly at: 'confirming'; readonly exchange: number; readonly agreement: Agreement }
  | {
      readonly at: 'reconnecting'
      readonly next: 'start' | 'initialize'
      readonly version?: string | undefined
    }
  | { readonly at: 'ready'; readonly agreement: Agreement; readonly refreshing?: number | undefined }
  | { readonly at: 'closed'; readonly reason: CloseReason }

/** One phase. */
export type PhaseAt<At extends Phase['at']> = Extract<Phase, { readonly at: At }>

/** All a negotiation remembers: plain data, replaced and never changed. */
export interface Machine {
  readonly phase: Phase
  /** The number of the last exchange. */
  readonly exchanges: number
  /** Requests sent so far: the round trips negotiation has cost. */
  readonly roundTrips: number
  /** Which connection this is, from 1. */
  readonly generation: number
  /** The exchange of a probe sent to this very process or endpoint: its late answer still says what the server is. */
  readonly probed: number | undefined
  /** How often each detour was taken since the last `ready`. Each is bounded, so negotiation ends. */
  readonly detours: { readonly probe: number; readonly initialize: number; readonly reconnect: number }
  /** Sessions lost in a row without one good answer between them. */
  readonly losses: number
  /** False once what was found must not be remembered. */
  readonly cacheable: boolean
  /** Whether what was remembered of the server is still believed. */
  readonly trustPrior: boolean
}

/** A machine, and what the driver does next. */
export interface Move {
  readonly machine: Machine
  readonly step: Step
}

export const IDLE: Machine = {
  phase: { at: 'idle' },
  exchanges: 0,
  roundTrips: 0,
  generation: 1,
  probed: undefined,
  detours: { probe: 0, initialize: 0, reconnect: 0 },
  losses: 0,
  cacheable: true,
  trustPrior: true,
}

const WAIT: Step = Object.freeze({ do: 'wait' })
const READY: Step = Object.freeze({ do: 'ready' })

/** The move that changes nothing: where the negotiation stands. */
export function stay(machine: Machine): Move {
  const { phase } = machine
  if (phase.at === 'ready') return { machine, step: READY }
  return { machine, step: phase.at === 'closed' ? { do: 'close', reason: phase.reason } : WAIT }
}

const counted = (machine: Machine, detour: keyof Machine['detours']): Machine['detours'] => ({
  ...machine.detours,
  [detour]: machine.detours[detour] + 1,
})

/** Opens the negotiation of a connection: what is remembered, else the modern era first, else `initialize`. */
export function open(machine: Machine, plan: Plan): Move {
  const [modern] = versionsOf('modern', plan.versions)
  const legacy = plan.versions.length > versionsOf('modern', plan.versions).length
  const prior = machine.trustPrior ? plan.prior : undefined
  if (
    prior?.era === 'modern' &&
    prior.version !== undefined &&
    versionsOf('modern', plan.versions).includes(prior.version)
  ) {
    return settle(machine, modernAgreement(prior.version, prior.discovered, false))
  }
  if (modern === undefined || (prior?.era === 'legacy' && legacy)) return initialize(machine, plan)
  return plan.discover
    ? probe(machine, plan, modern)
    : settle(machine, modernAgreement(modern, undefined, false))
}

/** Sends `server/discover` at a version. */
export function probe(machine: Machine, plan: Plan, version: string): Move {
  const exchange = machine.exchanges + 1
  const message = { method: 'server/discover', params: { _meta: metaFor(version, plan.client) } }
  return {
    machine: {
      ...machine,
      phase: { at: 'probing', exchange, version },
      exchanges: exchange,
      roundTrips: machine.roundTrips + 1,
      probed: exchange,
      detours: counted(machine, 'probe'),
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

/** Sends `initialize`, offering the newest legacy version or the one asked for; without any, there is no way on. */
export function initialize(machine: Machine, plan: Plan, wanted?: string): Move {
  const version = wanted ?? versionsOf('legacy', plan.versions)[0]
  if (version === undefined) return close(machine, { code: 'version-mismatch', ours: plan.versions })
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
      detours: counted(machine, 'initialize'),
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

/** Sends `notifications/initialized`, which goes before anything else (legacy lifecycle). */
export function confirm(machine: Machine, plan: Plan, agreement: Agreement): Move {
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

/** What a modern version and a discovery, where there is one, come to. */
export function modernAgreement(version: string, result: JsonObject | undefined, proven: boolean): Agreement {
  const known = result && readServerCapabilities(own(result, 'capabilities'))
  return {
    era: 'modern',
    version,
    result,
    capabilities: known?.capabilities,
    diagnostics: known?.diagnostics ?? [],
    proven,
    doubtful: false,
  }
}

/** The connection may be used. The detours begin anew: a session lost much later is not counted against this one. */
export function settle(machine: Machine, agreement: Agreement): Move {
  return { machine: { ...machine, phase: { at: 'ready', agreement }, detours: IDLE.detours }, step: READY }
}

export function close(machine: Machine, closing: Closing): Move {
  const reason = closeFor(closing)
  return { machine: { ...machine, phase: { at: 'closed', reason } }, step: { do: 'close', reason } }
}

/** Asks for a new process or session, and says what is done on it. */
export function reconnect(
  machine: Machine,
  cause: ReconnectCause,
  next: 'start' | 'initialize',
  version?: string | undefined,
): Move {
  return {
    machine: {
      ...machine,
      phase: { at: 'reconnecting', next, version },
      generation: machine.generation + 1,
      probed: undefined,
      detours: counted(machine, 'reconnect'),
    },
    step: { do: 'reconnect', cause, transport: cause === 'http+sse' ? 'http+sse' : 'same' },
  }
}
