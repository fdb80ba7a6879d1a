import type { Key } from '@truename/tool-registry/identity'
import type { Decision } from './decision.ts'
import type { Admission } from './gate.ts'
import { showLine } from './show.ts'

const kinds = { tool: 'tool', prompt: 'prompt', resource: 'resource' } as const

/** What the caller is told of a refusal, or of a question that is still open. Holds no text of a server. */
export function refusalText(key: Key, refused: Decision | Admission): string {
  const what = `The ${kinds[key.kind]} ${showLine(JSON.stringify(key.name))} of the server ${showLine(JSON.stringify(key.server))}`
  const why = `${showLine(refused.reason)} [${refused.rule}]`
  if (refused.verdict === 'ask') {
    const question = 'request' in refused ? ` The question is open under the id ${refused.request.id}.` : ''
    return `${what} was not used: a person has to allow it first (${why}).${question} Nothing was sent to the server.`
  }
  const stop =
    refused.repeated === undefined ? '' : ' Do not make this call again; go on without it or ask the user.'
  return `${what} was not used: ${why}. Nothing was sent to the server.${stop}`
}

/** The refusal of a tool call as a tool error, which a model sees. */
export const refusalResult = (key: Key, refused: Decision | Admission) => ({
  content: [{ type: 'text' as const, text: refusalText(key, refused) }],
  isError: true as const,
})

/** The refusal of a prompt or a reading as a JSON-RPC error. */
export const refusalError = (key: Key, refused: Decision | Admission) => ({
  code: -32000,
  message: refusalText(key, refused),
  data: { verdict: refused.verdict, rule: refused.rule },
})
