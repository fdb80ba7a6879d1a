import { type JsonObject, type Outcome, type RefusedMeta, refusedMeta } from '@truename/mcp-link'
import type { Key } from '@truename/tool-registry'
import type { GuardedOutcome } from './guarded-call.ts'

type NotAnswered = Exclude<GuardedOutcome, { kind: 'answered' }>

/** Implementation-defined errors of JSON-RPC; clients may assume no meaning. */
const refusedCode = -32000

const textOf = (outcome: NotAnswered): string =>
  outcome.kind === 'refused' ? outcome.text : outcome.unavailable.message

function metaOf(key: Key, outcome: NotAnswered): JsonObject {
  if (outcome.kind === 'unavailable') return {}
  const reason = outcome.field !== undefined ? 'held' : outcome.verdict === 'ask' ? 'approval' : 'policy'
  const refused: RefusedMeta = { ...key, reason, message: outcome.text }
  return { [refusedMeta]: outcome.field === undefined ? refused : { ...refused, field: outcome.field } }
}

/** A refused or impossible tool call: a tool error, so that the model is told and can do something else. */
export const toolRefusal = (key: Key, outcome: NotAnswered): Outcome => ({
  kind: 'result',
  value: { content: [{ type: 'text', text: textOf(outcome) }], isError: true, _meta: metaOf(key, outcome) },
})

/** A refused or impossible prompt or reading: these have no error in their result. */
export const requestRefusal = (key: Key, outcome: NotAnswered): Outcome => ({
  kind: 'error',
  error: {
    code: refusedCode,
    message: textOf(outcome),
    data: { server: key.server, reason: outcome.kind, _meta: metaOf(key, outcome) },
  },
})
