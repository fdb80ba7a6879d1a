import type { DownstreamContext, Json, JsonObject, Outcome, Service } from '@truename/mcp-link'
import { serveHttp } from '@truename/sdk-v2'
import { onTestFinished } from 'vitest'
import type { Output } from '../src/lib/output.ts'
import { runHost } from '../src/lib/run-host.ts'

/** What an endpoint answers, by method; a method that is missing here is not supported. */
export type Answers = Readonly<
  Record<string, (params: JsonObject, context: DownstreamContext) => Json | Promise<Json>>
>

/** Thrown by an answer to end a request with an error. */
export class Refusal extends Error {
  readonly code: number
  readonly data: Json | undefined
  constructor(code: number, message: string, data?: Json) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Serves these answers over HTTP until the test ends; what was asked is in `asked`. */
export async function endpointOf(answers: Answers): Promise<{ url: string; asked: [string, JsonObject][] }> {
  const asked: [string, JsonObject][] = []
  const answer = async (method: string, params: JsonObject, context: DownstreamContext): Promise<Outcome> => {
    asked.push([method, params])
    const reply = answers[method]
    if (!reply) return { kind: 'error', error: { code: -32601, message: `no ${method}` } }
    try {
      return { kind: 'result', value: (await reply(params, context)) as JsonObject }
    } catch (thrown) {
      const { code, message, data } = thrown as Refusal
      return { kind: 'error', error: { code, message, ...(data !== undefined && { data }) } }
    }
  }
  const has = (family: string): boolean => Object.keys(answers).some((method) => method.startsWith(family))
  const service: Service = {
    declare: () => ({
      info: { name: 'test', version: '0' },
      capabilities: {
        ...(has('resources/') && { resources: {} }),
        ...(has('tools/') && { tools: {} }),
        ...(has('completion/') && { completions: {} }),
      },
    }),
    accept: (downstream) => downstream.serve(answer),
  }
  const endpoint = await serveHttp(service, { host: '127.0.0.1', port: 0, path: '/mcp' })
  onTestFinished(() => endpoint.close())
  return { url: endpoint.url, asked }
}

/** What a command line printed and ended with. */
export interface Ran {
  readonly exitCode: number
  readonly out: string
  readonly notes: readonly string[]
}

/** Runs the host with this command line. */
export async function host(...argv: readonly string[]): Promise<Ran> {
  const out: string[] = []
  const notes: string[] = []
  const output: Output = {
    line: (text) => void out.push(`${text}\n`),
    text: (text) => void out.push(text),
    note: (text) => void notes.push(text),
  }
  const exitCode = await runHost(argv, { version: '0.0.0', output })
  return { exitCode, out: out.join(''), notes }
}
