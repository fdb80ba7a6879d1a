import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expandTemplate, type TemplateValue, type TemplateValues } from './expand-template.ts'
import type { Operator } from './template.ts'
import type { TemplateValueError } from './template-value-error.ts'

const one = (template: string, v: TemplateValue) => expandTemplate(template, { v })

const refusal = (template: string, v: unknown): TemplateValueError => {
  try {
    expandTemplate(template, { v } as TemplateValues)
  } catch (error) {
    return error as TemplateValueError
  }
  throw new Error(`${template} was expanded`)
}

describe('expandTemplate', () => {
  it('writes a Han path by simple, reserved and path expansion', () => {
    const path = '季度报告/2025 Q1 财务.pdf'
    expect(expandTemplate('file:///{path}', { path })).toBe(
      'file:///%E5%AD%A3%E5%BA%A6%E6%8A%A5%E5%91%8A%2F2025%20Q1%20%E8%B4%A2%E5%8A%A1.pdf',
    )
    const kept = 'file:///%E5%AD%A3%E5%BA%A6%E6%8A%A5%E5%91%8A/2025%20Q1%20%E8%B4%A2%E5%8A%A1.pdf'
    expect(expandTemplate('file:///{+path}', { path })).toBe(kept)
    expect(expandTemplate('file://{/path*}', { path: path.split('/') })).toBe(kept)
    expect(expandTemplate('file://{/path}', { path: 'a/b' })).toBe('file:///a%2Fb')
  })

  it('encodes by UTF-8, astral characters and map keys too', () => {
    expect(one('{v}', '😀')).toBe('%F0%9F%98%80')
    expect(one('{v}', '👩‍👧')).toBe('%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7')
    expect(one('{?v*}', { '😀': 'a' })).toBe('?%F0%9F%98%80=a')
    expect(one('{v}', '\t\u0002F')).toBe('%09%02F')
    expect(one('{v}', "!'()*")).toBe('%21%27%28%29%2A')
    expect(one('{+v}', '<>"\\{}\n^`|')).toBe('%3C%3E%22%5C%7B%7D%0A%5E%60%7C')
  })

  it('keeps triplets in reserved expansion, one by one, also in lists and maps', () => {
    const expected = {
      'admin%2F': 'admin%2F',
      'a b%20c': 'a%20b%20c',
      '50%': '50%25',
      '%zz': '%25zz',
      '%2': '%252',
      '%c3%A9': '%c3%A9',
    }
    for (const [value, uri] of Object.entries(expected)) {
      expect(one('{+v}', value)).toBe(uri)
      expect(one('{#v}', value)).toBe(`#${uri}`)
      expect(one('{+v*}', [value, value])).toBe(`${uri},${uri}`)
      expect(one('{#v*}', { [value]: value })).toBe(`#${uri}=${uri}`)
    }
    expect(one('{#v}', 'x y%20z')).toBe('#x%20y%20z')
    expect(one('{v}', 'a%20b')).toBe('a%2520b')
  })

  it('encodes literals that need it, once', () => {
    expect(expandTemplate('file:///docs/café/{v}', { v: 'a' })).toBe('file:///docs/caf%C3%A9/a')
    expect(expandTemplate('file:///docs/caf%C3%A9/{v}', { v: 'a' })).toBe('file:///docs/caf%C3%A9/a')
    expect(expandTemplate("it's/{v}", { v: 'a' })).toBe("it's/a")
  })

  it('cuts a prefix by code point, before encoding', () => {
    expect(one('{v:1}', '😀x')).toBe('%F0%9F%98%80')
    expect(one('{v:2}', '%2F')).toBe('%252')
    expect(one('{+v:2}', 'a%20b')).toBe('a%25')
    expect(one('{v:3}', 12345)).toBe('123')
    expect(one('{v:9999}', 'ab')).toBe('ab')
    expect(one('{v:2}', 'e\u0301x')).toBe('e%CC%81')
  })

  it('takes numbers and booleans for their text', () => {
    expect(expandTemplate('{?a,b,c,d}', { a: 0, b: false, c: -1.5, d: 2n ** 64n })).toBe(
      '?a=0&b=false&c=-1.5&d=18446744073709551616',
    )
    expect(one('{v}', [1, true])).toBe('1,true')
  })

  it('skips what is undefined, and nothing else', () => {
    expect(expandTemplate('{a}{?a,b,c}', { a: undefined, b: null })).toBe('')
    expect(one('{v}', [null, 'a', undefined, ''])).toBe('a,')
    expect(one('{?v*}', { a: null, b: '', c: undefined })).toBe('?b=')
    for (const empty of [[], {}, [null], { a: undefined }]) expect(one('{/v}{?v}{v*}', empty)).toBe('')
    const empties = {
      '{v}': '',
      '{+v}': '',
      '{#v}': '#',
      '{.v}': '.',
      '{/v}': '/',
      '{;v}': ';v',
      '{?v}': '?v=',
      '{&v}': '&v=',
    }
    for (const [template, uri] of Object.entries(empties))
      expect([template, one(template, '')]).toEqual([template, uri])
  })

  it('lets explode on a text act as on the text', () => {
    expect(one('{?v*}', 'a')).toBe('?v=a')
    expect(one('{/v*}', 'a')).toBe('/a')
    expect(one('{;v*}', '')).toBe(';v')
  })

  it('reads own properties only, of any name', () => {
    expect(expandTemplate('{toString}{__proto__}{constructor}{?valueOf}', {})).toBe('')
    expect(expandTemplate('{v}', Object.create({ v: 'inherited' }))).toBe('')
    expect(expandTemplate('{toString}{?__proto__}', JSON.parse('{"toString":"a","__proto__":"b"}'))).toBe(
      'a?__proto__=b',
    )
    expect(expandTemplate('{v}', Object.assign(Object.create(null), { v: 'a' }))).toBe('a')
  })

  it('refuses what no expansion is defined for, and names the variable', () => {
    const refused: readonly (readonly [string, unknown, string])[] = [
      ['{v:3}', ['a'], 'prefix-on-composite'],
      ['{?v:3}', { a: 'b' }, 'prefix-on-composite'],
      ['{v}', '\ud83d', 'lone-surrogate'],
      ['{v:1}', '\ude00x', 'lone-surrogate'],
      ['{+v}', ['a', '\ud83d'], 'lone-surrogate'],
      ['{v}', { '\ud83d': 'a' }, 'lone-surrogate'],
      ['{v}', [['a']], 'unsupported-value'],
      ['{v}', { a: { b: 'c' } }, 'unsupported-value'],
      ['{v}', new Date(0), 'unsupported-value'],
      ['{v}', new Map([['a', 'b']]), 'unsupported-value'],
      ['{v}', () => 'a', 'unsupported-value'],
      ['{v}', Symbol('a'), 'unsupported-value'],
    ]
    for (const [template, value, code] of refused)
      expect(refusal(template, value)).toMatchObject({ code, variable: 'v', name: 'TemplateValueError' })
  })

  it('refuses to grow beyond its limit, at once', () => {
    const value = 'x'.repeat(1 << 20)
    const error = refusal('{v}'.repeat(100), value)
    expect(error.code).toBe('too-long')
    expect(
      refusal(
        '{v}',
        Array.from({ length: 100 }, () => value),
      ).code,
    ).toBe('too-long')
    expect(one('{v}{v}', value)).toHaveLength(2 << 20)
  })

  it('gives a URI, whatever the template and the values', () => {
    const operator = fc.constantFrom<Operator>('', '+', '#', '.', '/', ';', '?', '&')
    const text = fc.string({ unit: 'binary', maxLength: 8 })
    const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.dictionary(text, text, { maxKeys: 3 }))
    fc.assert(
      fc.property(operator, value, fc.boolean(), (operator, v, explode) => {
        const uri = one(`x:{${operator}v${explode ? '*' : ''}}`, v)
        expect(uri).toMatch(/^x:(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/)
      }),
      { numRuns: 400 },
    )
  })
})
