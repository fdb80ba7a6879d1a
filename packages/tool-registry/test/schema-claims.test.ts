import { describe, expect, it } from 'vitest'
import { checkClaims, type Dialect } from './schema-pairs.ts'

describe('what compareSchemas claims of random pairs over all keywords', () => {
  it.each<Dialect>(['2020-12', 'draft-07'])('is contradicted by no value: %s', (dialect) => {
    const { proven, shown } = checkClaims(dialect, 400, 1000)
    expect(Math.min(proven, shown)).toBeGreaterThan(0)
  })
})
