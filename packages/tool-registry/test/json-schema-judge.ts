import type { Json, JsonObject } from '../src/lib/json.ts'

/**
 * Which members and items of a valid value were looked at by a schema (2020-12, core, section 11), or undefined for a
 * value that is not valid.
 */
type Seen = ReadonlySet<string> | undefined

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** Equality of JSON values (2020-12, core, section 4.2.2). */
function equal(a: Json, b: Json): boolean {
  if (isList(a)) return isList(b) && a.length === b.length && a.every((one, at) => equal(one, b[at] as Json))
  if (!isObject(a)) return a === b
  if (!isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equal(a[name] as Json, b[name] as Json))
  )
}

const hasType = (value: Json, type: Json): boolean => {
  if (type === 'null') return value === null
  if (type === 'array') return isList(value)
  if (type === 'object') return isObject(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

const follow = (root: JsonObject, ref: string): Json => {
  let at: Json | undefined = root
  for (const token of ref.split('/').slice(1)) at = isObject(at) ? at[token] : undefined
  if (at === undefined) throw new Error(`nothing at ${ref}`)
  return at
}

/**
 * A validator of plain words, for tests: every keyword as the specification says it, 2020-12 and draft-07 together,
 * formats unchecked, references only into objects. It shares nothing with what it judges.
 */
export function isValidFor(root: JsonObject, value: Json): boolean {
  return look(root, value, root) !== undefined
}

function look(schema: Json, value: Json, root: JsonObject): Seen {
  if (typeof schema === 'boolean') return schema ? new Set() : undefined
  const s = schema as JsonObject
  const seen = new Set<string>()
  let valid = true
  const must = (holds: boolean): void => {
    valid &&= holds
  }
  const isValid = (part: Json, inner: Json): boolean => look(part, inner, root) !== undefined
  /** Looks at the same value again, and takes over what was seen. */
  const also = (part: Json): boolean => {
    const more = look(part, value, root)
    for (const one of more ?? []) seen.add(one)
    return more !== undefined
  }
  const number = (keyword: string): number | undefined => s[keyword] as number | undefined
  const parts = (keyword: string): readonly Json[] => (s[keyword] ?? []) as readonly Json[]

  if (s.type !== undefined) must([s.type].flat().some((type) => hasType(value, type as Json)))
  if (s.enum !== undefined) must(parts('enum').some((one) => equal(one, value)))
  if (s.const !== undefined) must(equal(s.const, value))
  if (s.$ref !== undefined) must(also(follow(root, String(s.$ref))))
  for (const part of parts('allOf')) must(also(part))
  if (s.anyOf !== undefined) must(parts('anyOf').filter(also).length > 0)
  if (s.oneOf !== undefined) must(parts('oneOf').filter(also).length === 1)
  if (s.not !== undefined) must(!isValid(s.not, value))
  if (s.if !== undefined) must(also((also(s.if) ? s.then : s.else) ?? true))

  if (typeof value === 'number') {
    must(value >= (number('minimum') ?? value) && value <= (number('maximum') ?? value))
    must(value > (number('exclusiveMinimum') ?? -Infinity))
    must(value < (number('exclusiveMaximum') ?? Infinity))
    must(Number.isInteger(value / (number('multipleOf') ?? (value || 1))))
  }
  if (typeof value === 'string') {
    const { length } = [...value]
    must(length >= (number('minLength') ?? 0) && length <= (number('maxLength') ?? length))
    must(s.pattern === undefined || new RegExp(String(s.pattern), 'u').test(value))
  }
  if (isList(value)) {
    const { length } = value
    must(length >= (number('minItems') ?? 0) && length <= (number('maxItems') ?? length))
    if (s.uniqueItems === true)
      must(value.every((one, at) => !value.slice(0, at).some((other) => equal(one, other))))
    const first = isList(s.items) ? s.items : parts('prefixItems')
    const rest = isList(s.items) ? s.additionalItems : s.items
    const found = value.map((item) => s.contains !== undefined && isValid(s.contains, item))
    const count = found.filter(Boolean).length
    if (s.contains !== undefined)
      must(count >= (number('minContains') ?? 1) && count <= (number('maxContains') ?? length))
    for (const [at, item] of value.entries()) {
      const part = at < first.length ? first[at] : rest
      if (part !== undefined) must(isValid(part, item))
      if (part !== undefined || found[at]) seen.add(String(at))
      if (s.unevaluatedItems !== undefined && !seen.has(String(at))) must(isValid(s.unevaluatedItems, item))
      if (s.unevaluatedItems !== undefined) seen.add(String(at))
    }
  }
  if (isObject(value)) {
    const names = Object.keys(value)
    const has = (name: Json): boolean => Object.hasOwn(value, String(name))
    must(
      names.length >= (number('minProperties') ?? 0) && names.length <= (number('maxProperties') ?? Infinity),
    )
    must(parts('required').every(has))
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'])
      for (const [name, needed] of Object.entries(s[keyword] ?? {}) as [string, Json][])
        if (has(name)) must(isList(needed) ? needed.every(has) : also(needed))
    for (const name of names) {
      const member = value[name] as Json
      if (s.propertyNames !== undefined) must(isValid(s.propertyNames, name))
      const own = Object.entries(s.properties ?? {}).filter(([known]) => known === name)
      const like = Object.entries(s.patternProperties ?? {}).filter(([one]) =>
        new RegExp(one, 'u').test(name),
      )
      const all = [...own, ...like].map(([, part]) => part as Json)
      if (all.length === 0 && s.additionalProperties !== undefined) all.push(s.additionalProperties)
      must(all.every((part) => isValid(part, member)))
      if (all.length > 0) seen.add(name)
    }
    if (s.unevaluatedProperties !== undefined)
      for (const name of names.filter((one) => !seen.has(one)))
        must(isValid(s.unevaluatedProperties, value[name] as Json))
    if (s.unevaluatedProperties !== undefined) for (const name of names) seen.add(name)
  }
  return valid ? seen : undefined
}
