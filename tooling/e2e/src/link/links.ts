import type {
  CallContext,
  DialOptions,
  JsonObject,
  LinkEvent,
  Outcome,
  ServerConfig,
  Upstream,
} from '@truename/mcp-link'
import { isJsonObject } from '@truename/mcp-link'
import * as v1 from '@truename/sdk-v1'
import * as v2 from '@truename/sdk-v2'
import { onTestFinished } from 'vitest'

/** The two adapters, by the name of their SDK line. */
export const adapters = { v1, v2 } as const

/** What test clients can do. */
export const capabilities: JsonObject = {
  elicitation: { form: {} },
  sampling: {},
  roots: { listChanged: true },
}

/** Connects, and closes when the running test ends. Fails the test where there is no connection. */
export async function connectFor(
  line: keyof typeof adapters,
  server: ServerConfig,
  options: Partial<DialOptions<never>> = {},
): Promise<{ upstream: Upstream; events: LinkEvent[] }> {
  const events: LinkEvent[] = []
  const connected = await adapters[line].connect(server, {
    client: { name: 'contract', version: '1.0.0' },
    capabilities,
    onEvent: (event) => events.push(event),
    ...options,
  })
  if (!connected.ok) throw new Error(`${connected.failure.code}: ${connected.failure.message}`)
  onTestFinished(() => connected.upstream.close())
  return { upstream: connected.upstream, events }
}

/** Calls a tool. */
export const call = (
  upstream: Upstream,
  name: string,
  args: JsonObject = {},
  context: CallContext = {},
): Promise<Outcome> => upstream.request('tools/call', { name, arguments: args }, context)

/** The text of a tool's result, or what came instead. */
export function textOf(outcome: Outcome): string {
  if (outcome.kind !== 'result') return JSON.stringify(outcome)
  const { content } = outcome.value
  const [first] = Array.isArray(content) ? (content as unknown[]) : []
  return isJsonObject(first) ? String(first.text) : ''
}

/** Calls a tool and answers whatever it asks, in either era: as a request of the server, or as `input_required`. */
export async function callAnswering(
  upstream: Upstream,
  name: string,
  args: JsonObject,
  answer: (method: string, params: JsonObject) => JsonObject,
): Promise<{ outcome: Outcome; rounds: number }> {
  const ask = async (method: string, params: JsonObject): Promise<Outcome> => ({
    kind: 'result',
    value: answer(method, params),
  })
  let retry: CallContext['retry']
  for (let rounds = 1; ; rounds += 1) {
    const outcome = await call(upstream, name, args, { ask, retry })
    if (outcome.kind !== 'input_required') return { outcome, rounds }
    const { inputRequests, requestState } = outcome.value
    const asked = Object.entries(isJsonObject(inputRequests) ? inputRequests : {})
    const inputResponses = Object.fromEntries(
      asked.map(([key, request]) => {
        const { method, params } = request as { method: string; params: JsonObject }
        return [key, answer(method, params)]
      }),
    )
    retry = { inputResponses, ...(typeof requestState === 'string' ? { requestState } : {}) }
  }
}

/** Waits until something holds, for as long as a test may take. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}
