import { describe, expect, it } from 'vitest'
import { checkClaims, type Dialect } from './schema-pairs.ts'

describe('what compareSchemas claims of very many random pairs over all keywords', () => {
  it.each<Dialect>(['2020-12', 'draft-07'])('is contradicted by no value: %s', (dialect) => {
    const { pairs, proven, shown } = checkClaims(dialect, 1_000_000, 20_000)
    expect(proven / pairs).toBeGreaterThan(0.1)
    expect(shown / pairs).toBeGreaterThan(0.1)
  })
})
