import { canonicalJson } from './canonical-json.ts'
import { isObject, type Json } from './json.ts'
import { isAnnotation, type Schema, type SchemaDocument } from './schema-parts.ts'

/** A schema with the document its references are resolved in. */
export interface PlacedSchema {
  readonly schema: Schema
  readonly document: SchemaDocument
}

/** The same text in the same kind of document, with every reference inside it leading to the same text. */
export function sameSchema(a: PlacedSchema, b: PlacedSchema): boolean {
  const [left, right] = [withoutAnnotations(a.schema), withoutAnnotations(b.schema)]
  if (canonicalJson(left) !== canonicalJson(right) || a.document.refAlone !== b.document.refAlone)
    return false
  return !canonicalJson(left).includes('"$ref"') || rootText(a.document) === rootText(b.document)
}

const rootTexts = new WeakMap<SchemaDocument, string>()

function rootText(document: SchemaDocument): string {
  const known = rootTexts.get(document) ?? canonicalJson(withoutAnnotations(document.root))
  rootTexts.set(document, known)
  return known
}

/** Members whose value is not a schema but a map of schemas: names in it are not keywords. */
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])
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
