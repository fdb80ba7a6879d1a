import { describe, expect, it } from 'vitest'
import { createRandom } from './testing/brute-force.ts'
import { breaksAmbiguity, breaksMatching, breaksOverlap, breaksSoundness, tryMany } from './testing/laws.ts'

const none = { broken: [], undecided: 0 }

describe('matching is the inverse of expansion', () => {
  it('matches everything that small values of every kind expand to', () => {
    expect(tryMany(50, createRandom(1), false, breaksMatching)).toEqual(none)
    expect(tryMany(100, createRandom(21), true, breaksMatching)).toEqual(none)
  })

  it('matches nothing else', () => {
    const random = createRandom(2)
    expect(tryMany(120, random, false, (template) => breaksSoundness(template, random))).toEqual(none)
    expect(tryMany(120, random, true, (template) => breaksSoundness(template, random))).toEqual(none)
  })
})

describe('overlap', () => {
  it('agrees with trying small values, both ways, and gives a shortest witness', () => {
    expect(tryMany(60, createRandom(3), false, breaksOverlap)).toEqual(none)
  })
})

describe('findAmbiguity', () => {
  it('agrees with trying small values, both ways, and explains all that matching does not give back', () => {
    expect(tryMany(60, createRandom(4), false, (template) => breaksAmbiguity(template, false))).toEqual(none)
    expect(tryMany(30, createRandom(5), false, (template) => breaksAmbiguity(template, true))).toEqual(none)
  })
})
