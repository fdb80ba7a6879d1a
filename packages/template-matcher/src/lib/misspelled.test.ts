import { diagnose } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { misspellings } from './misspelled.ts'

const right = 'docs://c/Caf%C3%A9%20100%25%2Fmai%2B%2541'

describe('the mistakes by which one URI became another', () => {
  const known: readonly (readonly [string, string])[] = [
    ['docs://c/Caf%C3%A9+100%25%2Fmai%2B%2541', 'plus-for-space'],
    ['docs://c/Caf%C3%A9%2B100%25%2Fmai%2B%2541', 'plus-for-space'],
    ['docs://c/Caf%C3%A9%20100%25%2Fmai%20%2541', 'plus-read-as-space'],
    ['docs://c/Caf%25C3%25A9%2520100%2525%252Fmai%252B%252541', 'double-encoding'],
    ['docs://c/Caf%25c3%25a9%2520100%2525%252fmai%252b%252541', 'double-encoding'],
    ['docs://c/Café%20100%25%2Fmai%2B%2541', 'not-encoded'],
    ['docs://c/Caf%C3%A9 100%25%2Fmai%2B%2541', 'not-encoded'],
    ['docs://c/Caf%C3%A9%20100%25/mai%2B%2541', 'raw-slash'],
    ['docs://c%2FCaf%C3%A9%20100%25%2Fmai%2B%2541', 'reserved-encoded'],
    ['docs://c/Cafe%CC%81%20100%25%2Fmai%2B%2541', 'normalization'],
    ['docs://c/caf%C3%A9%20100%25%2Fmai%2B%2541', 'case-changed'],
    ['docs://c/Caf%C3%89%20100%25%2Fmai%2B%2541', 'case-changed'],
  ]

  it.each(known)('names that of %s as diagnose does', (received, code) => {
    expect(misspellings(received, right)).toEqual([code])
    expect(diagnose(received, { uri: right }).map((finding) => finding.code)).toContain(code)
  })

  it('names each once, in the order of their places', () => {
    expect(misspellings('docs://c/cafe%CC%81+100%25%2Fmai%2B%2541', right)).toEqual([
      'plus-for-space',
      'normalization',
      'case-changed',
    ])
    expect(misspellings('docs://c/Caf%C3%A9+100%/mai+%41', right)).toEqual([
      'plus-for-space',
      'not-encoded',
      'raw-slash',
    ])
  })

  it('names none where it is the same URI', () => {
    expect(misspellings(right, right)).toEqual([])
    expect(misspellings('docs://c/Caf%c3%a9%20100%25%2fmai%2b%2541', right)).toEqual([])
    expect(misspellings('docs://%63/Caf%C3%A9%20100%25%2Fm%61i%2B%2541', right)).toEqual([])
  })

  it('says so where they explain nothing', () => {
    expect(misspellings('docs://c/other', right)).toEqual(['different'])
    expect(misspellings('%zz%', right)).toEqual(['different'])
    expect(misspellings('', right)).toEqual(['different'])
    // Decoded once more than it was encoded.
    expect(misspellings('docs://c/Caf%C3%A9%20100%25%2Fmai%2BA', right)).toEqual(['different'])
  })
})
