import { describe, expect, it } from 'vitest'
import { bill, UsageError } from './bill.ts'
import { pricePresets } from './prices.ts'

const prices = { input: 4, cacheWrite: 5, cacheRead: 0.2 }
const planned = { prefixTokens: 9_400 + 2_600, cases: 1_200, requestsPerCase: 7 }

describe('bill', () => {
  it('prices one request of twelve thousand tokens three ways', () => {
    expect(bill(planned, prices).perRequest).toEqual({ uncached: 0.048, write: 0.06, read: 0.0024 })
  })

  it('bills a prefix that holds still: one write and six reads a case', () => {
    expect(bill(planned, prices)).toMatchObject({
      requests: 8_400,
      writes: 1_200,
      reads: 7_200,
      total: 89.28,
      advice: 'cache',
    })
  })

  it('bills one change in the middle of each case', () => {
    expect(bill({ ...planned, writesPerCase: 2 }, prices)).toMatchObject({
      writes: 2_400,
      reads: 6_000,
      total: 158.4,
    })
  })

  it('knows what the same requests cost without a cache, and what the cache saves', () => {
    const { uncached, saved, factor } = bill(planned, prices)
    expect(uncached).toBe(403.2)
    expect(saved).toBe(313.92)
    expect(factor).toBeCloseTo(4.516, 3)
  })

  it('advises to switch the cache off where every request writes it', () => {
    const changing = bill({ ...planned, writesPerCase: 7 }, prices)
    expect(changing).toMatchObject({
      total: 504,
      alwaysWriting: 504,
      uncached: 403.2,
      saved: -100.8,
      advice: 'switch-off',
    })
  })

  it('bills measured tokens the same as planned ones', () => {
    const measured = {
      requests: 8_400,
      writtenTokens: 1_200 * 12_000,
      readTokens: 7_200 * 12_000,
      uncachedTokens: 0,
    }
    expect(bill(measured, prices).total).toBe(89.28)
  })

  it('refuses counts that cannot be', () => {
    expect(() => bill({ ...planned, writesPerCase: 8 }, prices)).toThrow(UsageError)
    expect(() => bill({ ...planned, cases: -1 }, prices)).toThrow('cases: -1 is not a count')
    expect(() => bill({ ...planned, prefixTokens: 1.5 }, prices)).toThrow(UsageError)
  })

  it('dates every preset and keeps reading cheaper than input, input no dearer than writing', () => {
    for (const preset of Object.values(pricePresets)) {
      expect(preset.asOf).toMatch(/^\d{4}-\d\d-\d\d$/)
      expect(preset.cacheRead).toBeLessThan(preset.input)
      expect(preset.input).toBeLessThanOrEqual(preset.cacheWrite)
    }
  })
})
