import { diagnose } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { misspellings } from './misspelled.ts'

const right = 'docs://c/Caf%C3%A9%20100%25%2Fmai'

describe('the mistakes by which one URI became another', () => {
  const known: readonly (readonly [string, string])[] = [
    ['docs://c/Caf%c3%a9%20100%25%2fmai', 'hex-case'],
    ['docs://c/Caf%C3%A9+100%25%2Fmai', 'plus-for-space'],
    ['docs://c/Caf%25C3%25A9%2520100%2525%252Fmai', 'double-encoding'],
    ['docs://c/Café 100%25%2Fmai', 'not-encoded'],
    ['docs://c/Cafe%CC%81%20100%25%2Fmai', 'normalization'],
    ['docs://c/caf%C3%A9%20100%25%2Fmai', 'case-changed'],
  ]

  it.each(known)('names that of %s as diagnose does', (received, code) => {
    expect(misspellings(received, right)).toEqual([code])
    expect(diagnose(received, { uri: right }).map((finding) => finding.code)).toContain(code)
  })

  it('names several', () => {
    expect(misspellings('docs://c/cafe%CC%81+100%25%2Fmai', right)).toEqual([
      'plus-for-space',
      'normalization',
      'case-changed',
    ])
  })

  it('says so where they explain nothing, and finds nothing where there is nothing', () => {
    expect(misspellings('docs://c/other', right)).toEqual(['different'])
    expect(misspellings(right, right)).toEqual([])
    expect(misspellings('%zz%', right)).toEqual(['different'])
  })
})
