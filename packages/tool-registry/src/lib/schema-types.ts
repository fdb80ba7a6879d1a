import type { Json, JsonObject } from './json.ts'

const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const

/** The types that a value of `type` names; a number may be an integer. */
export const namedTypes = (type: Json): string[] =>
  (Array.isArray(type) ? type : [type]).flatMap((one) =>
    one === 'number' ? ['number', 'integer'] : [String(one)],
  )

/** The types a value can have under these constraints. */
export function possibleTypes(given: readonly JsonObject[]): ReadonlySet<string> {
  let left = new Set<string>(types)
  for (const { type } of given) {
    if (type === undefined) continue
    const named = (Array.isArray(type) ? type : [type]).flatMap((one) =>
      one === 'number' ? ['number', 'integer'] : [String(one)],
    )
    left = new Set([...left].filter((one) => named.includes(one)))
  }
  return left
}

const numeric = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const appliesTo: readonly (readonly [string, readonly string[]])[] = [
  ...numeric.map((keyword): readonly [string, readonly string[]] => [keyword, ['number', 'integer']]),
  ...['minLength', 'maxLength', 'pattern', 'format'].map((keyword): readonly [string, readonly string[]] => [
    keyword,
    ['string'],
  ]),
  ...[
    'items',
    'prefixItems',
    'additionalItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'minContains',
    'maxContains',
    'unevaluatedItems',
  ].map((keyword): readonly [string, readonly string[]] => [keyword, ['array']]),
  ...[
    'properties',
    'patternProperties',
    'additionalProperties',
    'propertyNames',
    'required',
    'minProperties',
    'maxProperties',
    'dependencies',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedProperties',
  ].map((keyword): readonly [string, readonly string[]] => [keyword, ['object']]),
]
/** The types that a keyword says something of; a value of another type is valid whatever it says. */
export const typesOfKeyword: ReadonlyMap<string, readonly string[]> = new Map(appliesTo)
