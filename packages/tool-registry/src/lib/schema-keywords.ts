import { isObject, type Json, type JsonObject } from './json.ts'

/** A keyword whose value no draft allows. */
export interface BadKeyword {
  readonly keyword: string
  /** What its value must be, to follow "must be". */
  readonly expected: string
}

const typeNames = new Set(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'])
const isCount = (value: Json): boolean => typeof value === 'number' && value >= 0 && Number.isInteger(value)
const isNumber = (value: Json): boolean => typeof value === 'number'
const isSchema = (value: Json): boolean => isObject(value) || typeof value === 'boolean'
const isStrings = (value: Json): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
const isType = (value: Json): boolean =>
  (Array.isArray(value) ? value : [value]).every((one) => typeof one === 'string' && typeNames.has(one))

function isPattern(value: Json): boolean {
  if (typeof value !== 'string') return false
  for (const flags of ['u', '']) {
    try {
      // Compiling is linear in the pattern; nothing is matched.
      new RegExp(value, flags)
      return true
    } catch {
      // Tried without the Unicode flag next: servers write patterns for either.
    }
  }
  return false
}

type Rule = readonly [expected: string, holds: (value: Json) => boolean]

const count: Rule = ['a count', isCount]
const number: Rule = ['a number', isNumber]
const schema: Rule = ['a schema', isSchema]
const schemas: Rule = ['a list of schemas', (value) => Array.isArray(value) && value.length > 0]
const map: Rule = ['an object of schemas', isObject]

/** Values of keywords, as the drafts from 04 to 2020-12 allow them. */
const rules: Readonly<Record<string, Rule>> = {
  type: ['a type, or a list of types', isType],
  enum: ['a list', (value) => Array.isArray(value)],
  required: ['a list of names', isStrings],
  properties: map,
  patternProperties: map,
  $defs: map,
  definitions: map,
  dependentSchemas: map,
  items: ['a schema, or a list of schemas', (value) => isSchema(value) || Array.isArray(value)],
  prefixItems: schemas,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  additionalProperties: schema,
  propertyNames: schema,
  not: schema,
  contains: schema,
  pattern: ['a regular expression', isPattern],
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  minimum: number,
  maximum: number,
  multipleOf: ['a number above zero', (value) => typeof value === 'number' && value > 0],
  exclusiveMinimum: [
    'a number, or a boolean in draft-04',
    (value) => isNumber(value) || typeof value === 'boolean',
  ],
  exclusiveMaximum: [
    'a number, or a boolean in draft-04',
    (value) => isNumber(value) || typeof value === 'boolean',
  ],
  uniqueItems: ['a boolean', (value) => typeof value === 'boolean'],
  $ref: ['a reference', (value) => typeof value === 'string'],
}

/** The keywords of one schema, not of those inside it, whose value no draft allows. */
export const badKeywords = (schema: JsonObject): BadKeyword[] =>
  Object.entries(schema).flatMap(([keyword, value]) => {
    const rule = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined
    return rule === undefined || value === undefined || rule[1](value) ? [] : [{ keyword, expected: rule[0] }]
  })
