import { type CheckSchemaOptions, checkSchema, type SchemaFinding } from './check-schema.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { parsePointer } from './pointer.ts'

/** A tool as a model API can take it, or nothing, and what had to be done. */
export interface ToolRepair {
  /** The tool with usable schemas; undefined if its input schema cannot be used, so the tool is left out. */
  readonly tool: JsonObject | undefined
  /** What was found, with pointers from the tool's definition. */
  readonly findings: readonly SchemaFinding[]
  /** Whether results may be checked against the output schema. */
  readonly validatesOutput: boolean
}

/**
 * Makes a tool usable for model APIs, or leaves it out: a bad schema costs one tool, not its server. Keywords that no
 * draft allows and references that lead nowhere are taken out, a missing root type is put in; nothing is moved, so
 * local references hold. The result is for showing to a model: what is pinned and forwarded is the definition itself.
 */
export function repairTool(
  definition: JsonObject,
  options: Omit<CheckSchemaOptions, 'role'> = {},
): ToolRepair {
  const input = checkSchema(definition.inputSchema, { ...options, role: 'input' })
  const hasOutput = definition.outputSchema !== undefined
  const output = hasOutput ? checkSchema(definition.outputSchema, { ...options, role: 'output' }) : []
  const findings = [...placed('/inputSchema', input), ...placed('/outputSchema', output)]
  const validatesOutput = hasOutput && output.every(({ code }) => code === 'array-without-items')
  if (input.some(({ remedy }) => remedy === 'skipped'))
    return { tool: undefined, findings, validatesOutput: false }
  const repaired = repairRoot(definition.inputSchema, input)
  const { outputSchema, ...rest } = definition
  const tool: JsonObject = { ...rest, inputSchema: repaired }
  return {
    tool: validatesOutput && outputSchema !== undefined ? { ...tool, outputSchema } : tool,
    findings,
    validatesOutput,
  }
}

const placed = (at: string, findings: readonly SchemaFinding[]): SchemaFinding[] =>
  findings.map((finding) => ({ ...finding, pointer: at + finding.pointer }))

function repairRoot(schema: Json | undefined, findings: readonly SchemaFinding[]): Json {
  let root: Json = isObject(schema) ? structuredCopy(schema) : {}
  for (const { code, pointer } of findings) {
    if (code === 'bad-keyword' || code === 'dangling-ref' || code === 'network-ref')
      root = without(root, parsePointer(pointer) ?? [])
    else if (code === 'array-without-items') root = withMember(root, parsePointer(pointer) ?? [], 'items', {})
  }
  return isObject(root) && root.type === undefined ? { type: 'object', ...root } : root
}

const structuredCopy = (schema: JsonObject): JsonObject => JSON.parse(JSON.stringify(schema)) as JsonObject

/** The value without what a path leads to; a schema in a list becomes one that allows everything. */
function without(value: Json, path: readonly string[]): Json {
  const [member, ...rest] = path
  if (member === undefined) return {}
  if (Array.isArray(value)) {
    return value.map((one: Json, index) =>
      String(index) === member ? (rest.length === 0 ? {} : without(one, rest)) : one,
    )
  }
  if (!isObject(value) || !Object.hasOwn(value, member)) return value
  const entries = Object.entries(value)
  const changed =
    rest.length === 0
      ? entries.filter(([name]) => name !== member)
      : entries.map(([name, one]): [string, Json | undefined] => [
          name,
          name === member ? without(one as Json, rest) : one,
        ])
  return Object.fromEntries(changed)
}

function withMember(value: Json, path: readonly string[], name: string, member: Json): Json {
  const [first, ...rest] = path
  if (first === undefined) return isObject(value) ? { ...value, [name]: member } : value
  if (Array.isArray(value)) {
    return value.map((one: Json, index) =>
      String(index) === first ? withMember(one, rest, name, member) : one,
    )
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([own, one]): [string, Json | undefined] => [
      own,
      own === first ? withMember(one as Json, rest, name, member) : one,
    ]),
  )
}
