import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldMarks, foldName } from './fold-name.ts'

describe('a folded name', () => {
  it.each([
    ['letter case', 'Отчёт МАЙ', 'отчёт май'],
    ['decomposed letters', 'Отчёт май'.normalize('NFD'), 'Отчёт май'],
    ['spacing', '  Отчёт\u00a0\t май ', 'Отчёт май'],
    ['full width letters', '２０２５ Ｑ１', '2025 q1'],
    ['a letter whose upper case is two', 'Straße', 'STRASSE'],
    ['a capital sharp s', 'STRAẞE', 'strasse'],
    ['the final sigma', 'ΟΔΟΣ', 'οδος'],
  ])('forgives %s', (_what, one, other) => expect(foldName(one)).toBe(foldName(other)))

  it.each([
    ['a+b', 'a b'],
    ['%2F', '/'],
    ['Отчёт май/июнь', 'Отчёт май'],
    ['Отчёт', 'Отчет'],
  ])('keeps %s and %s apart', (one, other) => expect(foldName(one)).not.toBe(foldName(other)))

  it('does not change when folded again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(foldName(foldName(name))).toBe(foldName(name))
        expect(foldMarks(foldMarks(name))).toBe(foldMarks(name))
      }),
      { numRuns: 1000 },
    )
  })

  it('forgives marks only where that is asked for', () => {
    expect(foldMarks('Отчёт')).toBe(foldMarks('отчет'))
    expect(foldMarks('Résumé')).toBe('resume')
  })
})
