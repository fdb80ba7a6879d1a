import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonText, shown, table } from './output.ts'

describe('what is printed', () => {
  it('as JSON is the same value, and nothing in it moves a cursor or turns a line around', () => {
    const text = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const printed = jsonText(value)
        expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(printed).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u)
      }),
    )
    expect(jsonText({ a: '\u009b31m \u202e \u{e0041}' })).toBe(
      '{\n  "a": "\\u009b31m \\u202e \\udb40\\udc41"\n}',
    )
  })

  it('of a name is one line in which everything shows', () => {
    expect(shown('a\nb\u0007\u202ec')).toBe('a b⟨U+0007⟩⟨U+202E⟩c')
    expect(shown('a\u001b[2Jb')).not.toContain('\u001b')
  })

  it('as a table keeps its columns, wide characters and marks counted as they show', () => {
    expect(
      table([
        ['季度', 'x'],
        ['e\u0301', 'y'],
        ['long', 'z'],
      ]),
    ).toBe('季度  x\ne\u0301     y\nlong  z')
  })
})
