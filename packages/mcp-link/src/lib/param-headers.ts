import { type ParameterHeader, parameterHeaders, parameterHeadersFor } from '@truename/capability-negotiator'
import type { Json, JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import type { Outcome } from './outcome.ts'
import { decodeHeaderValue } from './standard-headers.ts'

/** Knows which arguments of a server's tools have to be mirrored into `Mcp-Param-*` headers. */
export interface ParamHeaders {
  /** Takes note of what a list of tools declares. */
  learn(method: string, outcome: Outcome): void
  /** The headers of one call; none for tools that were not listed on this connection. */
  of(method: string, params: JsonObject): Record<string, string>
  /** As a server: why the headers of a call do not say what its arguments say, or `undefined` where they do. */
  mismatch(headers: Headers, method: string, params: JsonObject): string | undefined
}

/** Creates an empty memory of what tools declare (2026-07-28, Streamable HTTP, §Custom Headers). */
export function createParamHeaders(): ParamHeaders {
  const tools = new Map<string, readonly ParameterHeader[]>()
  const declared = (method: string, params: JsonObject): readonly ParameterHeader[] =>
    (method === 'tools/call' && typeof params.name === 'string' ? tools.get(params.name) : undefined) ?? []
  const of = (method: string, params: JsonObject): Record<string, string> =>
    parameterHeadersFor(declared(method, params), params.arguments)
  return {
    learn(method, outcome) {
      if (method !== 'tools/list' || outcome.kind !== 'result' || !Array.isArray(outcome.value.tools)) return
      for (const tool of outcome.value.tools as readonly Json[]) {
        if (!isJsonObject(tool) || typeof tool.name !== 'string') continue
        const scan = parameterHeaders(tool.inputSchema)
        if (scan.ok && scan.headers.length > 0) tools.set(tool.name, scan.headers)
        else tools.delete(tool.name)
      }
    },
    of,
    mismatch(headers, method, params) {
      const expected = of(method, params)
      for (const { header, type } of declared(method, params)) {
        const value = expected[header]
        const received = headers.get(header)
        if (received === null && value === undefined) continue
        const said = received === null ? undefined : decodeHeaderValue(received.trim())
        const meant = value === undefined ? undefined : decodeHeaderValue(value)
        const same =
          said !== undefined &&
          meant !== undefined &&
          // Integers are compared as numbers: 42 and 42.0 are one value (2026-07-28, SHOULD).
          (said === meant || (type === 'integer' && said !== '' && Number(said) === Number(meant)))
        if (!same) return `${header} does not say what the body says`
      }
      return undefined
    },
  }
}
