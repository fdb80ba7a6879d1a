import type { Severity } from './drift.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { dialectOf } from './schema-dialect.ts'
import { badKeywords } from './schema-keywords.ts'
import { type SchemaNode, schemaNodes } from './schema-nodes.ts'
import { resolveLocalRef } from './schema-parts.ts'

/** What can be wrong with a schema. */
export type SchemaCode =
  | 'absent'
  | 'not-a-schema'
  | 'no-root-type'
  | 'root-not-object'
  | 'bad-keyword'
  | 'array-without-items'
  | 'dangling-ref'
  | 'network-ref'
  | 'unknown-dialect'
  | 'too-large'
  | 'too-deep'

/** One thing that is wrong with a schema, and what {@link repairTool} does about it. */
export interface SchemaFinding {
  readonly code: SchemaCode
  readonly severity: Severity
  /** JSON Pointer from the schema. */
  readonly pointer: string
  readonly message: string
  /**
   * `repaired`: the schema is usable once the keyword is mended or taken out; `skipped`: the schema cannot be used;
   * `kept`: usable as it is.
   */
  readonly remedy: 'kept' | 'repaired' | 'skipped'
}

/** Bounds and role for {@link checkSchema}. */
export interface CheckSchemaOptions {
  /** Which schema of a tool it is: an input schema must be of an object, an output schema may be of anything. */
  readonly role?: 'input' | 'output' | undefined
  /** The most schemas inside the schema; 20,000 unless said otherwise. */
  readonly maxSchemas?: number | undefined
  /** How deep schemas may stand inside each other; 64 unless said otherwise. */
  readonly maxDepth?: number | undefined
}

/**
 * What is wrong with the schema of a tool. No reference is ever fetched: one that leads out of the schema is a
 * finding. An empty list means usable as it is.
 */
export function checkSchema(schema: unknown, options: CheckSchemaOptions = {}): SchemaFinding[] {
  const { role = 'input', maxSchemas = 20_000, maxDepth = 64 } = options
  if (schema === undefined || schema === null) {
    return [finding('absent', role === 'input' ? 'low' : 'info', '', 'there is no schema', 'repaired')]
  }
  if (!isObject(schema) && typeof schema !== 'boolean') {
    return [finding('not-a-schema', 'medium', '', 'a schema is an object of keywords', 'skipped')]
  }
  const findings = isObject(schema) ? checkRoot(schema, role) : checkBooleanRoot(role)
  const names = isObject(schema) ? anchorsOf(schema) : new Set<string>()
  let count = 0
  for (const node of schemaNodes(schema)) {
    count += 1
    if (count > maxSchemas)
      return [...findings, finding('too-large', 'medium', '', `more than ${maxSchemas} schemas`, 'skipped')]
    if (node.depth > maxDepth) {
      return [
        ...findings,
        finding('too-deep', 'medium', node.pointer, `more than ${maxDepth} levels of schemas`, 'skipped'),
      ]
    }
    findings.push(...checkNode(node, schema as Json, names))
  }
  return findings
}

const finding = (
  code: SchemaCode,
  severity: Severity,
  pointer: string,
  message: string,
  remedy: SchemaFinding['remedy'],
): SchemaFinding => ({ code, severity, pointer, message, remedy })

const checkBooleanRoot = (role: 'input' | 'output'): SchemaFinding[] =>
  role === 'input'
    ? [finding('root-not-object', 'medium', '', 'an input schema must be of an object', 'skipped')]
    : []

function checkRoot(schema: JsonObject, role: 'input' | 'output'): SchemaFinding[] {
  const findings: SchemaFinding[] = []
  if (dialectOf(schema.$schema) === undefined) {
    findings.push(
      finding('unknown-dialect', 'low', '/$schema', 'not a draft of JSON Schema that is known', 'kept'),
    )
  }
  if (role === 'output') return findings
  const { type } = schema
  if (type === undefined) {
    const message = 'an input schema must say "type": "object" (server/tools, inputSchema)'
    findings.push(finding('no-root-type', 'low', '', message, 'repaired'))
  } else if (type !== 'object' && !(Array.isArray(type) && type.includes('object'))) {
    findings.push(
      finding('root-not-object', 'medium', '/type', 'an input schema must be of an object', 'skipped'),
    )
  }
  return findings
}

function checkNode({ schema, pointer }: SchemaNode, root: Json, names: ReadonlySet<string>): SchemaFinding[] {
  if (typeof schema === 'boolean') return []
  if (!isObject(schema))
    return [finding('bad-keyword', 'low', pointer, 'a schema is an object or a boolean', 'repaired')]
  const findings = badKeywords(schema).map(({ keyword, expected }) =>
    finding('bad-keyword', 'low', `${pointer}/${keyword}`, `${keyword} must be ${expected}`, 'repaired'),
  )
  if (schema.type === 'array' && schema.items === undefined && schema.prefixItems === undefined) {
    findings.push(
      finding(
        'array-without-items',
        'info',
        pointer,
        'an array that does not say what it holds; some model APIs refuse it',
        'repaired',
      ),
    )
  }
  if (typeof schema.$ref === 'string') findings.push(...checkReference(schema.$ref, pointer, root, names))
  return findings
}

function checkReference(
  reference: string,
  pointer: string,
  root: Json,
  names: ReadonlySet<string>,
): SchemaFinding[] {
  if (names.has(reference) || resolveLocalRef(root, reference) !== undefined) return []
  const at = `${pointer}/$ref`
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(reference)) {
    return [
      finding(
        'network-ref',
        'medium',
        at,
        'a reference that leads out of the schema; it is never fetched',
        'repaired',
      ),
    ]
  }
  return [
    finding('dangling-ref', 'medium', at, 'a reference that leads to nothing in the schema', 'repaired'),
  ]
}

/** The references that `$id` and `$anchor` members of a schema make good. */
function anchorsOf(root: JsonObject): Set<string> {
  const names = new Set<string>()
  for (const { schema } of schemaNodes(root)) {
    if (!isObject(schema)) continue
    const { $id, $anchor, $dynamicAnchor } = schema
    if (typeof $id === 'string') names.add($id).add(`${$id}#`)
    for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === 'string') names.add(`#${anchor}`)
    if (names.size > 1000) break
  }
  return names
}
