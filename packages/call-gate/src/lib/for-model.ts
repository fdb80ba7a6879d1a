import type { CallOutcome } from './outcome.ts'
import { showLine } from './show.ts'

/** What a model is given of an outcome. */
export interface ForModelOptions {
  /**
   * Protocol errors say more about the client than about the task (2025-11-25, Tools, Error Handling): `withhold`
   * them, as usual, or `tell` them as tool errors.
   */
  readonly protocolErrors?: 'withhold' | 'tell' | undefined
}

/**
 * The result to put before the model: a tool result as it came, `isError` or not; `undefined` for what is not for
 * the model, an unfinished call included.
 */
export function forModel(outcome: CallOutcome, options: ForModelOptions = {}): object | undefined {
  if (outcome.kind === 'result') return outcome.value
  if (outcome.kind === 'input_required') return undefined
  if (options.protocolErrors !== 'tell') return undefined
  const { code, message } = outcome.error
  return {
    content: [{ type: 'text', text: `The call failed: ${showLine(message)} (${code})` }],
    isError: true,
  }
}
