import { canonicalJson } from './canonical-json.ts'
import { isObject, type Json } from './json.ts'
import { isAnnotation, type Schema, type SchemaDocument } from './schema-parts.ts'

/** A schema with the document its references are resolved in. */
export interface PlacedSchema {
  readonly schema: Schema
  readonly document: SchemaDocument
}

/** Keywords whose meaning depends on the document around them. */
const reference = /"\$(?:ref|dynamicRef|recursiveRef)"/

/** Whether the canonical text of a schema may hold a reference: what it says is then up to its document. */
export const mayRefer = (text: string): boolean => reference.test(text)

/** The same text in the same kind of document, with every reference inside it leading to the same text. */
export function sameSchema(a: PlacedSchema, b: PlacedSchema): boolean {
  const text = canonicalJson(withoutAnnotations(a.schema))
  if (text !== canonicalJson(withoutAnnotations(b.schema)) || a.document.refAlone !== b.document.refAlone)
    return false
  return !mayRefer(text) || rootText(a.document) === rootText(b.document)
}

const rootTexts = new WeakMap<SchemaDocument, string>()

function rootText(document: SchemaDocument): string {
  const known = rootTexts.get(document) ?? canonicalJson(withoutProse(document.root))
  rootTexts.set(document, known)
  return known
}

const prose = new Set(['title', 'description', '$comment'])

/** A document without its prose. References may lead to any other place in it, unknown keywords among them. */
function withoutProse(value: Json): Json {
  if (Array.isArray(value)) return value.map((part: Json) => withoutProse(part))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, part]) => part !== undefined && !(prose.has(name) && typeof part === 'string'))
      .map(([name, part]) => [name, data.has(name) ? part : withoutProse(part as Json)]),
  )
}

/** Members whose value is not a schema but a map of schemas: names in it are not keywords. */
const maps = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  // Of lists of names too (draft-07, validation, section 6.5.7), which stay as they are.
  'dependencies',
  '$defs',
  'definitions',
])
/** Members whose value is data: nothing in it is a keyword. */
const data = new Set(['enum', 'const', 'required', 'dependentRequired'])

/** A schema without what constrains nothing; definitions stay, for references lead to them. */
export function withoutAnnotations(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((part: Json) => withoutAnnotations(part))
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema)
    .filter(([keyword]) => keyword === '$defs' || keyword === 'definitions' || !isAnnotation(keyword))
    .map(([keyword, value]): [string, Json | undefined] => {
      if (value === undefined || data.has(keyword)) return [keyword, value]
      if (maps.has(keyword) && isObject(value)) {
        return [
          keyword,
          Object.fromEntries(
            Object.entries(value).map(([name, part]) => [name, withoutAnnotations(part as Json)]),
          ),
        ]
      }
      return [keyword, withoutAnnotations(value)]
    })
  return Object.fromEntries(kept)
}
