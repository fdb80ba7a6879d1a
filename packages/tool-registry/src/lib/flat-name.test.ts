import { describe, expect, it } from 'vitest'
import { flatName } from './flat-name.ts'

describe('flatName', () => {
  it('is readable wherever that is safe', () => {
    expect(flatName({ server: 'shop-a', name: 'search' })).toBe('shop-a__search')
  })
})
