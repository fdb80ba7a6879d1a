import { isObject, type Json, type JsonObject, memberOf } from './json.ts'
import { parsePointer } from './pointer.ts'

/** A JSON Schema: an object of keywords, or a boolean. */
export type Schema = JsonObject | boolean

/** A schema in its document, which `$ref` is resolved in. */
export interface SchemaDocument {
  readonly root: Schema
  /** Up to draft-07, keywords beside `$ref` are ignored (draft-07, core, section 8.3). */
  readonly refAlone: boolean
  /** How many schemas may still be looked at, in all: references can make a small schema endless. */
  readonly budget: { steps: number }
}

/** The document of a root schema. */
export const documentOf = (root: Schema): SchemaDocument => {
  const dialect = isObject(root) ? memberOf(root, '$schema') : undefined
  return {
    root,
    refAlone: typeof dialect === 'string' && /draft-0[3-7]/.test(dialect),
    budget: { steps: 80_000 },
  }
}

/** Keywords that say something about a schema and constrain nothing (2020-12, validation, section 9). */
const annotations = new Set([
  '$schema',
  '$id',
  'id',
  '$comment',
  '$defs',
  'definitions',
  '$anchor',
  '$vocabulary',
  'title',
  'description',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
])

/** Keywords that constrain, of all drafts; any other member of a schema has no effect on what is valid. */
const assertions = new Set([
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'type',
  'enum',
  'const',
  'multipleOf',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'format',
  'items',
  'additionalItems',
  'prefixItems',
  'contains',
  'maxContains',
  'minContains',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxProperties',
  'minProperties',
  'required',
  'properties',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
])

/** A value as a schema; anything that is none counts as one that allows everything. */
export const asSchema = (value: Json | undefined): Schema =>
  typeof value === 'boolean' || isObject(value) ? value : true

/** The keywords of a schema that constrain what is valid. */
export const assertionsOf = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema).filter(([name, value]) => assertions.has(name) && value !== undefined),
  )

/** Whether a member of a schema is an annotation, known or not. */
export const isAnnotation = (keyword: string): boolean => annotations.has(keyword) || !assertions.has(keyword)

/** The schema a local reference leads to, or undefined if it leads nowhere in the document. */
export function resolveLocalRef(root: Json, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined
  let fragment: string
  try {
    fragment = decodeURIComponent(reference.slice(1))
  } catch {
    return undefined
  }
  const tokens = parsePointer(fragment)
  if (tokens === undefined) return undefined
  let value: Json | undefined = root
  for (const token of tokens) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined
    value = (value as JsonObject)[token]
  }
  return value
}

/**
 * The constraints of a schema, with its references followed: a list of keyword objects that must all hold, `false`
 * where nothing is valid, or undefined where a reference cannot be followed or never ends, or the budget is spent.
 */
export function constraintsOf(
  schema: Schema,
  document: SchemaDocument,
): readonly JsonObject[] | false | undefined {
  const all: JsonObject[] = []
  const open: Schema[] = [schema]
  const followed = new Set<string>()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    document.budget.steps -= 1
    if (document.budget.steps < 0) return undefined
    if (next === true) continue
    if (next === false) return false
    const keywords = assertionsOf(next)
    const { $ref: reference, allOf, ...rest } = keywords
    if (hasOpenReference(keywords)) return undefined
    if (typeof reference === 'string') {
      const target = followed.has(reference) ? undefined : resolveLocalRef(document.root as Json, reference)
      if (target === undefined || (typeof target !== 'boolean' && !isObject(target))) return undefined
      followed.add(reference)
      open.push(target)
      if (document.refAlone) continue
    }
    if (allOf !== undefined) {
      if (!Array.isArray(allOf)) return undefined
      open.push(...allOf.map((one: Json) => asSchema(one)))
    }
    if (Object.keys(rest).length > 0) all.push(rest)
  }
  return all
}

const hasOpenReference = (keywords: JsonObject): boolean =>
  keywords.$dynamicRef !== undefined ||
  keywords.$recursiveRef !== undefined ||
  (keywords.$ref !== undefined && typeof keywords.$ref !== 'string')
