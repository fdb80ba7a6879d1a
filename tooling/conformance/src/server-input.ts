import {
  type DownstreamContext,
  errorAnswer,
  isJsonObject,
  type JsonObject,
  type Outcome,
} from '@truename/mcp-link'

// Tools that need input of their client first, as the suite describes them (2026-07-28, basic/patterns/mrtr).

type Tool = (args: JsonObject, context: DownstreamContext) => Promise<Outcome>

const text = (value: string): Outcome => ({
  kind: 'result',
  value: { content: [{ type: 'text', text: value }] },
})
const require = (inputRequests: JsonObject, requestState?: string): Outcome => ({
  kind: 'input_required',
  value: {
    resultType: 'input_required',
    inputRequests,
    ...(requestState === undefined ? {} : { requestState }),
  },
})
const elicit = (message: string, properties: JsonObject): JsonObject => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } },
})
const sample = (question: string): JsonObject => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: question } }], maxTokens: 100 },
})
const roots: JsonObject = { method: 'roots/list', params: {} }
const name = { name: { type: 'string' } }

/** The answer under a key, where it is one. */
function answered({ retry }: DownstreamContext, key: string): JsonObject | undefined {
  const answer = retry?.inputResponses[key]
  return isJsonObject(answer) ? answer : undefined
}
/** A form that was accepted, with the member that was asked for. */
function accepted(context: DownstreamContext, key: string, member: string): string | undefined {
  const answer = answered(context, key)
  const value =
    answer?.action === 'accept' && isJsonObject(answer.content) ? answer.content[member] : undefined
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined
}

/** The tools, by name. */
export const inputTools: Record<string, Tool> = {
  test_input_required_result_elicitation: async (_args, context) => {
    const who = accepted(context, 'user_name', 'name')
    return who === undefined
      ? require({ user_name: elicit('What is your name?', name) })
      : text(`Hello, ${who}!`)
  },
  test_input_required_result_sampling: async (_args, context) => {
    const answer = answered(context, 'capital_question')
    if (!answer) return require({ capital_question: sample('What is the capital of France?') })
    return text(isJsonObject(answer.content) ? String(answer.content.text) : JSON.stringify(answer.content))
  },
  test_input_required_result_list_roots: async (_args, context) => {
    const answer = answered(context, 'client_roots')
    return answer ? text(`Roots: ${JSON.stringify(answer.roots)}`) : require({ client_roots: roots })
  },
  test_input_required_result_request_state: async (_args, context) => {
    const ok = accepted(context, 'confirm', 'ok')
    if (ok === undefined)
      return require({ confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) }, 'confirming')
    return context.retry?.requestState === 'confirming'
      ? text('state-ok')
      : errorAnswer(-32602, 'The state is missing')
  },
  test_input_required_result_multiple_inputs: async (_args, context) => {
    const who = accepted(context, 'user_name', 'name')
    const [greeting, client] = [answered(context, 'greeting'), answered(context, 'client_roots')]
    if (who !== undefined && greeting && client) return text(`Name: ${who}, greeting and roots received`)
    return require({
      user_name: elicit('What is your name?', name),
      greeting: sample('Generate a greeting'),
      client_roots: roots,
    }, 'several')
  },
  test_input_required_result_multi_round: async (_args, context) => {
    const state = context.retry?.requestState
    const first = accepted(context, 'step1', 'name')
    if (state === 'round-1' && first !== undefined) {
      return require({
        step2: elicit('Step 2: What is your favorite color?', { color: { type: 'string' } }),
      }, `round-2 ${first}`)
    }
    const colour = accepted(context, 'step2', 'color')
    if (state?.startsWith('round-2 ') && colour !== undefined)
      return text(`${state.slice(8)} likes ${colour}`)
    return require({ step1: elicit('Step 1: What is your name?', name) }, 'round-1')
  },
  test_input_required_result_tampered_state: async (_args, context) =>
    context.retry?.requestState === 'untouched'
      ? text('state-ok')
      : require({ confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) }, 'untouched'),
  test_input_required_result_capabilities: async (_args, context) => {
    if (context.retry) return text('done')
    const { capabilities } = context.client
    return require({
      ...(capabilities.sampling === undefined ? {} : { sampled: sample('Say something') }),
      ...(capabilities.elicitation === undefined ? {} : { elicited: elicit('Your name?', name) }),
    })
  },
  test_streaming_elicitation: async (_args, context) => {
    const who = accepted(context, 'user_name', 'name')
    return who === undefined
      ? require({ user_name: elicit('What is your name?', name) })
      : text(`Hello, ${who}!`)
  },
}

/** A prompt that needs a context first. */
export function requirePrompt(context: DownstreamContext): Outcome {
  const given = accepted(context, 'user_context', 'context')
  if (given === undefined) {
    return require({
      user_context: elicit('What context should the prompt use?', { context: { type: 'string' } }),
    })
  }
  return {
    kind: 'result',
    value: { messages: [{ role: 'user', content: { type: 'text', text: `Context: ${given}` } }] },
  }
}
