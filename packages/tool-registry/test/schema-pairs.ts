import fc from 'fast-check'
import type { Json, JsonObject } from '../src/lib/json.ts'
import { compareSchemas } from '../src/lib/schema-compatibility.ts'
import { isValidFor } from './json-schema-judge.ts'

/** A schema or a value of a keyword, before and after; most often nearly the same. */
type Pair<T extends Json> = readonly [before: T, after: T]
type Pairs = fc.Arbitrary<Pair<Json>>

const scalars: readonly Json[] = [null, true, false, 0, 1, -1, 2, 0.5, '', 'a', 'b', 'ab', 'aab']
const small: readonly Json[] = [null, 0, 1, 'a', 'ab', [], {}]
const names = ['a', 'b', 'ab']

/** Every scalar, and every list and object of few small members: what schemas are tried on. */
const values: readonly Json[] = [
  ...scalars,
  [],
  {},
  ...small.flatMap((first): Json[] => [
    [first],
    ...small.map((second): Json => [first, second]),
    ...names.map((name): Json => ({ [name]: first })),
    ...small.map((second): Json => ({ a: first, b: second })),
  ]),
  ...[null, 1, 'a'].flatMap((first): Json[] => [
    [first, 'a', 1],
    [first, 1, 'ab'],
    { ab: first, b: 1 },
    { a: first, b: 'a', ab: 1 },
    { a: { a: first } },
    { a: [first, 'a'] },
  ]),
]

const same = (one: fc.Arbitrary<Json>): Pairs => one.map((value) => [value, value])
/** Twice as often the same value as two of them. */
const near = (one: fc.Arbitrary<Json>): Pairs =>
  fc.oneof({ weight: 2, arbitrary: same(one) }, { weight: 1, arbitrary: fc.tuple(one, one) })

const listOf = (pairs: Pairs, least = 1): Pairs =>
  fc
    .array(pairs, { minLength: least, maxLength: 2 })
    .map((all) => [all.map(([before]) => before), all.map(([, after]) => after)])
const mapOf = (keys: readonly string[], pairs: Pairs): Pairs =>
  fc.dictionary(fc.constantFrom(...keys), pairs, { minKeys: 1, maxKeys: 2 }).map((all) => {
    const part = (at: 0 | 1): Json =>
      Object.fromEntries(Object.entries(all).map(([name, pair]) => [name, pair[at]]))
    return [part(0), part(1)]
  })

const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
const type = fc.oneof(
  fc.constantFrom<Json>(...types),
  fc.uniqueArray(fc.constantFrom<Json>(...types), { minLength: 1, maxLength: 3 }),
)
const count = near(fc.nat(2))
const bound = near(fc.constantFrom<Json>(-1, 0, 0.5, 1, 2))
const someNames = fc.uniqueArray(fc.constantFrom<Json>(...names), { minLength: 1, maxLength: 2 })
const someValues = fc.uniqueArray(fc.constantFrom<Json>(...scalars, [], {}, [1], { a: 1 }), {
  minLength: 1,
  maxLength: 3,
  selector: (value) => JSON.stringify(value),
})
const refs = fc.constantFrom<Json>('#/$defs/a', '#/$defs/b', '#/$defs/b/items', '#/x-shared/a')

/** The keywords of a dialect with pairs of values for each; `inner` is a pair of schemas. */
function keywordsOf(dialect: Dialect, inner: Pairs): readonly (readonly [string, Pairs])[] {
  const both: (readonly [string, Pairs])[] = [
    ['type', near(type)],
    ['enum', near(someValues)],
    ['const', near(fc.constantFrom<Json>(null, 0, 1, 'a', [], {}, false))],
    ['multipleOf', near(fc.constantFrom<Json>(0.5, 1, 2, 3))],
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((name) => [name, bound] as const),
    ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
      (name) => [name, count] as const,
    ),
    ['pattern', near(fc.constantFrom('^a', 'b$', '^[ab]*$', 'a'))],
    ['format', near(fc.constantFrom('date', 'x'))],
    ['items', inner],
    ['contains', inner],
    ['uniqueItems', near(fc.boolean())],
    ['required', near(someNames)],
    ['properties', mapOf(names, inner)],
    ['patternProperties', mapOf(['^a', 'b', 'b$'], inner)],
    ['additionalProperties', inner],
    ['propertyNames', inner],
    ['anyOf', listOf(inner)],
    ['oneOf', listOf(inner)],
    ['allOf', listOf(inner)],
    ['not', inner],
    ['if', inner],
    ['then', inner],
    ['else', inner],
    ['$ref', near(refs)],
    ['title', near(fc.constantFrom('x', 'y'))],
  ]
  return dialect === 'draft-07'
    ? [
        ...both,
        ['items', listOf(inner)],
        ['additionalItems', inner],
        ['dependencies', mapOf(names, near(someNames))],
        ['dependencies', mapOf(names, inner)],
      ]
    : [
        ...both,
        ['prefixItems', listOf(inner)],
        ['minContains', count],
        ['maxContains', count],
        ['dependentRequired', mapOf(names, near(someNames))],
        ['dependentSchemas', mapOf(names, inner)],
        ['unevaluatedProperties', inner],
        ['unevaluatedItems', inner],
      ]
}

/** Which drafts' keywords stand in a pair. */
export type Dialect = 'draft-07' | '2020-12'

const schemaPairs = (dialect: Dialect): Pairs =>
  fc.letrec<{ pair: Pair<Json> }>((tie) => {
    const parts = (inner: Pairs, most: number): Pairs =>
      fc
        .array(
          fc.tuple(
            fc.oneof(
              ...keywordsOf(dialect, inner).map(([name, pairs]) => fc.tuple(fc.constant(name), pairs)),
            ),
            fc.constantFrom('both', 'both', 'both', 'before', 'after'),
          ),
          { minLength: 1, maxLength: most },
        )
        .map((all) => {
          const part = (at: 0 | 1, not: string): Json =>
            Object.fromEntries(
              all.filter(([, where]) => where !== not).map(([[name, pair]]) => [name, pair[at]]),
            )
          return [part(0, 'after'), part(1, 'before')]
        })
    const simple: Pairs = fc.oneof(
      { weight: 1, arbitrary: near(fc.boolean()) },
      { weight: 6, arbitrary: near(type.map((name) => ({ type: name }))) },
      { weight: 2, arbitrary: near(someValues.map((some) => ({ enum: some }))) },
      { weight: 1, arbitrary: near(fc.constantFrom<Json>({ const: null }, { const: 1 }, {})) },
      {
        weight: 2,
        arbitrary: near(fc.constantFrom<Json>({ maxLength: 1 }, { minimum: 1 }, { required: ['a'] })),
      },
      { weight: 1, arbitrary: near(refs.map((ref) => ({ $ref: ref }))) },
    )
    return {
      pair: fc.oneof({ maxDepth: 2, depthIdentifier: 'pair' }, simple, parts(tie('pair'), 4)),
    } as { pair: Pairs }
  }).pair

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether every reference of a root schema has something to lead to. */
const leadsSomewhere = (root: JsonObject): boolean => {
  const target = isObject(root.$defs as Json) ? (root.$defs as JsonObject).b : undefined
  const found = target !== undefined && isObject(target) && target.items !== undefined
  return found || !JSON.stringify(root).includes('#/$defs/b/items')
}

/** Two root schemas; those that references lead to differ now and then. */
function rootPairs(dialect: Dialect): fc.Arbitrary<Pair<JsonObject>> {
  const inner = schemaPairs(dialect)
  const shared = near(
    fc.constantFrom<Json>({ type: 'string' }, { type: 'integer' }, { items: { const: 1 } }, true),
  )
  return fc
    .tuple(inner, mapOf(['a', 'b'], shared), shared)
    .filter(([[before, after]]) => isObject(before) && isObject(after))
    .map(([pair, defs, foreign]) => {
      const root = (at: 0 | 1): JsonObject => ({
        ...(pair[at] as JsonObject),
        $defs: { a: true, b: true, ...(defs[at] as JsonObject) },
        'x-shared': { a: foreign[at] },
      })
      return [root(0), root(1)]
    })
}

/** Of how many pairs something was proven or shown by a value. */
interface Tally {
  pairs: number
  proven: number
  shown: number
}

/**
 * Random pairs of schemas over every keyword that is known: no claim is contradicted by any of the values.
 *
 * @throws for a claim that a value contradicts
 */
export function checkClaims(dialect: Dialect, numRuns: number, milliseconds: number): Tally {
  const tally: Tally = { pairs: 0, proven: 0, shown: 0 }
  fc.assert(
    fc.property(rootPairs(dialect), ([before, after]) => {
      tally.pairs += 1
      const { keepsValid, allowsMore, broken, allowed } = compareSchemas(before, after)
      if (keepsValid === 'unknown' && allowsMore === 'unknown') return
      // What a reference leads to need not be there.
      if (!leadsSomewhere(before) || !leadsSomewhere(after)) return
      const was = (value: Json): boolean => isValidFor(before, value)
      const is = (value: Json): boolean => isValidFor(after, value)
      if (keepsValid === 'yes' || allowsMore === 'no') tally.proven += 1
      if (keepsValid === 'no' || allowsMore === 'yes') tally.shown += 1
      const says = (value: Json) => `${JSON.stringify(value)}: ${was(value)} -> ${is(value)}`
      const contradicted = (what: string, value: Json): never => {
        throw new Error(`${what}, but ${says(value)}`)
      }
      if (broken !== undefined && !(was(broken) && !is(broken))) contradicted('said to be broken', broken)
      if (allowed !== undefined && !(!was(allowed) && is(allowed)))
        contradicted('said to be allowed', allowed)
      for (const value of values) {
        if (keepsValid === 'yes' && was(value) && !is(value)) contradicted('keepsValid is yes', value)
        if (allowsMore === 'no' && !was(value) && is(value)) contradicted('allowsMore is no', value)
      }
    }),
    { numRuns, interruptAfterTimeLimit: milliseconds },
  )
  return tally
}
