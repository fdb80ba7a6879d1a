import { describe, expect, it } from 'vitest'
import { createRandom } from './testing/brute-force.ts'
import { breaksAmbiguity, breaksMatching, breaksOverlap, breaksSoundness, tryMany } from './testing/laws.ts'

const none = { broken: [], undecided: 0 }

describe('thousands of templates and pairs', () => {
  it('are matched as the inverse of their expansion', () => {
    expect(tryMany(1500, createRandom(11), false, breaksMatching)).toEqual(none)
    const random = createRandom(12)
    expect(tryMany(3000, random, false, (template) => breaksSoundness(template, random))).toEqual(none)
  })

  it('are matched as the inverse of their expansion where variables are repeated too', () => {
    expect(tryMany(3000, createRandom(31), true, breaksMatching)).toEqual(none)
  })

  it('overlap where trying small values says so, and nowhere else', () => {
    expect(tryMany(3000, createRandom(13), false, breaksOverlap)).toEqual(none)
  })

  it('are ambiguous where trying small values says so, and nowhere else', () => {
    expect(tryMany(2000, createRandom(14), false, (template) => breaksAmbiguity(template, false))).toEqual(
      none,
    )
    expect(tryMany(1000, createRandom(15), false, (template) => breaksAmbiguity(template, true))).toEqual(
      none,
    )
  })

  it('are left undecided only where variables are repeated, and how often is counted', () => {
    const overlaps = tryMany(500, createRandom(16), true, breaksOverlap)
    expect(overlaps.broken).toEqual([])
    expect(overlaps.undecided).toBeLessThan(50)
    const ambiguities = tryMany(300, createRandom(17), true, (template) => breaksAmbiguity(template, false))
    expect(ambiguities.broken).toEqual([])
    expect(ambiguities.undecided).toBeLessThan(60)
    const withMaps = tryMany(150, createRandom(18), true, (template) => breaksAmbiguity(template, true))
    expect(withMaps.broken).toEqual([])
    expect(withMaps.undecided).toBeLessThan(60)
  })
})
