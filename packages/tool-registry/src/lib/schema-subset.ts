import { canonicalJson } from './canonical-json.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import {
  asSchema,
  constraintsOf,
  documentOf,
  isAnnotation,
  type Schema,
  type SchemaDocument,
} from './schema-parts.ts'
import { isValid } from './schema-valid.ts'

/** A schema with the document its references are resolved in. */
interface Placed {
  readonly schema: Schema
  readonly document: SchemaDocument
}

const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const
const deepest = 24

/**
 * Whether it can be shown that everything valid under `a` is valid under `b`. `false` means "not shown", never "shown
 * not to be": the rules are sound, not complete.
 */
export function isProvablySubset(a: Schema, b: Schema): boolean {
  const left = documentOf(a)
  const right = documentOf(b)
  return subset({ schema: a, document: left }, { schema: b, document: right }, 0)
}

function subset(a: Placed, b: Placed, depth: number): boolean {
  if (a.schema === false || b.schema === true) return true
  if (depth > deepest) return false
  if (sameSchema(a, b)) return true
  const wanted = constraintsOf(b.schema, b.document)
  const given = constraintsOf(a.schema, a.document)
  if (given === false) return true
  if (wanted === undefined || given === undefined || wanted === false) return false
  return wanted.every((keywords) => implied(given, a.document, { keywords, document: b.document }, depth + 1))
}

/** The same text in the same kind of document, with every reference inside it leading to the same text. */
function sameSchema(a: Placed, b: Placed): boolean {
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
  const branches = given.flatMap((one) => (Array.isArray(one.anyOf) ? [one] : []))[0]
  if (branches && impliedByBranches(given, branches, document, wanted, depth)) return true
  return Object.entries(wanted.keywords).every(([keyword, argument]) =>
    keywordImplied(given, document, keyword, argument as Json, wanted, depth),
  )
}

function valuesOf(given: readonly JsonObject[]): readonly Json[] | undefined {
  for (const one of given) {
    if (Object.hasOwn(one, 'const')) return [one.const as Json]
    if (Array.isArray(one.enum)) return one.enum as readonly Json[]
  }
  return undefined
}

function impliedByBranches(
  given: readonly JsonObject[],
  branches: JsonObject,
  document: SchemaDocument,
  wanted: Wanted,
  depth: number,
): boolean {
  const { anyOf, ...rest } = branches
  const others = [...given.filter((one) => one !== branches), ...(Object.keys(rest).length > 0 ? [rest] : [])]
  return (anyOf as readonly Json[]).every((branch) => {
    const constraints = constraintsOf(asSchema(branch), document)
    if (constraints === false) return true
    return (
      constraints !== undefined &&
      depth < deepest &&
      implied([...others, ...constraints], document, wanted, depth + 1)
    )
  })
}

/** The types a value can have under these constraints. */
function typesOf(given: readonly JsonObject[]): ReadonlySet<string> {
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
const applies = new Map(appliesTo)

function keywordImplied(
  given: readonly JsonObject[],
  document: SchemaDocument,
  keyword: string,
  argument: Json,
  wanted: Wanted,
  depth: number,
): boolean {
  const possible = typesOf(given)
  const only = applies.get(keyword)
  if (only && !only.some((type) => possible.has(type))) return true
  const numbers = (name: string): number[] =>
    given.map((one) => one[name]).filter((value): value is number => typeof value === 'number')
  const place = (schema: Schema): Placed => ({ schema, document: wanted.document })
  const here = (schema: Schema): Placed => ({ schema, document })
  switch (keyword) {
    case 'type':
      return [...possible].every((type) => named(argument).includes(type))
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
    case 'items':
      if (Array.isArray(argument) || wanted.keywords.prefixItems !== undefined) break
      return (
        numbers('maxItems').some((most) => most <= 0) ||
        given.some(
          (one) =>
            !Array.isArray(one.items) &&
            one.items !== undefined &&
            subset(here(asSchema(one.items)), place(asSchema(argument)), depth),
        ) ||
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

const named = (type: Json): string[] =>
  (Array.isArray(type) ? type : [type]).flatMap((one) =>
    one === 'number' ? ['number', 'integer'] : [String(one)],
  )

function impliedBySchema(
  given: readonly JsonObject[],
  document: SchemaDocument,
  b: Placed,
  depth: number,
): boolean {
  if (depth > deepest) return false
  const wanted = constraintsOf(b.schema, b.document)
  if (wanted === undefined || wanted === false) return false
  return wanted.every((keywords) => implied(given, document, { keywords, document: b.document }, depth + 1))
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
      keywords.map((keyword) => (from[keyword] === undefined ? null : withoutAnnotations(from[keyword]))),
    )
  const expected = text(wanted.keywords)
  if (expected.includes('"$ref"')) return false
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
  b: Placed,
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
  b: Placed,
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
