import { setTimeout as sleep } from 'node:timers/promises'
import {
  type DownstreamContext,
  errorAnswer,
  isJsonObject,
  type Json,
  type JsonObject,
  type Outcome,
  type Service,
} from '@truename/mcp-link'
import { serveHttp } from '@truename/sdk-v2'
import { inputTools, requirePrompt } from './server-input.ts'

// The server the conformance suite is written against: it asks for these names and texts.

const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const audio = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

/** A content block of text. */
export const text = (value: string): JsonObject => ({ type: 'text', text: value })
const content = (...blocks: JsonObject[]): Outcome => ({ kind: 'result', value: { content: blocks } })
const embedded = (uri: string, mimeType: string, body: string): JsonObject => ({
  type: 'resource',
  resource: { uri, mimeType, text: body },
})

type Tool = (args: JsonObject, context: DownstreamContext) => Promise<Outcome>

/** Asks the client something and tells what it answered. */
const asking =
  (method: string, params: (args: JsonObject) => JsonObject, tell: (value: JsonObject) => string): Tool =>
  async (args, { ask }) => {
    const outcome = await ask?.(method, params(args))
    return content(
      text(
        outcome?.kind === 'result'
          ? tell(outcome.value)
          : `not supported: ${outcome?.kind === 'error' && outcome.error.message}`,
      ),
    )
  }
const form = (message: string, properties: JsonObject, required: string[] = []): JsonObject => ({
  mode: 'form',
  message,
  requestedSchema: { type: 'object', properties, required },
})
const elicited = (value: JsonObject): string =>
  `action=${value.action}, content=${JSON.stringify(value.content ?? {})}`
const colours = (title: string) =>
  ['value1', 'value2', 'value3'].map((constant, index) => ({
    const: constant,
    title: `${title} ${index + 1}`,
  }))

/** Says that a list has changed to everyone who listens for it. */
const changed = async (family: 'tools' | 'prompts'): Promise<Outcome> => {
  await endpoint.broadcast(`notifications/${family}/list_changed`)
  return content(text(`${family} changed`))
}

const tools: Record<string, Tool> = {
  test_simple_text: async () => content(text('This is a simple text response for testing.')),
  test_image_content: async () => content({ type: 'image', data: image, mimeType: 'image/png' }),
  test_audio_content: async () => content({ type: 'audio', data: audio, mimeType: 'audio/wav' }),
  test_embedded_resource: async () =>
    content(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  test_multiple_content_types: async () =>
    content(
      text('Multiple content types test:'),
      { type: 'image', data: image, mimeType: 'image/png' },
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  test_tool_with_logging: async (_args, { notify }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await notify?.('notifications/message', { level: 'info', data })
      await sleep(50)
    }
    return content(text('Tool with logging executed successfully'))
  },
  test_logging_tool: async (_args, { notify }) => {
    await notify?.('notifications/message', { level: 'info', data: 'logged' })
    return content(text('logged'))
  },
  test_tool_with_progress: async (_args, { progress }) => {
    for (const step of [0, 50, 100]) {
      progress?.({ progress: step, total: 100, message: `Completed step ${step} of 100` })
      await sleep(20)
    }
    return content(text('done'))
  },
  test_error_handling: async () => ({
    kind: 'result',
    value: { isError: true, content: [text('This tool intentionally returns an error for testing')] },
  }),
  test_sampling: asking(
    'sampling/createMessage',
    ({ prompt }) => ({ messages: [{ role: 'user', content: text(String(prompt)) }], maxTokens: 100 }),
    (value) => `LLM response: ${isJsonObject(value.content) ? value.content.text : ''}`,
  ),
  test_elicitation: asking(
    'elicitation/create',
    ({ message }) =>
      form(String(message), { response: { type: 'string', description: "User's response" } }, ['response']),
    (value) => `User response: ${elicited(value)}`,
  ),
  test_elicitation_sep1034_defaults: asking(
    'elicitation/create',
    () =>
      form('Please review and update the form fields with defaults', {
        name: { type: 'string', description: 'User name', default: 'John Doe' },
        age: { type: 'integer', description: 'User age', default: 30 },
        score: { type: 'number', description: 'User score', default: 95.5 },
        status: {
          type: 'string',
          description: 'User status',
          enum: ['active', 'inactive', 'pending'],
          default: 'active',
        },
        verified: { type: 'boolean', description: 'Verification status', default: true },
      }),
    (value) => `Elicitation completed: ${elicited(value)}`,
  ),
  test_elicitation_sep1330_enums: asking(
    'elicitation/create',
    () =>
      form('Please select options from the enum fields', {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: { type: 'string', oneOf: colours('Option') },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: { type: 'array', items: { anyOf: colours('Choice') } },
      }),
    (value) => `Elicitation completed: ${elicited(value)}`,
  ),
  test_missing_capability: async (_args, { client }) =>
    client.capabilities.sampling === undefined
      ? errorAnswer(-32021, 'This tool needs sampling', { requiredCapabilities: { sampling: {} } })
      : content(text('The client can sample.')),
  test_custom_header: async ({ region }) => content(text(`Region: ${region}`)),
  test_trigger_tool_change: async () => changed('tools'),
  test_trigger_prompt_change: async () => changed('prompts'),
  json_schema_2020_12_tool: async (args) => content(text(JSON.stringify(args))),
  ...inputTools,
}

const schemas: Record<string, JsonObject> = {
  test_custom_header: {
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    required: ['region'],
  },
  test_sampling: { properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  test_elicitation: { properties: { message: { type: 'string' } }, required: ['message'] },
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
}

const resources: Record<string, JsonObject> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: image },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' },
  'test://example-resource': { mimeType: 'text/plain', text: 'An example.' },
}

const read = (uri: string): Outcome => {
  const known = Object.hasOwn(resources, uri) ? resources[uri] : undefined
  if (known) return { kind: 'result', value: { contents: [{ uri, ...known }] } }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined) return errorAnswer(-32602, `Resource not found: ${uri}`, { uri })
  const body = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
  return { kind: 'result', value: { contents: [{ uri, mimeType: 'application/json', text: body }] } }
}

const user = (block: JsonObject): JsonObject => ({ role: 'user', content: block })
const prompts: Record<string, (args: JsonObject) => JsonObject[]> = {
  test_simple_prompt: () => [user(text('This is a simple prompt for testing.'))],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    user(embedded(String(resourceUri), 'text/plain', 'Embedded resource content for testing.')),
    user(text('Please process the embedded resource above.')),
  ],
  test_prompt_with_image: () => [
    user({ type: 'image', data: image, mimeType: 'image/png' }),
    user(text('Please analyze the image above.')),
  ],
}
const promptArguments: Record<string, string[]> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
}

async function handle(method: string, params: JsonObject, context: DownstreamContext): Promise<Outcome> {
  const name = String(params.name)
  const args = isJsonObject(params.arguments) ? params.arguments : {}
  const list = (member: string, items: Json[]): Outcome => ({ kind: 'result', value: { [member]: items } })
  switch (method) {
    case 'tools/list':
      return list(
        'tools',
        Object.keys(tools).map((tool) => ({
          name: tool,
          description: `Conformance: ${tool}`,
          inputSchema: { type: 'object', ...schemas[tool] },
        })),
      )
    case 'tools/call': {
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
      return tool ? tool(args, context) : errorAnswer(-32602, `Unknown tool: ${name}`)
    }
    case 'resources/list':
      return list(
        'resources',
        Object.entries(resources).map(([uri, { mimeType }]) => ({
          uri,
          name: uri.slice(7),
          description: uri,
          mimeType,
        })),
      )
    case 'resources/templates/list':
      return list('resourceTemplates', [
        {
          uriTemplate: 'test://template/{id}/data',
          name: 'template',
          description: 'Data by id',
          mimeType: 'application/json',
        },
      ])
    case 'resources/read':
      return read(String(params.uri))
    case 'prompts/list':
      return list(
        'prompts',
        [...Object.keys(prompts), 'test_input_required_result_prompt'].map((prompt) => ({
          name: prompt,
          description: prompt,
          arguments: (promptArguments[prompt] ?? []).map((argument) => ({
            name: argument,
            description: argument,
            required: true,
          })),
        })),
      )
    case 'prompts/get': {
      if (name === 'test_input_required_result_prompt') return requirePrompt(context)
      const prompt = Object.hasOwn(prompts, name) ? prompts[name] : undefined
      return prompt ? list('messages', prompt(args)) : errorAnswer(-32602, `Unknown prompt: ${name}`)
    }
    case 'completion/complete':
      return {
        kind: 'result',
        value: { completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } },
      }
    case 'logging/setLevel':
      return { kind: 'result', value: {} }
    default:
      return errorAnswer(-32601, `Method not found: ${method}`)
  }
}

const service: Service = {
  declare: () => ({
    info: { name: 'truename-conformance', version: '1.0.0' },
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
    },
  }),
  accept: (downstream) => downstream.serve(handle),
}

const endpoint = await serveHttp(service, { port: Number(process.env.PORT ?? 0) })
console.log(endpoint.url.replace('127.0.0.1', 'localhost'))
process.once('SIGTERM', () => void endpoint.close())
