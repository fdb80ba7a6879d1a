import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMissing } from './missing.ts'

describe('the ranges that are missing', () => {
  it('are those of a set of numbers, whatever is added and taken', () => {
    const steps = fc.array(fc.record({ skip: fc.nat(3), length: fc.integer({ min: 1, max: 6 }) }), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(steps, fc.array(fc.nat(80)), (gaps, taken) => {
        const missing = createMissing()
        const plain = new Set<number>()
        let at = 0
        for (const { skip, length } of gaps) {
          at += skip + 1
          missing.add(at, at + length)
          for (let each = 0; each < length; each += 1) plain.add(at + each)
          at += length
        }
        for (const index of taken) expect(missing.take(index)).toBe(plain.delete(index))
        const numbers = missing
          .ranges()
          .flatMap(([from, to]) => Array.from({ length: to - from }, (_, each) => from + each))
        expect(numbers).toEqual([...plain].sort((a, b) => a - b))
      }),
    )
  })

  it('are kept up to a limit', () => {
    const missing = createMissing(2)
    expect([missing.add(1, 2), missing.add(3, 4), missing.add(5, 6)]).toEqual([true, true, false])
    expect(missing.take(5)).toBe(false)
  })
})
