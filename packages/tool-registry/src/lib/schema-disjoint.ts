import { isObject, type Json, type JsonObject } from './json.ts'
import { asSchema, constraintsOf, type SchemaDocument } from './schema-parts.ts'
import type { PlacedSchema } from './schema-same.ts'
import { possibleTypes } from './schema-types.ts'
import { isValid } from './schema-valid.ts'

/** How many schemas may stand inside each other. */
export const deepest = 24

/** The values that constraints leave, where they name them. */
export function valuesOf(given: readonly JsonObject[]): readonly Json[] | undefined {
  for (const one of given) {
    if (Object.hasOwn(one, 'const')) return [one.const as Json]
    if (Array.isArray(one.enum)) return one.enum as readonly Json[]
  }
  return undefined
}

/** Whether it can be shown that nothing is valid under both: by types, by values, or by a property that both require. */
export function areDisjoint(
  given: readonly JsonObject[],
  document: SchemaDocument,
  other: PlacedSchema,
  depth: number,
): boolean {
  const against = constraintsOf(other.schema, other.document)
  if (against === false) return true
  if (against === undefined || depth > deepest) return false
  const [mine, theirs] = [possibleTypes(given), possibleTypes(against)]
  if (![...mine].some((type) => theirs.has(type))) return true
  const values = valuesOf(given) ?? valuesOf(against)
  if (values)
    return values.every(
      (value) =>
        given.some((one) => isValid(value, one, document) === false) ||
        isValid(value, other.schema, other.document) === false,
    )
  if (mine.size !== 1 || !mine.has('object')) return false
  return given.some(
    ({ required }) =>
      Array.isArray(required) &&
      required.some((name) => {
        const part = (all: readonly JsonObject[]): Json | undefined =>
          all
            .map(({ properties }) =>
              isObject(properties) && Object.hasOwn(properties, String(name))
                ? properties[String(name)]
                : undefined,
            )
            .find((schema) => schema !== undefined)
        const [own, its] = [part(given), part(against)]
        if (own === undefined || its === undefined) return false
        const constraints = constraintsOf(asSchema(own), document)
        if (constraints === undefined) return false
        return (
          constraints === false ||
          areDisjoint(constraints, document, { schema: asSchema(its), document: other.document }, depth + 1)
        )
      }),
  )
}
