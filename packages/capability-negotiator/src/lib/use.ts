import { advance, isAnswer, late } from './advance.ts'
import { type JsonObject, own } from './json.ts'
import {
  close,
  type Machine,
  type Move,
  modernAgreement,
  type PhaseAt,
  type Plan,
  probe,
  reconnect,
  settle,
  stay,
} from './machine.ts'
import type { NegotiationEvent, ProbeOutcome, WireError } from './outcome.ts'
import {
  type Answer,
  classifyProbe,
  isModernError,
  isTransient,
  MODERN_ERRORS,
  readAnswer,
  supportedBy,
} from './probe.ts'
import { newestCommon, versionsOf } from './versions.ts'

/** Asks a modern server for its capabilities while the connection is in use. */
export function refresh(machine: Machine, plan: Plan): Move {
  const { phase } = machine
  if (phase.at !== 'ready' || phase.agreement.era !== 'modern') return stay(machine)
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

/** Takes an event while the connection is in use: the answer to a refresh, or the end of the connection. */
export function receiveInUse(
  machine: Machine,
  phase: PhaseAt<'ready'>,
  event: NegotiationEvent,
  plan: Plan,
): Move {
  if (!isAnswer(event)) return stay(machine)
  if (event.exchange !== undefined && event.exchange !== phase.refreshing) return late(machine, event, plan)
  if (ends(event, plan)) return ended(machine, phase, event)
  if (phase.refreshing === undefined) return stay(machine)
  const settled: Machine = { ...machine, phase: { at: 'ready', agreement: phase.agreement } }
  const verdict = classifyProbe(event, plan)
  if (verdict.era === 'modern' && verdict.usable && verdict.discovered) {
    return settle(settled, modernAgreement(verdict.version, verdict.discovered, true))
  }
  const answer = readAnswer(event)
  if (answer.is === 'error' && isModernError(answer.error))
    return versionRefused(settled, answer.error, plan, 'ready')
  if (verdict.era !== 'legacy' || phase.agreement.proven) return stay(settled)
  // It was only remembered to be modern, or taken for it: this is the answer a probe would have got.
  const { version } = phase.agreement
  return advance(
    { ...settled, trustPrior: false, phase: { at: 'probing', exchange: phase.refreshing, version } },
    event,
    plan,
  )
}

/** Over HTTP a broken response is the fate of one request; the connection ends with `exit` only. */
const ends = (event: ProbeOutcome, { transport }: Plan): boolean =>
  event.kind === 'exit' || (transport === 'stdio' && event.kind === 'error' && event.failure === 'closed')

/** Ended before it showed what it is: what was remembered of it may be wrong, and is not to be remembered again. */
function ended(machine: Machine, phase: PhaseAt<'ready'>, event: ProbeOutcome): Move {
  const answer = readAnswer(event)
  const remembered = !phase.agreement.proven
  const said = answer.is === 'failure' ? answer.message : ''
  const detail = remembered ? `verdict-contradicted: it ended before it showed its era; ${said}` : said
  return close({ ...machine, cacheable: machine.cacheable && !remembered }, { failure: 'exit', detail })
}

/** What the outcome of an ordinary request means for the connection. */
export interface Observation {
  readonly move: Move
  /** The -32601 that says the server does not have the method. */
  readonly unimplemented?: WireError | undefined
}

/**
 * Reads the outcome of an ordinary request: a version no longer supported (2026-07-28, -32022), a session the server
 * forgot (legacy HTTP), a server that is of another era than was remembered, a method it does not have.
 */
export function observe(machine: Machine, outcome: NegotiationEvent, plan: Plan): Observation {
  const { phase } = machine
  if (phase.at !== 'ready' || !isAnswer(outcome)) return { move: stay(machine) }
  if (ends(outcome, plan)) return { move: ended(machine, phase, outcome) }
  // input_required is an outcome of ordinary requests, and one only modern servers give.
  if (outcome.kind === 'input_required') return { move: stay(good(machine, phase)) }
  const answer = readAnswer(outcome)
  const move =
    phase.agreement.era === 'legacy'
      ? observeLegacy(machine, phase, answer, outcome, plan)
      : observeModern(machine, phase, answer, plan)
  return answer.is === 'error' && answer.error.code === -32601 && move.machine.phase.at === 'ready'
    ? { move, unimplemented: answer.error }
    : { move }
}

const good = (machine: Machine, phase: PhaseAt<'ready'>): Machine =>
  phase.agreement.proven && machine.losses === 0
    ? machine
    : { ...machine, losses: 0, phase: { ...phase, agreement: { ...phase.agreement, proven: true } } }

function observeLegacy(
  machine: Machine,
  phase: PhaseAt<'ready'>,
  answer: Answer,
  outcome: ProbeOutcome,
  plan: Plan,
): Move {
  if (plan.transport === 'http' && outcome.kind === 'http' && forgotSession(outcome)) {
    return machine.losses > 0
      ? close(machine, { code: 'session-lost', status: outcome.status })
      : reconnect({ ...machine, losses: machine.losses + 1 }, 'session-lost', 'initialize')
  }
  if (becameModern(answer, plan)) {
    return reconnect({ ...machine, trustPrior: false }, 'verdict-contradicted', 'start')
  }
  return answer.is === 'result' || answer.is === 'error' ? stay(good(machine, phase)) : stay(machine)
}

/**
 * Whether an endpoint that took `initialize` now is a modern one. Its codes lie in a range that legacy servers use as
 * they like, so only what a modern server must answer to a legacy request counts: 400 with one of these two.
 */
const becameModern = (answer: Answer, { transport, versions }: Plan): boolean =>
  transport === 'http' &&
  answer.is === 'error' &&
  answer.status === 400 &&
  answer.error.code !== MODERN_ERRORS.capability &&
  isModernError(answer.error) &&
  versionsOf('modern', versions).length > 0

/** Codes under which servers made after a widespread example answer to a session that they do not know. */
const SESSION_CODES: ReadonlySet<number> = new Set([-32000, -32001])
/** What such an answer says; a word alone, in the error of a tool for one, says nothing of the session. */
const NO_SESSION =
  /\bsession[ _-]?id\b|\b(?:unknown|invalid|expired|no valid|no such) session\b|\bsession (?:is |was |has )?(?:not |un)(?:found|known|valid|initialized)|\bsession (?:is |was |has )?(?:been )?(?:expired|terminated|closed|invalid)/i

/**
 * Whether an outcome says that the server forgot the session, and so did not carry the request out: 404 (2025-11-25,
 * §Session Management), or a 400 with the error that servers made after a widespread example answer with. Only a
 * request that carried a session id counts.
 */
export function forgotSession(outcome: NegotiationEvent): boolean {
  if (outcome.kind !== 'http' || outcome.sessionId === false) return false
  if (outcome.status === 404) return true
  if (outcome.status !== 400) return false
  const answer = readAnswer(outcome)
  return (
    answer.is === 'error' &&
    SESSION_CODES.has(answer.error.code) &&
    NO_SESSION.test(answer.error.message.slice(0, 200))
  )
}

function observeModern(machine: Machine, phase: PhaseAt<'ready'>, answer: Answer, plan: Plan): Move {
  if (answer.is === 'error' && isModernError(answer.error)) {
    return versionRefused(good(machine, phase), answer.error, plan, 'resend')
  }
  if (answer.is === 'result' && showsModern(answer.value)) return stay(good(machine, phase))
  if (phase.agreement.proven || saysNothing(answer)) return stay(machine)
  if (plan.transport === 'http' && refusedAsLegacy(answer)) {
    return reconnect({ ...machine, trustPrior: false }, 'verdict-contradicted', 'start')
  }
  return stay({ ...machine, phase: { ...phase, agreement: { ...phase.agreement, doubtful: true } } })
}

/**
 * Whether an HTTP endpoint refused a modern request as only a legacy one does: 4xx without the JSON-RPC error that a
 * modern server owes at that status (400 with -32602, 404 with -32601). The request was not carried out.
 */
function refusedAsLegacy(answer: Answer): boolean {
  if (answer.is === 'http') return answer.status >= 400
  if (answer.is !== 'error' || answer.status === undefined || answer.status < 400) return false
  const owed = answer.status === 400 ? -32602 : answer.status === 404 ? -32601 : undefined
  return answer.error.code !== owed
}

const showsModern = (result: JsonObject): boolean =>
  typeof own(result, 'resultType') === 'string' ||
  own(own(result, '_meta'), 'io.modelcontextprotocol/serverInfo') !== undefined

/** Answers that say nothing of the server's era: logins, faults, the network, what the driver took back. */
const saysNothing = (answer: Answer): boolean => {
  if (answer.is === 'failure') return answer.failure !== 'timeout' && answer.failure !== 'invalid'
  if (answer.is === 'result' || answer.status === undefined) return false
  return isTransient(answer.status)
}

/** -32022 on a request: another modern version, the other era, or no way on. Other modern errors are the caller's. */
function versionRefused(machine: Machine, error: WireError, plan: Plan, step: 'resend' | 'ready'): Move {
  const { phase } = machine
  const supported = supportedBy(error)
  if (phase.at !== 'ready' || error.code !== MODERN_ERRORS.version || supported === undefined)
    return stay(machine)
  const version = newestCommon('modern', plan.versions, supported)
  if (version === phase.agreement.version) {
    // Refused at another version: it was under way while that one was replaced.
    const requested = own(error.data, 'requested')
    const outdated = typeof requested === 'string' && requested !== version
    return outdated ? { machine, step: { do: step } } : stay(machine)
  }
  if (version !== undefined) {
    const agreement = { ...phase.agreement, version }
    return { machine: { ...machine, phase: { ...phase, agreement } }, step: { do: step } }
  }
  if (newestCommon('legacy', plan.versions, supported) !== undefined) {
    return reconnect({ ...machine, trustPrior: false }, 'verdict-contradicted', 'start')
  }
  return close(machine, { code: 'version-mismatch', ours: plan.versions, theirs: supported, error })
}
