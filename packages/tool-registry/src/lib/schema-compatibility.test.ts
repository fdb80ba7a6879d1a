import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from './json.ts'
import { compareSchemas } from './schema-compatibility.ts'

const object = (
  properties: JsonObject,
  required: readonly string[] = [],
  more: JsonObject = {},
): JsonObject => ({
  type: 'object',
  properties,
  required,
  ...more,
})
const text = { type: 'string' }

const cases: readonly (readonly [string, Json, Json, string, string])[] = [
  ['an optional property more', object({ q: text }), object({ q: text, n: { type: 'integer' } }), 'no', 'no'],
  [
    'an optional property more, where others were refused',
    object({ q: text }, [], { additionalProperties: false }),
    object({ q: text, n: text }, [], { additionalProperties: false }),
    'yes',
    'yes',
  ],
  ['a property becomes required', object({ q: text }), object({ q: text }, ['q']), 'no', 'no'],
  ['a property is no longer required', object({ q: text }, ['q']), object({ q: text }), 'yes', 'yes'],
  [
    'an enum gains a value',
    object({ q: { enum: ['a'] } }),
    object({ q: { enum: ['a', 'b'] } }),
    'yes',
    'yes',
  ],
  ['an enum loses a value', object({ q: { enum: ['a', 'b'] } }), object({ q: { enum: ['a'] } }), 'no', 'no'],
  [
    'an enum in another order',
    object({ q: { enum: ['a', 'b'] } }),
    object({ q: { enum: ['b', 'a'] } }),
    'yes',
    'no',
  ],
  [
    'a bound is raised',
    object({ n: { type: 'integer', minimum: 1 } }),
    object({ n: { type: 'integer', minimum: 2 } }),
    'no',
    'no',
  ],
  ['a type is widened', object({ n: { type: 'integer' } }), object({ n: { type: 'number' } }), 'yes', 'yes'],
  ['a type is swapped', object({ n: { type: 'integer' } }), object({ n: text }), 'no', 'yes'],
  [
    'only a description changes',
    object({ q: { type: 'string', description: 'a' } }),
    object({ q: { type: 'string', description: 'b' } }),
    'yes',
    'no',
  ],
  [
    'a property named like a keyword',
    object({ description: text }),
    object({ description: { type: 'integer' } }),
    'no',
    'yes',
  ],
  [
    'a nested property changes',
    object({ o: object({ x: text }) }),
    object({ o: object({ x: { type: 'string', maxLength: 3 } }) }),
    'no',
    'no',
  ],
  [
    'items change',
    object({ l: { type: 'array', items: text } }),
    object({ l: { type: 'array', items: { type: ['string', 'null'] } } }),
    'yes',
    'yes',
  ],
  ['a branch more', { anyOf: [text] }, { anyOf: [text, { type: 'null' }] }, 'yes', 'yes'],
  [
    'a reference in place of what it leads to',
    object({ q: text }),
    { ...object({ q: { $ref: '#/$defs/q' } }), $defs: { q: text } },
    'yes',
    'no',
  ],
  [
    'a pattern is added',
    object({ q: text }),
    object({ q: { type: 'string', pattern: '^[a-z]+$' } }),
    'no',
    'no',
  ],
  [
    'a pattern with groups is added',
    object({ t: text }),
    object({ t: { type: 'string', pattern: '^(\\d{4})-(0[1-9]|1[012])$' } }),
    'no',
    'no',
  ],
  [
    'a pattern with groups is taken away',
    object({ t: { type: 'string', format: 'date', pattern: '^(\\d{4})-(0[1-9]|1[012])$' } }),
    object({ t: text }),
    'yes',
    'yes',
  ],
  ['a format is added, which nobody has to check', text, { type: 'string', format: 'date' }, 'unknown', 'no'],
  [
    'names of members are said to be texts, which they are',
    { type: 'object' },
    { type: 'object', propertyNames: { type: 'string' } },
    'yes',
    'no',
  ],
  [
    'one more of several constants',
    { oneOf: [{ const: 'a' }, { const: 'b' }] },
    { oneOf: [{ const: 'a' }, { const: 'b' }, { const: 'c' }] },
    'yes',
    'yes',
  ],
  [
    'one more kind of object, told apart by a constant',
    { oneOf: [object({ kind: { const: 'a' } }, ['kind']), object({ kind: { const: 'b' } }, ['kind'])] },
    {
      oneOf: [
        object({ kind: { const: 'a' }, n: text }, ['kind']),
        object({ kind: { const: 'b' } }, ['kind']),
        object({ kind: { const: 'c' } }, ['kind']),
      ],
    },
    'no',
    'yes',
  ],
  [
    'a looser branch of those told apart by a constant',
    {
      oneOf: [
        object({ kind: { const: 'a' }, n: text }, ['kind', 'n']),
        object({ kind: { const: 'b' } }, ['kind']),
      ],
    },
    {
      oneOf: [
        object({ kind: { const: 'a' }, n: text }, ['kind']),
        object({ kind: { const: 'b' } }, ['kind']),
      ],
    },
    'yes',
    'yes',
  ],
  [
    'branches that may overlap',
    { oneOf: [object({ a: text }, ['a'])] },
    { oneOf: [object({ a: text }, ['a']), object({ b: text }, ['b'])] },
    'no',
    'yes',
  ],
  [
    'a step that takes in the other',
    { type: 'integer', multipleOf: 6 },
    { type: 'integer', multipleOf: 3 },
    'yes',
    'yes',
  ],
  [
    'what members of some names must be',
    { patternProperties: { '^a': text } },
    { patternProperties: { '^a': { type: 'number' } } },
    'unknown',
    'unknown',
  ],
  [
    'what a member calls for',
    { dependentSchemas: { a: { required: ['b'] } } },
    { dependentSchemas: { a: { required: ['c'] } } },
    'unknown',
    'unknown',
  ],
  [
    'which members a member calls for',
    { dependentRequired: { a: ['b'] } },
    { dependentRequired: { a: ['c'] } },
    'unknown',
    'unknown',
  ],
  [
    'which members a member calls for, in an older draft',
    { dependencies: { a: ['b'] } },
    { dependencies: { a: ['c'] } },
    'unknown',
    'unknown',
  ],
  [
    'items whose first is something else',
    { type: 'array', items: text },
    { type: 'array', items: text, prefixItems: [{ type: 'number' }] },
    'unknown',
    'unknown',
  ],
  [
    'items whose first is one of them',
    { type: 'array', items: text, prefixItems: [{ const: 'a' }] },
    { type: 'array', items: text },
    'yes',
    'unknown',
  ],
  [
    'null, which is not the absence of a constant',
    { const: null },
    {
      type: 'integer',
      anyOf: [{ type: ['number', 'string'], maximum: 0 }, { type: ['null', 'string'] }],
    },
    'no',
    'yes',
  ],
  [
    'what a reference leads to, outside of all keywords',
    { $ref: '#/parts/a', parts: { a: text } },
    { $ref: '#/parts/a', parts: { a: { type: 'number' } } },
    'no',
    'yes',
  ],
  [
    'which schema an anchor names',
    { $ref: '#x', $defs: { a: { ...text, $anchor: 'x' }, b: { type: 'number', $anchor: 'y' } } },
    { $ref: '#x', $defs: { a: { ...text, $anchor: 'y' }, b: { type: 'number', $anchor: 'x' } } },
    'unknown',
    'unknown',
  ],
  [
    'which schema a dynamic anchor names',
    object({ q: { $dynamicRef: '#x' } }, [], { $defs: { a: { ...text, $dynamicAnchor: 'x' } } }),
    object({ q: { $dynamicRef: '#x' } }, [], { $defs: { a: { type: 'number', $dynamicAnchor: 'x' } } }),
    'unknown',
    'unknown',
  ],
  [
    'the description of what a reference leads to',
    object({ q: { $ref: '#/$defs/q' } }, [], { $defs: { q: { ...text, description: 'a' } } }),
    object({ q: { $ref: '#/$defs/q' } }, [], { $defs: { q: { ...text, description: 'b' } } }),
    'yes',
    'no',
  ],
  ['a schema that is lost', object({ q: text }, ['q']), {}, 'yes', 'yes'],
  ['a schema that never ends', { $ref: '#' }, { $ref: '#/properties/x' }, 'unknown', 'unknown'],
]

describe('compareSchemas', () => {
  it.each(cases)('%s', (_, before, after, keepsValid, allowsMore) => {
    expect(compareSchemas(before, after)).toMatchObject({ keepsValid, allowsMore })
  })

  const names = fc.constantFrom('a', 'b', 'c')
  const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
    fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object') }),
    fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: -2, max: 2 }) }),
    fc.record({ type: fc.constant('number'), exclusiveMaximum: fc.integer({ min: -2, max: 2 }) }),
    fc.record({
      type: fc.constant('string'),
      minLength: fc.nat(2),
      maxLength: fc.integer({ min: 2, max: 4 }),
    }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom<Json>('x', 'y', 1, null), { minLength: 1 }) }),
    fc.record({ const: fc.constantFrom<Json>('x', 1) }),
    fc.record({ type: fc.constant('integer'), multipleOf: fc.constantFrom(1, 2, 3, 6) }),
    fc.record({ pattern: fc.constantFrom('^x', '^(x|y)$', 'a?b', '^(?:ab){2}$', '^$') }),
    fc.constant({}),
  )
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'schema' },
      leaf,
      fc.record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(names, tie('schema'), { maxKeys: 3 }),
          required: fc.uniqueArray(names, { maxLength: 2 }),
          additionalProperties: fc.boolean(),
          minProperties: fc.nat(2),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        { type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat(2) },
        { requiredKeys: ['type'] },
      ),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ not: leaf }),
      fc.record({ type: fc.constant('object'), propertyNames: leaf }),
      // Objects that a constant tells apart, as servers have them.
      fc.record({
        oneOf: fc.array(
          fc
            .record({ kind: fc.constantFrom<Json>('x', 'y', 1), rest: tie('schema') })
            .map(({ kind, rest }) => ({
              type: 'object',
              properties: { a: { const: kind }, b: rest },
              required: ['a'],
            })),
          { minLength: 1, maxLength: 3 },
        ),
      }),
    ) as fc.Arbitrary<JsonObject>,
  }))
  const value = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'value' },
      fc.constantFrom<Json>('x', 'y', '', 'abcd', 0, 1, -2, 2, 0.5, null, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 3 }),
    ) as fc.Arbitrary<Json>,
  })).value

  it('never says more than an independent validator shows', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    let decided = 0
    fc.assert(
      fc.property(
        schema,
        schema,
        fc.array(value, { minLength: 20, maxLength: 20 }),
        (before, after, values) => {
          const was = ajv.compile(before)
          const is = ajv.compile(after)
          const verdict = compareSchemas(before, after)
          if (verdict.keepsValid !== 'unknown' && verdict.allowsMore !== 'unknown') decided += 1
          if (verdict.keepsValid === 'no')
            expect([was(verdict.broken), is(verdict.broken)]).toEqual([true, false])
          if (verdict.allowsMore === 'yes')
            expect([was(verdict.allowed), is(verdict.allowed)]).toEqual([false, true])
          for (const one of values) {
            if (verdict.keepsValid === 'yes' && was(one)) expect(is(one)).toBe(true)
            if (verdict.allowsMore === 'no' && is(one)) expect(was(one)).toBe(true)
          }
        },
      ),
      { numRuns: 60 },
    )
    expect(decided).toBeGreaterThan(25)
  })
})
