import {
  type CallContext,
  isJsonObject,
  type Json,
  type JsonObject,
  listSurface,
  type Outcome,
  type Upstream,
  type WireError,
} from '@truename/mcp-link'
import { connect } from '@truename/sdk-v2'
import { createLogin } from './login.ts'

// The client the conformance suite starts: the server's URL is its argument, the scenario stands in the environment.

const url = process.argv[2] ?? ''
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  readonly client_id?: string
  readonly client_secret?: string
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[]
}
const era = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28' ? 'modern' : 'legacy'
const { client_id } = context
const login = createLogin(
  client_id === undefined
    ? undefined
    : { client_id, ...(context.client_secret ? { client_secret: context.client_secret } : {}) },
)

/** A person who accepts every form as it is. */
function answer(method: string, params: JsonObject): JsonObject {
  if (method === 'roots/list') return { roots: [{ uri: 'file:///r', name: 'r' }] }
  if (method === 'sampling/createMessage')
    return { role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } }
  const schema = isJsonObject(params.requestedSchema) ? params.requestedSchema : {}
  const properties = Object.entries(isJsonObject(schema.properties) ? schema.properties : {})
  const content = properties.flatMap(([name, property]): [string, Json][] => {
    if (!isJsonObject(property)) return []
    if (property.default !== undefined) return [[name, property.default]]
    return [[name, property.type === 'boolean' ? true : property.type === 'string' ? 'text' : 1]]
  })
  return { action: 'accept', content: Object.fromEntries(content) }
}

async function open(): Promise<Upstream> {
  for (let attempt = 0; ; attempt += 1) {
    const connected = await connect(
      { id: 'conformance', written: {}, options: {}, kind: 'http', url, headers: {} },
      {
        client: { name: 'truename-conformance', version: '1.0.0' },
        capabilities: { roots: {}, sampling: {}, elicitation: { form: { applyDefaults: true } } },
        era,
        ...(scenario.startsWith('auth/') ? { authProvider: login.provider } : {}),
        onEvent: ({ level, message }) => console.error(level, message),
      },
    )
    if (connected.ok) return connected.upstream
    const { failure } = connected
    if (attempt < 3 && failure.code === 'unauthorized' && (await login.finish(url, failure.challenge)))
      continue
    throw new Error(`${failure.code}: ${failure.message}`)
  }
}

/** What a server asked for in a 401 or 403. */
const challengeIn = (error: WireError | undefined): string | undefined => {
  const challenge = isJsonObject(error?.data) ? error.data.challenge : undefined
  return typeof challenge === 'string' ? challenge : undefined
}

/** Calls a tool, answering what it asks, and logging in again where that is asked for. */
async function call(upstream: Upstream, name: string, args: JsonObject): Promise<Outcome> {
  let retry: CallContext['retry']
  const ask = async (method: string, params: JsonObject): Promise<Outcome> => ({
    kind: 'result',
    value: answer(method, params),
  })
  for (let round = 0; round < 8; round += 1) {
    const outcome = await upstream.request('tools/call', { name, arguments: args }, { ask, retry })
    if (outcome.kind === 'input_required') {
      const { inputRequests, requestState } = outcome.value
      const asked = Object.entries(isJsonObject(inputRequests) ? inputRequests : {}) as [
        string,
        { method: string; params?: JsonObject },
      ][]
      retry = {
        inputResponses: Object.fromEntries(
          asked.map(([key, { method, params }]) => [key, answer(method, params ?? {})]),
        ),
        ...(typeof requestState === 'string' ? { requestState } : {}),
      }
    } else if (
      outcome.kind === 'error' &&
      outcome.failure === 'transport' &&
      (await login.finish(url, challengeIn(outcome.error)))
    ) {
      // The SDK asked for more scope on the way; with the new token the call is made again.
    } else return outcome
  }
  throw new Error(`${name} was never done`)
}

const sample = (schema: unknown): JsonObject => {
  const properties = Object.entries(
    isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {},
  )
  return Object.fromEntries(
    properties.map(([name, property]): [string, Json] => [
      name,
      !isJsonObject(property) || property.type === 'string' ? 'text' : property.type === 'boolean' ? true : 5,
    ]),
  )
}

const upstream = await open()
let { tools } = await listSurface(upstream)
if (tools.state === 'failed' && (await login.finish(url, challengeIn(tools.error))))
  tools = (await listSurface(upstream)).tools
if (tools.state === 'failed') console.error('tools/list failed', tools.error, tools.warnings)
if (context.toolCalls) {
  for (const { name, arguments: args } of context.toolCalls) await call(upstream, name, args)
} else if (scenario !== 'json-schema-ref-no-deref') {
  for (const tool of tools.items) {
    const outcome = await call(upstream, String(tool.name), sample(tool.inputSchema))
    console.error(tool.name, JSON.stringify(outcome).slice(0, 200))
  }
}
await upstream.close()
