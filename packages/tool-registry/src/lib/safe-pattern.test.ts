import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testPattern } from './safe-pattern.ts'

const timestamp =
  '^[0-9]{4,}-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,12})?(Z|[+-][0-9][0-9]:[0-9][0-9])$'

describe('patterns of servers', () => {
  it.each([
    ['^[a-z]+$', 'abc', true],
    ['^[a-z]+$', 'ab1', false],
    ['b', 'abc', true],
    [timestamp, '2026-11-30', false],
    ['^(?:[0-9]{4})-(?:0[1-9]|1[012])$', '2026-11', true],
    ['^(a|b)?c$', 'ac', true],
    ['^[)(|*]\\($', '*(', true],
  ])('are run where they cannot take long: %s on %s', (pattern, text, expected) => {
    expect(testPattern(pattern, text)).toBe(expected)
  })

  it.each([
    '(a+)+$',
    '(a|a)*$',
    '(a*){12}$',
    'a?a?a?a?a?a?a?a?a?a?a?a?a?a?b',
    'a*a*a*a*a*a*a*b',
    '(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)b',
    '(?=a)b',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '[',
    '(',
    'a{x}',
    `${'a'.repeat(301)}`,
  ])('are left open where they could, or are none: %s', (pattern) => {
    expect(testPattern(pattern, 'aaaaaaaaaaaa')).toBeUndefined()
  })

  it('are left open for long texts', () => {
    expect(testPattern('^a*$', 'a'.repeat(13))).toBeUndefined()
  })

  it('end, whatever is made of the pieces of patterns', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '(',
      ')',
      '(?:',
      '|',
      '*',
      '+',
      '?',
      '{2}',
      '{1,}',
      '{0,9}',
    )
    let run = 0
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24, size: 'max' }), (pieces) => {
        const pattern = `${pieces.join('')}x$`
        for (const text of ['aaaaaaaaaaaa', 'abababababab', 'bbbbbbbbbbbb'])
          if (testPattern(pattern, text) !== undefined) run += 1
      }),
      { numRuns: 3000 },
    )
    expect(run).toBeGreaterThan(300)
  })
})
