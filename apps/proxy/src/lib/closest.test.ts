import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closest, editDistance } from './closest.ts'

describe('the closest known name', () => {
  it('is the one that was mistyped', () => {
    const known = ['lock', 'log', 'policy', 'servers', 'limits']
    expect(closest('polcy', known)).toBe('policy')
    expect(closest('Lock', known)).toBe('lock')
    expect(closest('sever', known)).toBe('servers')
    expect(closest('colour', known)).toBeUndefined()
  })

  it('is measured as a distance is', () => {
    const word = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', 'c') })
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editDistance(a, a)).toBe(0)
        expect(editDistance(a, b)).toBe(editDistance(b, a))
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c))
        expect(editDistance(a, b)).toBeGreaterThanOrEqual(Math.abs(a.length - b.length))
      }),
    )
  })
})
