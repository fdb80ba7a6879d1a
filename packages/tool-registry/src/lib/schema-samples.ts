import { canonicalJson } from './canonical-json.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { asSchema, constraintsOf, type Schema, type SchemaDocument } from './schema-parts.ts'
import { isOfType } from './schema-valid.ts'

/** How many values are tried at each level. */
const width = 24
const deepest = 5
/** How many branches are tried one by one. */
const mostBranches = 8

/**
 * Values worth trying on both of two schemas: ordinary ones of every type the first allows, the edges of every
 * bound of either, objects with and without each property that either names. A search, not an enumeration.
 */
export function sampleValues(
  a: Schema,
  inA: SchemaDocument,
  b: Schema,
  inB: SchemaDocument,
  depth = 0,
): Json[] {
  const given = flatten(a, inA)
  const wanted = flatten(b, inB)
  const all = [...given.keywords, ...wanted.keywords]
  const values: Json[] = [...given.values, ...wanted.values]
  values.push('', 'a', 'zz', 0, 1, -1, 0.5, true, false, null, [], {})
  for (const keywords of all) values.push(...edges(keywords))
  // What one branch has is tried without what the others have.
  if (depth === 0)
    for (const branch of given.branches.slice(0, mostBranches))
      values.push(...sampleValues(branch, inA, b, inB, 1))
  if (depth < deepest) {
    values.push(...arrays(given.keywords, inA, wanted.keywords, inB, depth))
    values.push(...objects(given.keywords, inA, wanted.keywords, inB, depth))
  }
  const typed =
    given.types.size === 0
      ? values
      : values.filter((value) => [...given.types].some((type) => isOfType(value, type)))
  return distinct([...typed, ...values]).slice(0, depth === 0 ? 400 : width)
}

interface Flat {
  readonly keywords: readonly JsonObject[]
  /** Values that `const` and `enum` name. */
  readonly values: readonly Json[]
  readonly types: ReadonlySet<string>
  /** What `anyOf` and `oneOf` choose from. */
  readonly branches: readonly Schema[]
}

/** All constraint objects of a schema, those of its branches among them. */
function flatten(schema: Schema, document: SchemaDocument): Flat {
  const keywords: JsonObject[] = []
  const values: Json[] = []
  const types = new Set<string>()
  const branches: Schema[] = []
  let opened = 0
  const open: Schema[] = [schema]
  for (let next = open.pop(); next !== undefined && keywords.length < 64; next = open.pop()) {
    const constraints = constraintsOf(next, document)
    if (!constraints) continue
    for (const one of constraints) {
      keywords.push(one)
      if (Object.hasOwn(one, 'const')) values.push(one.const as Json)
      if (Array.isArray(one.enum)) values.push(...(one.enum as readonly Json[]).slice(0, 64))
      for (const type of Array.isArray(one.type) ? one.type : one.type === undefined ? [] : [one.type])
        types.add(String(type))
      for (const choices of [one.anyOf, one.oneOf]) {
        if (Array.isArray(choices)) branches.push(...choices.map((choice: Json) => asSchema(choice)))
      }
      open.push(...branches.slice(opened))
      opened = branches.length
      for (const part of [one.if, one.then, one.else, one.not])
        if (part !== undefined) open.push(asSchema(part))
    }
  }
  return { keywords, values, types, branches }
}

function edges(keywords: JsonObject): Json[] {
  const values: Json[] = []
  for (const name of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']) {
    const bound = keywords[name]
    if (typeof bound === 'number') values.push(bound, bound + 1, bound - 1, bound + 0.5)
  }
  for (const name of ['minLength', 'maxLength']) {
    const bound = keywords[name]
    if (typeof bound !== 'number' || bound < 0 || bound > 2000) continue
    for (const length of [bound - 1, bound, bound + 1]) if (length >= 0) values.push('a'.repeat(length))
  }
  if (typeof keywords.pattern === 'string')
    values.push('a', 'A', '1', '12', 'abc', 'a-b', 'A1', '_', ' ', '2020-01-01')
  return values
}

function arrays(
  given: readonly JsonObject[],
  inA: SchemaDocument,
  wanted: readonly JsonObject[],
  inB: SchemaDocument,
  depth: number,
): Json[] {
  const itemsOf = (all: readonly JsonObject[]): Schema =>
    asSchema(all.map(({ items }) => items).find((items) => items !== undefined && !Array.isArray(items)))
  const bounds = [...given, ...wanted].flatMap(({ minItems, maxItems, uniqueItems }) =>
    [minItems, maxItems, uniqueItems === true ? 2 : undefined].filter(
      (bound): bound is number => typeof bound === 'number',
    ),
  )
  if (bounds.length === 0 && ![...given, ...wanted].some((one) => one.items !== undefined)) return []
  const items = sampleValues(itemsOf(given), inA, itemsOf(wanted), inB, depth + 1)
  const lengths = [...new Set([1, ...bounds.flatMap((bound) => [bound - 1, bound, bound + 1])])].filter(
    (length) => length > 0 && length <= 64,
  )
  return [
    ...items.map((item): Json => [item]),
    ...lengths.flatMap((length): Json[] =>
      items.slice(0, 4).map((item): Json => Array.from({ length }, () => item)),
    ),
    ...lengths.map((length): Json => items.slice(0, length)),
  ]
}

function objects(
  given: readonly JsonObject[],
  inA: SchemaDocument,
  wanted: readonly JsonObject[],
  inB: SchemaDocument,
  depth: number,
): Json[] {
  const declared = new Set<string>()
  const required = new Set<string>()
  for (const one of [...given, ...wanted]) {
    if (isObject(one.properties)) for (const name of Object.keys(one.properties)) declared.add(name)
  }
  for (const one of given) {
    if (Array.isArray(one.required)) for (const name of one.required) required.add(String(name))
  }
  for (const one of wanted) {
    if (Array.isArray(one.required)) for (const name of one.required) declared.add(String(name))
  }
  const names = [...new Set([...required, ...declared])].slice(0, 40)
  if (names.length === 0 && ![...given, ...wanted].some((one) => one.additionalProperties !== undefined))
    return []
  const propertyOf = (all: readonly JsonObject[], name: string): Schema => {
    for (const one of all) {
      if (isObject(one.properties) && Object.hasOwn(one.properties, name))
        return asSchema(one.properties[name])
    }
    return asSchema(all.map((one) => one.additionalProperties).find((schema) => schema !== undefined))
  }
  const samples = new Map(
    names.map((name) => [
      name,
      sampleValues(propertyOf(given, name), inA, propertyOf(wanted, name), inB, depth + 1),
    ]),
  )
  const first = (name: string): Json => samples.get(name)?.[0] ?? 'a'
  const build = (members: readonly string[]): [string, Json][] => members.map((name) => [name, first(name)])
  const least = build(names.filter((name) => required.has(name)))
  const full = build(names)
  const extra = sampleValues(true, inA, true, inB, deepest)[0] ?? 'a'
  const values: Json[] = [Object.fromEntries(least), Object.fromEntries(full)]
  values.push(
    Object.fromEntries([...least, ['otherMember', extra]]),
    Object.fromEntries([...full, ['otherMember', extra]]),
  )
  for (const name of names) {
    values.push(Object.fromEntries(full.filter(([other]) => other !== name)))
    for (const value of samples.get(name) ?? []) {
      const others = least.filter(([other]) => other !== name)
      values.push(Object.fromEntries([...others, [name, value]]))
    }
  }
  return values
}

function distinct(values: readonly Json[]): Json[] {
  const seen = new Set<string>()
  return values.filter((value) => {
    const text = canonicalJson(value)
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
}
