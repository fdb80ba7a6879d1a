import { describe, expect, it } from 'vitest'
import { holdNothingWider, holdUnreachable } from './testing/policy-laws.ts'

describe('laws of policies, at length', () => {
  it('finds nothing wider only where no call at all passes more easily', () => {
    expect(holdNothingWider(10_000)).toBeGreaterThan(2000)
  })

  it('calls a rule unreachable only where no call changes without it', () => {
    expect(holdUnreachable(5000)).toBeGreaterThan(500)
  })
})
