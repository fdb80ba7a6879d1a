import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from './style.ts'

describe('folding', () => {
  it('loses nothing but the spaces it breaks at', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.integer({ min: 24, max: 80 }), (text, width) => {
        const folded = fold(text, '  ', width)
        expect(folded.replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
      }),
    )
  })

  it('keeps lines within the width', () => {
    const lines = fold('word '.repeat(100).trim(), '    ', 60).split('\n')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60)
    expect(lines.length).toBeGreaterThan(5)
  })
})
