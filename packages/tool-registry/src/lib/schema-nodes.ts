import { isObject, type Json, type JsonObject } from './json.ts'
import { pointerOf } from './pointer.ts'

/** One schema inside a schema. */
export interface SchemaNode {
  readonly schema: Json
  /** JSON Pointer from the root schema. */
  readonly pointer: string
  /** How many schemas it stands inside of. */
  readonly depth: number
}

/** Keywords whose value maps names to schemas. */
const maps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']
/** Keywords whose value is a list of schemas. */
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
/** Keywords whose value is a schema. */
const single = [
  'items',
  'additionalItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
]

/** Every schema of a schema, the root first, by keyword: what only looks like one in an enum or a default is none. */
export function* schemaNodes(root: Json): Generator<SchemaNode> {
  const open: SchemaNode[] = [{ schema: root, pointer: '', depth: 0 }]
  const seen = new Set<object>()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node
    const { schema, pointer, depth } = node
    if (!isObject(schema) || seen.has(schema)) continue
    seen.add(schema)
    const inner: SchemaNode[] = []
    for (const [path, child] of childrenOf(schema))
      inner.push({ schema: child, pointer: pointer + pointerOf(path), depth: depth + 1 })
    open.push(...inner.reverse())
  }
}

function* childrenOf(
  schema: JsonObject,
): Generator<readonly [path: readonly (string | number)[], child: Json]> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue
    if (maps.includes(keyword) && isObject(value)) {
      for (const [name, child] of Object.entries(value)) {
        // `dependencies` may also map a name to a list of names (draft-07, validation, section 6.5.7).
        if (child !== undefined && !(keyword === 'dependencies' && Array.isArray(child)))
          yield [[keyword, name], child]
      }
    } else if ((lists.includes(keyword) || keyword === 'items') && Array.isArray(value)) {
      for (const [index, child] of value.entries()) yield [[keyword, index], child as Json]
    } else if (single.includes(keyword)) yield [[keyword], value]
  }
}
