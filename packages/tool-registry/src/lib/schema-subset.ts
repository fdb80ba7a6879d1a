import { canonicalJson } from './canonical-json.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { areDisjoint, deepest, valuesOf } from './schema-disjoint.ts'
import { asSchema, constraintsOf, documentOf, type Schema, type SchemaDocument } from './schema-parts.ts'
import { mayRefer, type PlacedSchema, sameSchema, withoutAnnotations } from './schema-same.ts'
import { namedTypes, possibleTypes, typesOfKeyword } from './schema-types.ts'
import { isValid } from './schema-valid.ts'

/**
 * Whether it can be shown that everything valid under `a` is valid under `b`. `false` means "not shown", never "shown
 * not to be": the rules are sound, not complete.
 */
export function isProvablySubset(a: Schema, b: Schema): boolean {
  const left = documentOf(a)
  const right = documentOf(b)
  return subset({ schema: a, document: left }, { schema: b, document: right }, 0)
}

function subset(a: PlacedSchema, b: PlacedSchema, depth: number): boolean {
  if (a.schema === false || b.schema === true) return true
  if (depth > deepest) return false
  if (sameSchema(a, b)) return true
  const wanted = constraintsOf(b.schema, b.document)
  const given = constraintsOf(a.schema, a.document)
  if (given === false) return true
  if (wanted === undefined || given === undefined || wanted === false) return false
  return wanted.every((keywords) => implied(given, a.document, { keywords, document: b.document }, depth + 1))
}

interface Wanted {
  readonly keywords: JsonObject
  readonly document: SchemaDocument
}

/** Whether the constraints that hold imply those that are wanted. */
function implied(
  given: readonly JsonObject[],
  document: SchemaDocument,
  wanted: Wanted,
  depth: number,
): boolean {
  const finite = valuesOf(given)
  if (finite) {
    return finite.every(
      (value) =>
        given.some((one) => isValid(value, one, document) === false) ||
        isValid(value, wanted.keywords, wanted.document) === true,
    )
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = given.find((one) => Array.isArray(one[keyword]))
    if (branches && impliedByBranches(given, branches, keyword, document, wanted, depth)) return true
  }
  return Object.entries(wanted.keywords).every(([keyword, argument]) =>
    keywordImplied(given, document, keyword, argument as Json, wanted, depth),
  )
}

/** Whether every branch implies what is wanted; what holds under exactly one of several holds under one of them. */
function impliedByBranches(
  given: readonly JsonObject[],
  branches: JsonObject,
  keyword: 'anyOf' | 'oneOf',
  document: SchemaDocument,
  wanted: Wanted,
  depth: number,
): boolean {
  const { [keyword]: choices, ...rest } = branches
  const others = [...given.filter((one) => one !== branches), ...(Object.keys(rest).length > 0 ? [rest] : [])]
  return (choices as readonly Json[]).every((branch) => {
    const constraints = constraintsOf(asSchema(branch), document)
    if (constraints === false) return true
    return (
      constraints !== undefined &&
      depth < deepest &&
      implied([...others, ...constraints], document, wanted, depth + 1)
    )
  })
}

function keywordImplied(
  given: readonly JsonObject[],
  document: SchemaDocument,
  keyword: string,
  argument: Json,
  wanted: Wanted,
  depth: number,
): boolean {
  const possible = possibleTypes(given)
  const only = typesOfKeyword.get(keyword)
  if (only && !only.some((type) => possible.has(type))) return true
  const numbers = (name: string): number[] =>
    given.map((one) => one[name]).filter((value): value is number => typeof value === 'number')
  const place = (schema: Schema): PlacedSchema => ({ schema, document: wanted.document })
  const here = (schema: Schema): PlacedSchema => ({ schema, document })
  switch (keyword) {
    case 'type':
      return [...possible].every((type) => namedTypes(argument).includes(type))
    case 'minimum':
      return (
        typeof argument === 'number' &&
        [...numbers('minimum'), ...numbers('exclusiveMinimum')].some((least) => least >= argument)
      )
    case 'exclusiveMinimum':
      return (
        typeof argument === 'number' &&
        (numbers('exclusiveMinimum').some((least) => least >= argument) ||
          numbers('minimum').some((least) => least > argument))
      )
    case 'maximum':
      return (
        typeof argument === 'number' &&
        [...numbers('maximum'), ...numbers('exclusiveMaximum')].some((most) => most <= argument)
      )
    case 'exclusiveMaximum':
      return (
        typeof argument === 'number' &&
        (numbers('exclusiveMaximum').some((most) => most <= argument) ||
          numbers('maximum').some((most) => most < argument))
      )
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return (
        typeof argument === 'number' && (argument <= 0 || numbers(keyword).some((least) => least >= argument))
      )
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return typeof argument === 'number' && numbers(keyword).some((most) => most <= argument)
    case 'required':
      return (
        Array.isArray(argument) &&
        argument.every((name) =>
          given.some((one) => Array.isArray(one.required) && one.required.includes(name)),
        )
      )
    case 'uniqueItems':
      return argument !== true || given.some((one) => one.uniqueItems === true)
    case 'anyOf':
      return (
        Array.isArray(argument) &&
        argument.some((part) => impliedBySchema(given, document, place(asSchema(part as Json)), depth))
      )
    case 'oneOf':
      return (
        (Array.isArray(argument) && impliesExactlyOne(given, document, argument, wanted, depth)) ||
        sameKeywords(given, document, ['oneOf'], wanted)
      )
    case 'multipleOf':
      return (
        typeof argument === 'number' &&
        (numbers('multipleOf').some((step) => step === argument || isWholeMultiple(step, argument)) ||
          (argument === 1 && !possible.has('number')))
      )
    case 'propertyNames':
      return given
        .map(({ propertyNames }) => propertyNames)
        .concat(true)
        .some((names) =>
          subset(
            here({ allOf: [{ type: 'string' }, asSchema(names as Json | undefined) as Json] }),
            place(asSchema(argument)),
            depth,
          ),
        )
    case 'items':
      if (Array.isArray(argument) || wanted.keywords.prefixItems !== undefined) break
      return (
        numbers('maxItems').some((most) => most <= 0) ||
        given.some((one) => {
          if (Array.isArray(one.items) || one.items === undefined) return false
          const first = Array.isArray(one.prefixItems) ? (one.prefixItems as readonly Json[]) : []
          return [one.items, ...first].every((part) =>
            subset(here(asSchema(part)), place(asSchema(argument)), depth),
          )
        }) ||
        argument === true
      )
    case 'properties':
      return (
        isObject(argument) &&
        Object.entries(argument).every(([name, part]) =>
          propertyImplied(given, document, name, place(asSchema(part)), depth),
        )
      )
    case 'additionalProperties':
      return additionalImplied(given, document, place(asSchema(argument)), wanted, depth)
    case 'then':
    case 'else':
      return wanted.keywords.if === undefined || sameKeywords(given, document, ['if', 'then', 'else'], wanted)
    case 'if':
      return sameKeywords(given, document, ['if', 'then', 'else'], wanted)
    case 'contains':
    case 'minContains':
    case 'maxContains':
      return sameKeywords(given, document, ['contains', 'minContains', 'maxContains'], wanted)
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
      return argument === true
  }
  return sameKeywords(
    given,
    document,
    keyword === 'items' || keyword === 'additionalItems'
      ? ['items', 'prefixItems', 'additionalItems']
      : [keyword],
    wanted,
  )
}

function impliedBySchema(
  given: readonly JsonObject[],
  document: SchemaDocument,
  b: PlacedSchema,
  depth: number,
): boolean {
  if (depth > deepest) return false
  const wanted = constraintsOf(b.schema, b.document)
  if (wanted === undefined || wanted === false) return false
  return wanted.every((keywords) => implied(given, document, { keywords, document: b.document }, depth + 1))
}

const isWholeMultiple = (step: number, of: number): boolean =>
  Number.isInteger(step) && Number.isInteger(of) && of > 0 && step % of === 0

/** Whether what is given implies one of the branches, and shuts out all others. */
function impliesExactlyOne(
  given: readonly JsonObject[],
  document: SchemaDocument,
  branches: readonly Json[],
  wanted: Wanted,
  depth: number,
): boolean {
  const placed = branches.map((branch) => ({ schema: asSchema(branch), document: wanted.document }))
  const meant = placed.findIndex((branch) => impliedBySchema(given, document, branch, depth))
  return (
    meant >= 0 &&
    placed.every((branch, at) => at === meant || areDisjoint(given, document, branch, depth + 1))
  )
}

/** Whether some given constraint has exactly these keywords, with no references inside. */
function sameKeywords(
  given: readonly JsonObject[],
  document: SchemaDocument,
  keywords: readonly string[],
  wanted: Wanted,
): boolean {
  const text = (from: JsonObject): string =>
    canonicalJson(
      withoutAnnotations(
        Object.fromEntries(Object.entries(from).filter(([name]) => keywords.includes(name))),
      ),
    )
  const expected = text(wanted.keywords)
  if (mayRefer(expected)) return false
  return document.refAlone === wanted.document.refAlone && given.some((one) => text(one) === expected)
}

/** What a constraint says of one property: its own schema, or that of additional ones; patterns leave it open. */
function schemaFor(one: JsonObject, name: string): Schema | undefined {
  const properties = isObject(one.properties) ? one.properties : {}
  if (Object.hasOwn(properties, name)) return asSchema(properties[name])
  return one.patternProperties === undefined ? asSchema(one.additionalProperties) : undefined
}

function propertyImplied(
  given: readonly JsonObject[],
  document: SchemaDocument,
  name: string,
  b: PlacedSchema,
  depth: number,
): boolean {
  if (b.schema === true) return true
  return given.some((one) => {
    const schema = schemaFor(one, name)
    return schema !== undefined && subset({ schema, document }, b, depth)
  })
}

function additionalImplied(
  given: readonly JsonObject[],
  document: SchemaDocument,
  b: PlacedSchema,
  wanted: Wanted,
  depth: number,
): boolean {
  if (b.schema === true) return true
  if (wanted.keywords.patternProperties !== undefined) return false
  const known = isObject(wanted.keywords.properties) ? Object.keys(wanted.keywords.properties) : []
  return given.some((one) => {
    if (one.patternProperties !== undefined) return false
    const own = isObject(one.properties) ? Object.keys(one.properties) : []
    const others = own.filter((name) => !known.includes(name))
    return (
      subset({ schema: asSchema(one.additionalProperties), document }, b, depth) &&
      others.every((name) => propertyImplied(given, document, name, b, depth))
    )
  })
}
