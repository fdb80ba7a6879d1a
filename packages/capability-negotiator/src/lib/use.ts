import type { JsonObject } from './json.ts'
import { close, type Machine, type Move, type Plan, reconnect, standing } from './machine.ts'
import type { NegotiationEvent, WireError } from './outcome.ts'
import { isModernError, MODERN_ERRORS, readAnswer, supportedBy } from './probe.ts'
import { newestCommon } from './versions.ts'

/** What the outcome of an ordinary request means for the connection. */
export interface Observation {
  readonly move: Move
  /** The -32601 that says the server does not have the method. */
  readonly unimplemented?: WireError | undefined
}

/**
 * Reads the outcome of an ordinary request: a version that is no longer supported (2026-07-28, -32022), a session
 * the server forgot (legacy HTTP 404), a server that changed its era, a method it does not have.
 */
export function observeInUse(
  machine: Machine,
  _request: { readonly method: string; readonly params?: JsonObject | undefined },
  outcome: NegotiationEvent,
  plan: Plan,
): Observation {
  const { phase } = machine
  const stay: Observation = { move: { machine, step: standing(machine) } }
  if (phase.at !== 'ready' || outcome.kind === 'sent' || outcome.kind === 'connected') return stay
  const { agreement } = phase
  const again = (cause: 'session-lost' | 'verdict-contradicted'): Observation => ({
    move: reconnect({ ...machine, trustPrior: false }, cause, {
      next: cause === 'session-lost' ? 'initialize' : 'start',
    }),
  })
  const answer = readAnswer(outcome)
  const status = answer.is === 'http' || answer.is === 'error' ? answer.status : undefined
  if (agreement.era === 'legacy' && plan.transport === 'http' && status === 404) return again('session-lost')
  if (answer.is !== 'error') return stay
  const { error } = answer
  if (error.code === -32601) return { ...stay, unimplemented: error }
  if (agreement.era === 'legacy') return isModernError(error) ? again('verdict-contradicted') : stay
  const supported = error.code === MODERN_ERRORS.version ? supportedBy(error) : undefined
  if (supported === undefined) return stay
  const version = newestCommon('modern', plan.versions, supported)
  if (version === agreement.version) return stay
  if (version !== undefined) {
    return {
      move: {
        machine: { ...machine, phase: { ...phase, agreement: { ...agreement, version } } },
        step: { do: 'resend' },
      },
    }
  }
  if (newestCommon('legacy', plan.versions, supported) !== undefined) return again('verdict-contradicted')
  return { move: close(machine, { code: 'version-mismatch', ours: plan.versions, theirs: supported, error }) }
}
