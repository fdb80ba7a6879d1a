import { readServerCapabilities } from './capabilities.ts'
import { own } from './json.ts'
import {
  type Agreement,
  close,
  confirm,
  initialize,
  type Machine,
  type Move,
  modernAgreement,
  open,
  type PhaseAt,
  type Plan,
  probe,
  reconnect,
  settle,
  stay,
} from './machine.ts'
import type { NegotiationEvent, ProbeOutcome } from './outcome.ts'
import {
  type Answer,
  answeredVersion,
  classifyProbe,
  isModernError,
  isTransient,
  readAnswer,
  supportedBy,
  type Verdict,
} from './probe.ts'
import { eraOf, newestCommon, versionsOf } from './versions.ts'

/** Begins; where it has begun, says where it stands. */
export function begin(machine: Machine, plan: Plan): Move {
  return machine.phase.at === 'idle' ? open(machine, plan) : stay(machine)
}

/** Takes an event before `ready`. Total: any event in any phase, and nothing is thrown. */
export function advance(machine: Machine, event: NegotiationEvent, plan: Plan): Move {
  const { phase } = machine
  const current = 'exchange' in phase ? phase.exchange : undefined
  if (event.exchange !== undefined && event.exchange !== current) return late(machine, event, plan)
  switch (phase.at) {
    case 'probing':
      return isAnswer(event) ? probed(machine, phase, event, plan) : stay(machine)
    case 'initializing':
      return isAnswer(event) ? initialized(machine, phase, event, plan) : stay(machine)
    case 'confirming':
      return confirmed(machine, phase.agreement, event)
    case 'reconnecting':
      return reconnected(machine, phase, event, plan)
    default:
      return stay(machine)
  }
}

export const isAnswer = (event: NegotiationEvent): event is ProbeOutcome & { readonly exchange?: number } =>
  event.kind !== 'sent' && event.kind !== 'connected'

/**
 * A probe answered after its time was up. A discovery does not fix the era of a server and an accepted `initialize`
 * does, so what it says waits for that answer. Where the legacy era is or becomes the one in use, the server speaks
 * both, and only was slow: that is not to be remembered.
 */
export function late(machine: Machine, event: NegotiationEvent, plan: Plan): Move {
  const { phase } = machine
  if (event.exchange === undefined || event.exchange !== machine.probed || !isAnswer(event))
    return stay(machine)
  const verdict = classifyProbe(event, plan)
  if (verdict.era !== 'modern' || !verdict.usable || !verdict.discovered) return stay(machine)
  if (phase.at !== 'initializing') {
    const legacy = 'agreement' in phase && phase.agreement.era === 'legacy'
    return stay(legacy ? { ...machine, cacheable: false } : machine)
  }
  const found = modernAgreement(verdict.version, verdict.discovered, true)
  return stay({ ...machine, cacheable: false, phase: { ...phase, late: found } })
}

function probed(machine: Machine, phase: PhaseAt<'probing'>, event: ProbeOutcome, plan: Plan): Move {
  const verdict = classifyProbe(event, plan)
  if (verdict.era === 'modern') return foundModern(machine, phase, verdict, plan)
  if (verdict.era === 'legacy') return foundLegacy(machine, verdict, plan)
  const { because, status, error } = verdict
  const unauthorized = because === 'unauthorized' || because === 'forbidden'
  const goesOn =
    because === 'server-error' ||
    because === 'timeout' ||
    (unauthorized && plan.whenUnauthorized === 'initialize')
  const uncached: Machine = { ...machine, cacheable: false }
  return goesOn && versionsOf('legacy', plan.versions).length > 0
    ? initialize(uncached, plan)
    : close(uncached, { undetermined: because, status, error })
}

function foundModern(
  machine: Machine,
  phase: PhaseAt<'probing'>,
  verdict: Extract<Verdict, { era: 'modern' }>,
  plan: Plan,
): Move {
  if (verdict.usable) {
    if (verdict.discovered) return settle(machine, modernAgreement(verdict.version, verdict.discovered, true))
    // Some refuse what they name; asking for it once more is what the specification has a client do.
    const most = verdict.version === phase.version ? 2 : 3
    if (machine.detours.probe < most) return probe(machine, plan, verdict.version)
    return close(machine, { code: 'version-mismatch', ours: plan.versions, theirs: verdict.supported })
  }
  switch (verdict.because) {
    case 'no-common-version':
      return close(machine, { code: 'version-mismatch', ours: plan.versions, theirs: verdict.supported })
    case 'modern-error':
      return close(machine, { code: 'refused', error: verdict.error })
    case 'invalid-result':
      return close(machine, { code: 'invalid-answer', detail: 'the discovery has an unknown resultType' })
  }
}

function foundLegacy(machine: Machine, verdict: Extract<Verdict, { era: 'legacy' }>, plan: Plan): Move {
  if (versionsOf('legacy', plan.versions).length === 0) return modernOnly(machine, verdict, plan)
  if (verdict.because === 'exit') return reconnect(machine, 'probe-ended-it', 'initialize')
  if (verdict.fixed) return reconnect(machine, 'era-fixed', 'initialize', verdict.version)
  return initialize(machine, plan, verdict.version)
}

/** A legacy server, or one that does not answer, met by a client that has only modern versions. */
function modernOnly(machine: Machine, verdict: Extract<Verdict, { era: 'legacy' }>, plan: Plan): Move {
  if (verdict.because === 'timeout') return close(machine, { code: 'timeout' })
  if (verdict.because === 'exit') return close(machine, { code: 'exited' })
  const theirs = verdict.version === undefined ? undefined : [verdict.version]
  const detail = 'the server does not speak the modern era'
  return close(machine, {
    code: 'version-mismatch',
    ours: plan.versions,
    theirs,
    error: verdict.error,
    detail,
  })
}

/** Ends of `initialize` that say nothing of what a server thinks of it. */
const tellsNothing: ReadonlySet<string> = new Set(['closed', 'exit', 'transport', 'cancelled', 'refused'])

function initialized(
  machine: Machine,
  phase: PhaseAt<'initializing'>,
  event: ProbeOutcome,
  plan: Plan,
): Move {
  const answer = readAnswer(event)
  if (answer.is !== 'result') {
    return phase.late && !(answer.is === 'failure' && tellsNothing.has(answer.failure))
      ? settle({ ...machine, cacheable: true }, phase.late)
      : unanswered(machine, phase, answer, plan)
  }
  const theirs = own(answer.value, 'protocolVersion')
  if (typeof theirs !== 'string') {
    return close(machine, { code: 'invalid-answer', detail: 'the answer names no protocolVersion' })
  }
  const version = answeredVersion(answer.value, plan.versions)
  if (version === undefined) {
    const modern = eraOf(theirs) === 'modern'
    const detail = modern ? 'a version without initialize was the answer to initialize' : undefined
    return close(machine, { code: 'version-mismatch', ours: plan.versions, theirs: [theirs], detail })
  }
  return confirm(machine, plan, {
    era: 'legacy',
    version,
    result: answer.value,
    proven: true,
    doubtful: false,
    ...readServerCapabilities(own(answer.value, 'capabilities')),
  })
}

/** No `initialize` result: another version, another era, another process, the older transport, or the end. */
function unanswered(
  machine: Machine,
  phase: PhaseAt<'initializing'>,
  answer: Exclude<Answer, { is: 'result' }>,
  plan: Plan,
): Move {
  const error = answer.is === 'error' ? answer.error : undefined
  const status = answer.is === 'failure' ? undefined : answer.status
  const named = error && supportedBy(error)
  const modern = nextModern(machine, named, error !== undefined && isModernError(error), plan)
  if (modern !== undefined) return probe({ ...machine, trustPrior: false }, plan, modern)
  const counter = named && newestCommon('legacy', plan.versions, named)
  if (counter !== undefined && counter !== phase.version && machine.detours.initialize < 2) {
    return initialize(machine, plan, counter)
  }
  if (named) return close(machine, { code: 'version-mismatch', ours: plan.versions, theirs: named, error })
  if (answer.is === 'failure') return failed(machine, answer, plan)
  const final = status !== undefined && isTransient(status)
  const again = final
    ? undefined
    : (disbelieve(machine, plan) ??
      freshProcess(machine, plan, 'probe-disturbed') ??
      olderTransport(machine, status, plan))
  return again ?? close(machine, { status, error })
}

function failed(
  machine: Machine,
  { failure, message }: Extract<Answer, { is: 'failure' }>,
  plan: Plan,
): Move {
  const ended = failure === 'exit' || failure === 'closed'
  const again =
    ended || failure === 'timeout'
      ? freshProcess(machine, plan, ended ? 'probe-ended-it' : 'probe-disturbed')
      : undefined
  return again ?? close(machine, { failure, detail: message })
}

/** The modern version to ask for after a refused `initialize`: one the server named, or the newest after a modern error. */
function nextModern(
  machine: Machine,
  named: readonly string[] | undefined,
  modernError: boolean,
  plan: Plan,
): string | undefined {
  if (machine.detours.probe >= 2) return undefined
  if (named) return newestCommon('modern', plan.versions, named)
  return modernError && machine.detours.probe === 0 ? versionsOf('modern', plan.versions)[0] : undefined
}

/** A server remembered as legacy that refuses `initialize`: it may have changed, so it is asked (2026-07-28, §Versioning). */
function disbelieve(machine: Machine, plan: Plan): Move | undefined {
  const [modern] = versionsOf('modern', plan.versions)
  const remembered = machine.trustPrior && plan.prior?.era === 'legacy'
  return remembered && modern !== undefined && machine.detours.probe === 0
    ? probe({ ...machine, trustPrior: false }, plan, modern)
    : undefined
}

/** A child process that had to take a probe before `initialize` gets one clean start without it. */
function freshProcess(
  machine: Machine,
  plan: Plan,
  cause: 'probe-ended-it' | 'probe-disturbed',
): Move | undefined {
  return plan.transport === 'stdio' && machine.probed !== undefined && machine.detours.reconnect === 0
    ? reconnect(machine, cause, 'initialize')
    : undefined
}

/** HTTP 400, 404 or 405 to `initialize`: the endpoint may speak HTTP+SSE of 2024-11-05. */
function olderTransport(machine: Machine, status: number | undefined, plan: Plan): Move | undefined {
  const older = status === 400 || status === 404 || status === 405
  return plan.sse && older && plan.transport === 'http' && machine.detours.reconnect === 0
    ? reconnect(machine, 'http+sse', 'initialize')
    : undefined
}

function confirmed(machine: Machine, agreement: Agreement, event: NegotiationEvent): Move {
  if (event.kind === 'sent') return settle(machine, agreement)
  if (event.kind === 'connected') return stay(machine)
  if (event.kind === 'http' && event.status >= 200 && event.status < 300) return settle(machine, agreement)
  const answer = readAnswer(event)
  switch (answer.is) {
    case 'result':
      return settle(machine, agreement)
    case 'error':
      return answer.status === undefined
        ? settle(machine, agreement)
        : close(machine, { error: answer.error, status: answer.status })
    case 'http':
      return close(machine, { status: answer.status })
    case 'failure':
      return close(machine, { failure: answer.failure, detail: answer.message })
  }
}

/** The end of the connection before says nothing of the new one, which either is there or could not be made. */
function reconnected(
  machine: Machine,
  phase: PhaseAt<'reconnecting'>,
  event: NegotiationEvent,
  plan: Plan,
): Move {
  if (event.kind === 'connected') {
    return phase.next === 'start' ? open(machine, plan) : initialize(machine, plan, phase.version)
  }
  if (event.kind !== 'error' || event.failure === undefined || event.failure === 'closed')
    return stay(machine)
  const answer = readAnswer(event)
  return answer.is === 'failure'
    ? close(machine, { failure: answer.failure, detail: answer.message })
    : stay(machine)
}
