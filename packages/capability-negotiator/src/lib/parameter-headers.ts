import { encodeHeaderValue } from './headers.ts'
import { isObject, type Json, type JsonObject, own, quote } from './json.ts'

/** One argument of a tool that is mirrored into an HTTP header (2026-07-28, `x-mcp-header`). */
export interface ParameterHeader {
  /** The header's name, `Mcp-Param-…`. */
  readonly header: string
  /** Where the argument is, member by member. */
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

/** The headers a tool's schema asks for; or why an HTTP client has to leave that one tool out. */
export type ParameterHeaders =
  | { readonly ok: true; readonly headers: readonly ParameterHeader[] }
  | { readonly ok: false; readonly path: readonly string[]; readonly problem: string }

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
/** Deeper or wider schemas than these are refused rather than walked. */
const DEPTH = 64
const MEMBERS = 20_000

/**
 * Reads the `x-mcp-header` annotations of a tool's `inputSchema`. They are legal only on string, integer and boolean
 * properties reached through `properties` alone, as field-name tokens unique without regard to case. Over HTTP a tool
 * that breaks this is left out of the list, and the others stay; over stdio the annotations mean nothing.
 */
export function parameterHeaders(inputSchema: unknown): ParameterHeaders {
  const headers: ParameterHeader[] = []
  const taken = new Set<string>()
  let members = 0

  const visit = (
    schema: Json | undefined,
    path: readonly string[],
    reachable: boolean,
  ): ParameterHeaders | undefined => {
    if (typeof schema !== 'object' || schema === null) return undefined
    members += 1
    if (path.length > DEPTH || members > MEMBERS)
      return { ok: false, path, problem: 'the schema is too large to check' }
    if (isObject(schema) && Object.hasOwn(schema, 'x-mcp-header')) {
      const problem = take(schema, path, reachable)
      if (problem !== undefined) return { ok: false, path, problem }
    }
    for (const [member, value] of Object.entries(schema)) {
      if (member === 'properties' && isObject(value)) {
        for (const [name, property] of Object.entries(value)) {
          const found = visit(property, [...path, name], reachable)
          if (found) return found
        }
      } else if (!DATA.has(member)) {
        const found = visit(value, [...path, member], false)
        if (found) return found
      }
    }
    return undefined
  }

  const take = (schema: JsonObject, path: readonly string[], reachable: boolean): string | undefined => {
    const name = own(schema, 'x-mcp-header')
    const type = own(schema, 'type')
    if (typeof name !== 'string' || !TOKEN.test(name))
      return `x-mcp-header ${show(name)} is no field-name token`
    if (!reachable || path.length === 0)
      return `x-mcp-header ${quote(name)} is not on a property reached through properties alone`
    if (!TYPES.has(type))
      return `x-mcp-header ${quote(name)} is on type ${show(type)}, not string, integer or boolean`
    if (taken.has(name.toLowerCase())) return `x-mcp-header ${quote(name)} is there twice`
    taken.add(name.toLowerCase())
    headers.push({ header: `Mcp-Param-${name}`, path, type: type as ParameterHeader['type'] })
    return undefined
  }

  return visit(inputSchema as Json, [], true) ?? { ok: true, headers }
}

/** Members whose values are data of the schema, not schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

const show = (value: Json | undefined): string =>
  value === undefined ? 'undefined' : quote(JSON.stringify(value))

/**
 * The `Mcp-Param-*` headers of one call: absent and null arguments have none, and neither have arguments that are not
 * of the declared type (the server then refuses the call by its schema).
 */
export function parameterHeadersFor(
  headers: readonly ParameterHeader[],
  args: unknown,
): Record<string, string> {
  const entries = headers.flatMap(({ header, path, type }): [string, string][] => {
    let value: Json | undefined = isObject(args) ? args : undefined
    for (const member of path) value = own(value, member)
    if (type === 'integer' ? !Number.isSafeInteger(value) : typeof value !== type) return []
    return [[header, encodeHeaderValue(String(value))]]
  })
  return Object.fromEntries(entries)
}
