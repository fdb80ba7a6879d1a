import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CanonicalJsonError, canonicalJson } from './canonical-json.ts'
import { digestDefinition, digestDefinitionText, digestSet } from './digest.ts'
import { findRepeatedMember } from './json-text.ts'

describe('canonicalJson', () => {
  it('agrees with an independent implementation of RFC 8785', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }), (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
      { numRuns: 300 },
    )
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (value) => canonicalJson(value) === canonicalize(value),
      ),
    )
  })

  it('is the same for every spelling, order and layout of a text', () => {
    const spellings = [
      '{"b":[1,2.50,1e3],"a":"é/","10":null,"9":true}',
      '{ "9" : true,\n"10":null , "a":"\\u00e9\\/", "b":[1.0, 2.5, 1000] }',
    ]
    expect(spellings.map((text) => canonicalJson(JSON.parse(text)))).toEqual(
      Array(2).fill('{"10":null,"9":true,"a":"é/","b":[1,2.5,1000]}'),
    )
  })

  it('tells apart what means another thing', () => {
    const different = [
      { a: null },
      {},
      { a: ['x', 'y'] },
      { a: ['y', 'x'] },
      { a: 'é' },
      { a: 'e\u0301' },
      { a: '1' },
      { a: 1 },
      { a: [] },
      { a: {} },
    ]
    expect(new Set(different.map((value) => canonicalJson(value))).size).toBe(different.length)
  })

  it('hashes a member named __proto__ like any other and takes undefined for absent', () => {
    const odd = JSON.parse('{"__proto__":{"x":1},"a":1}') as object
    expect(canonicalJson(odd)).toBe('{"__proto__":{"x":1},"a":1}')
    expect(canonicalJson({ annotations: undefined, a: 1 })).toBe('{"a":1}')
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it.each<[string, unknown, string, string]>([
    ['NaN', { a: [Number.NaN] }, 'not-json', '/a/0'],
    ['Infinity', [Number.POSITIVE_INFINITY], 'not-json', '/0'],
    ['a function', { a: { 'b/c': () => 1 } }, 'not-json', '/a/b~1c'],
    ['a hole', [1, undefined], 'not-json', '/1'],
    ['a date', { a: new Date(0) }, 'not-json', '/a'],
    ['a bigint', 1n, 'not-json', ''],
  ])('refuses what JSON cannot say, and says where: %s', (_, value, code, pointer) => {
    try {
      canonicalJson(value)
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(CanonicalJsonError)
      expect(error).toMatchObject({ code, pointer })
    }
  })

  it('bounds depth, below, at and above the limit, and refuses cycles', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
    expect(canonicalJson(nested(1000))).toHaveLength(2001)
    expect(() => canonicalJson(nested(1001))).toThrow('more than 1000 levels')
    expect(() => canonicalJson(nested(3), { maxDepth: 2 })).toThrow(CanonicalJsonError)
    const cycle: unknown[] = []
    cycle.push(cycle)
    expect(() => canonicalJson(cycle)).toThrow('a value inside itself at /0')
    const shared = { x: 1 }
    expect(canonicalJson([shared, shared])).toBe('[{"x":1},{"x":1}]')
  })
})

describe('digestDefinitionText', () => {
  it('equals the digest of the parsed definition wherever no member is repeated', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (definition) => {
        for (const text of [JSON.stringify(definition), JSON.stringify(definition, null, 2)]) {
          expect(digestDefinitionText(text)).toBe(digestDefinition(JSON.parse(text)))
        }
      }),
    )
  })

  it('finds repeated members however they are spelled, and says where', () => {
    expect(findRepeatedMember('{"a":1,"\\u0061":2}')).toBe('/a')
    expect(findRepeatedMember('{"x":[{"a":1},{"b":{"c":1,"c":2}}]}')).toBe('/x/1/b/c')
    expect(findRepeatedMember('{"a":{"a":{"a":1}},"b":["a","a"],"c":"\\"a\\":1,\\"a\\":2"}')).toBeUndefined()
    expect(findRepeatedMember('{"a\\\\":1,"a\\\\\\"":2}')).toBeUndefined()
    for (const text of ['', '[]', '1', 'null', '{"a":1', '{"a":1,"a":2}'])
      expect(digestDefinitionText(text)).toBeUndefined()
  })

  it('never misses a repeated member: differential', () => {
    const name = fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"', '"a\\n"')
    const object = fc.array(fc.tuple(name, fc.constantFrom('1', '{"a":[]}', '"a"')), { maxLength: 4 })
    fc.assert(
      fc.property(object, (members) => {
        const text = `{${members.map(([key, value]) => `${key}:${value}`).join(',')}}`
        const names = members.map(([key]) => JSON.parse(key) as string)
        expect(findRepeatedMember(text) !== undefined).toBe(new Set(names).size < names.length)
      }),
    )
  })
})

describe('digestSet', () => {
  it('has none for a definition without a canonical form, and lets an application bring its own SHA-256', () => {
    expect(digestSet([{ name: 'a', x: Number.NaN }])).toBeUndefined()
    expect(digestSet([{ name: 'a' }], { sha256: () => new Uint8Array([1, 255]) })).toBe('01ff')
  })
})
