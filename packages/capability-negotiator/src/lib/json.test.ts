import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject, own, quote, strings } from './json.ts'

describe('a peer’s text in a message', () => {
  it.each([
    ['plain', '"plain"'],
    ['a "quote"\n', String.raw`"a \"quote\"\n"`],
    ['\u001b[31mred', String.raw`"\u001b[31mred"`],
    ['a\u202eb', String.raw`"a\u{202e}b"`],
    ['a\u200bb\ufeff', String.raw`"a\u{200b}b\u{feff}"`],
    ['tag \u{e0041}', String.raw`"tag \u{e0041}"`],
    ['line\u2028end', String.raw`"line\u{2028}end"`],
    ['\ud800', String.raw`"\ud800"`],
    ['季度报告', '"季度报告"'],
  ])('%j is shown as %s', (text, shown) => {
    expect(quote(text)).toBe(shown)
  })

  it('is short and prints, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(quote(text, 20)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
        expect(quote(text, 20).length).toBeLessThan(23 * 10)
      }),
    )
  })
})

describe('members of a peer’s data', () => {
  it('are its own, never inherited, whatever it is', () => {
    expect(own({ a: 1 }, 'a')).toBe(1)
    expect(own({ a: null }, 'a')).toBeNull()
    for (const value of [{}, [], null, undefined, 'text', 7]) {
      for (const member of ['constructor', 'toString', '__proto__', 'length', 'a'])
        expect(own(value, member)).toBeUndefined()
    }
    expect(own(JSON.parse('{"__proto__":1}'), '__proto__')).toBe(1)
  })

  it('are lists of texts only where every member is one', () => {
    expect(strings(['a', ''])).toEqual(['a', ''])
    expect(strings([])).toEqual([])
    for (const value of [null, 'a', ['a', 1], { 0: 'a', length: 1 }]) expect(strings(value)).toBeUndefined()
    expect([isObject({}), isObject([]), isObject(null), isObject('x')]).toEqual([true, false, false, false])
  })
})
