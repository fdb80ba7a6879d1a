import { encodeHeaderValue } from '@truename/capability-negotiator'
import type { Json, JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import type { Outcome } from './outcome.ts'
import { decodeHeaderValue } from './standard-headers.ts'

/** One argument that travels as a header too. */
interface Declaration {
  readonly path: readonly string[]
  readonly header: string
}

/** What a tool's schema says of headers: the declarations, or why the tool is invalid. */
export type HeaderScan =
  | { readonly ok: true; readonly declarations: readonly Declaration[] }
  | { readonly ok: false; readonly why: string }

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const primitive = new Set<unknown>(['string', 'integer', 'boolean'])
const maxDepth = 64

/**
 * Reads the `x-mcp-header` declarations of an input schema (2026-07-28, Streamable HTTP, §Custom Headers): a token,
 * unique whatever its case, on a string, integer or boolean that is reached through `properties` alone. A tool that
 * breaks a rule is invalid over HTTP.
 */
export function scanParamHeaders(schema: Json | undefined): HeaderScan {
  const declarations: Declaration[] = []
  const seen = new Set<string>()
  let why: string | undefined
  const visit = (
    node: Json | undefined,
    path: readonly string[],
    reachable: boolean,
    depth: number,
  ): void => {
    if (why !== undefined || depth > maxDepth) return
    if (Array.isArray(node)) {
      for (const item of node as readonly Json[]) visit(item, path, false, depth + 1)
      return
    }
    if (!isJsonObject(node)) return
    if (Object.hasOwn(node, 'x-mcp-header') && depth > 0) {
      const header = node['x-mcp-header']
      const where = path.join('.')
      if (typeof header !== 'string' || !token.test(header)) why = `${where}: x-mcp-header is no header name`
      else if (!reachable) why = `${where}: x-mcp-header is not reached through properties alone`
      else if (!primitive.has(node.type))
        why = `${where}: x-mcp-header on something that is no string, integer or boolean`
      else if (seen.has(header.toLowerCase())) why = `${where}: x-mcp-header ${header} is there twice`
      else {
        seen.add(header.toLowerCase())
        declarations.push({ path, header })
      }
    }
    for (const [keyword, value] of Object.entries(node)) {
      if (keyword === 'properties' && isJsonObject(value)) {
        for (const [name, child] of Object.entries(value)) visit(child, [...path, name], reachable, depth + 1)
      } else if (!data.has(keyword)) visit(value, [...path, keyword], false, depth + 1)
    }
  }
  visit(schema, [], true, 0)
  return why === undefined ? { ok: true, declarations } : { ok: false, why }
}

/** Keywords whose values are data, not schemas. */
const data = new Set(['const', 'enum', 'default', 'examples', 'x-mcp-header'])

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let at = value
  for (const step of path) at = isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
  return at
}

/** Knows which arguments of a server's tools have to be mirrored into `Mcp-Param-*` headers. */
export interface ParamHeaders {
  /** Takes note of what a list of tools declares. */
  learn(method: string, outcome: Outcome): void
  /** The headers of one call; none for tools that were not listed on this connection. */
  of(method: string, params: JsonObject): Record<string, string>
  /** As a server: why the headers of a call do not say what its arguments say, or `undefined` where they do. */
  mismatch(headers: Headers, method: string, params: JsonObject): string | undefined
}

/** Creates an empty memory of declarations. */
export function createParamHeaders(): ParamHeaders {
  const tools = new Map<string, readonly Declaration[]>()
  const declared = (method: string, params: JsonObject): readonly Declaration[] =>
    (method === 'tools/call' && typeof params.name === 'string' ? tools.get(params.name) : undefined) ?? []
  return {
    learn(method, outcome) {
      if (method !== 'tools/list' || outcome.kind !== 'result' || !Array.isArray(outcome.value.tools)) return
      for (const tool of outcome.value.tools as readonly Json[]) {
        if (!isJsonObject(tool) || typeof tool.name !== 'string') continue
        const scan = scanParamHeaders(tool.inputSchema)
        if (scan.ok && scan.declarations.length > 0) tools.set(tool.name, scan.declarations)
        else tools.delete(tool.name)
      }
    },
    of(method, params) {
      const headers: Record<string, string> = {}
      for (const { path, header } of declared(method, params)) {
        const value = textOf(valueAt(params.arguments, path))
        if (value !== undefined) headers[`Mcp-Param-${header}`] = encodeHeaderValue(value)
      }
      return headers
    },
    mismatch(headers, method, params) {
      for (const { path, header } of declared(method, params)) {
        const value = valueAt(params.arguments, path)
        const expected = textOf(value)
        const received = headers.get(`Mcp-Param-${header}`)
        const decoded = received === null ? undefined : decodeHeaderValue(received.trim())
        // Integers are compared as numbers: 42 and 42.0 are one value (2026-07-28, SHOULD).
        const same =
          decoded === expected ||
          (typeof value === 'number' && decoded !== undefined && decoded !== '' && Number(decoded) === value)
        if (!same || (received !== null && decoded === undefined))
          return `Mcp-Param-${header} does not say what the body says`
      }
      return undefined
    },
  }
}

/** A primitive as it stands in a header; nothing for absent, null and everything else. */
const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
