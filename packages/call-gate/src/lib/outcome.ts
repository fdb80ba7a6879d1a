import type { Key } from '@truename/tool-registry/identity'
import { findDenial } from './denial.ts'
import type { DenialPattern } from './policy.ts'

/** What became of a request, as the adapters report it; nothing of it is trusted. */
export type CallOutcome =
  | { readonly kind: 'result'; readonly value: object }
  | { readonly kind: 'input_required'; readonly value: object }
  /** Without `failure` the peer itself answered with the error. */
  | {
      readonly kind: 'error'
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
      readonly failure?: string | undefined
    }

/**
 * The classes that are kept apart in logs and metrics. `tool-error`: the tool ran and says it failed (`isError`).
 * `protocol-error`: the request itself failed, at the peer or on the way. `refused`: it was not permitted, by this
 * side or, in plain words, by the server. `input-required`: not finished; the server wants something first.
 */
export type OutcomeClass = 'success' | 'tool-error' | 'protocol-error' | 'refused' | 'input-required'

/** An outcome with what led to its class. */
export interface ClassifiedOutcome {
  readonly class: OutcomeClass
  /** Who refused, where it was refused. */
  readonly by?: 'gate' | 'server' | undefined
  /** The server's text that a denial pattern recognised; hostile until shown otherwise. */
  readonly denial?: string | undefined
}

/** What is needed to recognise a denial in plain content. */
export interface ClassifyOptions {
  readonly key: Key
  readonly denials: readonly DenialPattern[]
}

/** Classifies an outcome and says what the class rests on. */
export function examineOutcome(outcome: CallOutcome, options?: ClassifyOptions): ClassifiedOutcome {
  if (outcome.kind === 'input_required') return { class: 'input-required' }
  if (outcome.kind === 'error') {
    return outcome.failure === 'refused' ? { class: 'refused', by: 'gate' } : { class: 'protocol-error' }
  }
  const denial = options && findDenial(options.denials, options.key, outcome.value)
  if (denial !== undefined) return { class: 'refused', by: 'server', denial }
  return { class: 'isError' in outcome.value && outcome.value.isError === true ? 'tool-error' : 'success' }
}

/** The class of an outcome. With the policy's denial patterns, refusals in plain content are recognised too. */
export const classifyOutcome = (outcome: CallOutcome, options?: ClassifyOptions): OutcomeClass =>
  examineOutcome(outcome, options).class
