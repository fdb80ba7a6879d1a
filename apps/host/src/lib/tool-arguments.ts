import type { Json, JsonObject } from '@truename/mcp-link'
import { exitCodes } from './exit-code.ts'
import { HostError } from './host-error.ts'

const usage = (message: string): HostError => new HostError(message, exitCodes.usage)

/**
 * The arguments of a call as they were typed: one JSON object, or `name=value` pairs, or both (pairs win). A pair's
 * value is text where the tool's schema says string or nothing, and JSON where it says anything else.
 * @param schema the tool's `inputSchema`
 * @throws HostError where the JSON does not parse, a pair stands twice, or a value is not of the type the schema names
 */
export function readArguments(
  json: string | undefined,
  pairs: readonly string[],
  schema: unknown,
): JsonObject {
  const read = new Map<string, Json>(
    Object.entries(json === undefined ? {} : parseObject(json)) as [string, Json][],
  )
  const typed = new Set<string>()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw usage(`--arg ${JSON.stringify(pair)} is not name=value`)
    const name = pair.slice(0, at)
    if (typed.has(name)) throw usage(`--arg ${name} is there twice; keep the one that is meant`)
    typed.add(name)
    read.set(name, parseValue(name, pair.slice(at + 1), typeOf(schema, name)))
  }
  return Object.fromEntries(read)
}

function parseObject(json: string): object {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw usage(`the arguments are not JSON (${why}); write them like '{"query":"tea"}' or --arg query=tea`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usage(`the arguments must be one JSON object like '{"query":"tea"}'`)
  }
  return value
}

function typeOf(schema: unknown, name: string): readonly unknown[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  const type = isObject(property) ? property.type : undefined
  return Array.isArray(type) ? type : type === undefined ? [] : [type]
}

function parseValue(name: string, text: string, types: readonly unknown[]): Json {
  if (types.length === 0 || types.includes('string')) return text
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    throw usage(`--arg ${name}: the tool takes ${types.join(' or ')}, and ${JSON.stringify(text)} is none`)
  }
  if (!types.some((type) => hasType(value, type))) {
    throw usage(`--arg ${name}: the tool takes ${types.join(' or ')}, and ${JSON.stringify(text)} is none`)
  }
  // Parsing rounded it: another value would be sent than was typed.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw usage(`--arg ${name}: ${text} is beyond the whole numbers that JSON carries exactly (2^53)`)
  }
  return value
}

function hasType(value: Json, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  // A type of a future dialect is for the server to judge.
  return type === 'number' || type === 'boolean' ? typeof value === type : true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
