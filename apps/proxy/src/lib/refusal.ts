import { type JsonObject, type Outcome, refusedMeta } from '@truename/mcp-link'
import type { Key } from '@truename/tool-registry'
import type { GuardedOutcome } from './guarded-call.ts'

type NotAnswered = Exclude<GuardedOutcome, { kind: 'answered' }>

/** Implementation-defined errors of JSON-RPC; clients may assume no meaning. */
const refusedCode = -32000

const messageOf = (outcome: NotAnswered): string =>
  outcome.kind === 'refused' ? outcome.reason : outcome.unavailable.message

const metaOf = (key: Key, outcome: NotAnswered): JsonObject =>
  outcome.kind === 'unavailable'
    ? {}
    : {
        [refusedMeta]: {
          ...key,
          reason:
            outcome.field !== undefined
              ? 'held'
              : outcome.rule.startsWith('default') || outcome.rule.startsWith('approval')
                ? 'approval'
                : 'policy',
          message: outcome.reason,
          ...(outcome.field !== undefined && { field: outcome.field }),
        },
      }

/** A refused or impossible tool call: a tool error, so that the model is told and can do something else. */
export const toolRefusal = (key: Key, outcome: NotAnswered): Outcome => ({
  kind: 'result',
  value: {
    content: [{ type: 'text', text: `${sentence(messageOf(outcome))} The call was not sent.` }],
    isError: true,
    _meta: metaOf(key, outcome),
  },
})

/** A refused or impossible prompt or reading: these have no error in their result. */
export const requestRefusal = (key: Key, outcome: NotAnswered): Outcome => ({
  kind: 'error',
  error: {
    code: refusedCode,
    message: messageOf(outcome),
    data: { server: key.server, reason: outcome.kind, _meta: metaOf(key, outcome) },
  },
})

const sentence = (text: string): string => {
  const upper = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(upper) ? upper : `${upper}.`
}
