import { canonicalJson } from './canonical-json.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { testPattern } from './safe-pattern.ts'
import { asSchema, constraintsOf, type Schema, type SchemaDocument } from './schema-parts.ts'

/** Whether a value is valid; undefined where that cannot be decided here. */
export type Verdict = boolean | undefined

/** All must hold: one `false` decides, one undefined leaves it open. */
export function every(verdicts: Iterable<Verdict>): Verdict {
  let all: Verdict = true
  for (const verdict of verdicts) {
    if (verdict === false) return false
    if (verdict === undefined) all = undefined
  }
  return all
}

/** One must hold: one `true` decides, one undefined leaves it open. */
export function some(verdicts: Iterable<Verdict>): Verdict {
  let any: Verdict = false
  for (const verdict of verdicts) {
    if (verdict) return true
    if (verdict === undefined) any = undefined
  }
  return any
}

const not = (verdict: Verdict): Verdict => (verdict === undefined ? undefined : !verdict)

/**
 * Whether a value is valid under a schema, for the keywords that tool schemas use. A keyword that is not understood,
 * a reference that leads nowhere, or a pattern that is not safe to run leaves the answer open; nothing is guessed.
 */
export function isValid(value: Json, schema: Schema, document: SchemaDocument, depth = 0): Verdict {
  if (typeof schema === 'boolean') return schema
  if (depth > 32) return undefined
  const constraints = constraintsOf(schema, document)
  if (constraints === false) return false
  if (constraints === undefined) return undefined
  return every(constraints.map((keywords) => holds(value, keywords, document, depth + 1)))
}

function holds(value: Json, keywords: JsonObject, document: SchemaDocument, depth: number): Verdict {
  const under = (part: Json | undefined, inner: Json = value): Verdict =>
    isValid(inner, asSchema(part), document, depth)
  const verdicts: Verdict[] = []
  for (const [keyword, argument] of Object.entries(keywords)) {
    verdicts.push(holdsOne(value, keyword, argument as Json, keywords, under))
  }
  return every(verdicts)
}

type Under = (part: Json | undefined, inner?: Json) => Verdict

function holdsOne(value: Json, keyword: string, argument: Json, keywords: JsonObject, under: Under): Verdict {
  switch (keyword) {
    case 'type':
      return (Array.isArray(argument) ? argument : [argument]).some((type) => isOfType(value, type as Json))
    case 'enum':
      return Array.isArray(argument) ? argument.some((one) => sameJson(one as Json, value)) : undefined
    case 'const':
      return sameJson(argument, value)
    case 'anyOf':
      return Array.isArray(argument) ? some(argument.map((part) => under(part as Json))) : undefined
    case 'oneOf':
      return Array.isArray(argument) ? exactlyOne(argument.map((part) => under(part as Json))) : undefined
    case 'not':
      return not(under(argument))
    case 'if': {
      const condition = under(argument)
      if (condition === undefined) return undefined
      return under(condition ? keywords.then : keywords.else)
    }
    case 'then':
    case 'else':
      return true
  }
  if (typeof value === 'number') return holdsForNumber(value, keyword, argument)
  if (typeof value === 'string') return holdsForString(value, keyword, argument)
  if (Array.isArray(value)) return holdsForArray(value as readonly Json[], keyword, argument, keywords, under)
  if (isObject(value)) return holdsForObject(value, keyword, argument, keywords, under)
  return true
}

function exactlyOne(verdicts: readonly Verdict[]): Verdict {
  const valid = verdicts.filter((verdict) => verdict === true).length
  if (valid > 1) return false
  return verdicts.includes(undefined) ? undefined : valid === 1
}

const sameJson = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b)

/** Whether a value has one of JSON Schema's types; `integer` counts 1.0 in (2020-12, validation, section 6.1.1). */
export function isOfType(value: Json, type: Json): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return typeof value === type && ['string', 'number', 'boolean'].includes(type as string)
}

const forOthers = new Set(['multipleOf', 'maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum'])
const forStrings = new Set(['maxLength', 'minLength', 'pattern', 'format'])

function holdsForNumber(value: number, keyword: string, argument: Json): Verdict {
  if (!forOthers.has(keyword)) return true
  if (typeof argument !== 'number') return undefined
  switch (keyword) {
    case 'minimum':
      return value >= argument
    case 'maximum':
      return value <= argument
    case 'exclusiveMinimum':
      return value > argument
    case 'exclusiveMaximum':
      return value < argument
    default:
      return Number.isInteger(argument) && Number.isInteger(value) && argument > 0
        ? value % argument === 0
        : undefined
  }
}

function holdsForString(value: string, keyword: string, argument: Json): Verdict {
  if (!forStrings.has(keyword)) return true
  if (keyword === 'pattern') return typeof argument === 'string' ? testPattern(argument, value) : undefined
  // Whether a format is checked at all is up to the validator (2020-12, validation, section 7.2).
  if (keyword === 'format' || typeof argument !== 'number') return undefined
  const length = [...value].length
  return keyword === 'minLength' ? length >= argument : length <= argument
}

function holdsForArray(
  value: readonly Json[],
  keyword: string,
  argument: Json,
  keywords: JsonObject,
  under: Under,
): Verdict {
  switch (keyword) {
    case 'minItems':
      return typeof argument === 'number' ? value.length >= argument : undefined
    case 'maxItems':
      return typeof argument === 'number' ? value.length <= argument : undefined
    case 'uniqueItems':
      return argument !== true || new Set(value.map((item) => canonicalJson(item))).size === value.length
    case 'items':
      if (Array.isArray(argument) || keywords.prefixItems !== undefined)
        return value.length === 0 ? true : undefined
      return every(value.map((item) => under(argument, item)))
    case 'prefixItems':
    case 'additionalItems':
    case 'contains':
    case 'minContains':
    case 'maxContains':
    case 'unevaluatedItems':
      return undefined
  }
  return true
}

function holdsForObject(
  value: JsonObject,
  keyword: string,
  argument: Json,
  keywords: JsonObject,
  under: Under,
): Verdict {
  const names = Object.keys(value)
  switch (keyword) {
    case 'required':
      return Array.isArray(argument)
        ? argument.every((name) => Object.hasOwn(value, String(name)))
        : undefined
    case 'minProperties':
      return typeof argument === 'number' ? names.length >= argument : undefined
    case 'maxProperties':
      return typeof argument === 'number' ? names.length <= argument : undefined
    case 'propertyNames':
      return every(names.map((name) => under(argument, name)))
    case 'properties':
      if (!isObject(argument)) return undefined
      return every(
        names
          .filter((name) => Object.hasOwn(argument, name))
          .map((name) => under(argument[name], value[name])),
      )
    case 'additionalProperties': {
      const known = isObject(keywords.properties) ? keywords.properties : {}
      const others = names.filter((name) => !Object.hasOwn(known, name))
      if (others.length > 0 && keywords.patternProperties !== undefined) return undefined
      return every(others.map((name) => under(argument, value[name])))
    }
    case 'patternProperties':
    case 'dependencies':
    case 'dependentRequired':
    case 'dependentSchemas':
    case 'unevaluatedProperties':
      return names.length === 0 ? true : undefined
  }
  return true
}
