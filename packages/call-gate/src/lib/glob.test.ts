import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeGlob, type Glob, globCovers, globMatches, globsMeet, readGlob } from './glob.ts'

const read = (source: string): Glob => {
  const glob = readGlob(source)
  if ('parts' in glob) return glob
  throw new Error(`bad pattern ${source}`)
}

const letters = ['a', 'b']
const upTo = (length: number, alphabet: readonly string[]): string[] =>
  length === 0
    ? ['']
    : ['', ...alphabet.flatMap((one) => upTo(length - 1, alphabet).map((rest) => one + rest))]
const texts = [...new Set(upTo(6, letters))]
const patterns = [...new Set(upTo(3, [...letters, '*']))].map(read)

describe('patterns', () => {
  it('match as the regular expression with .* for each wildcard does', () => {
    for (const glob of patterns) {
      const expression = new RegExp(`^${glob.source.replaceAll('*', '.*')}$`, 's')
      for (const text of texts)
        expect(globMatches(glob, text), `${glob.source} on ${text}`).toBe(expression.test(text))
    }
  })

  it('meet where some text is matched by both', () => {
    const sets = patterns.map((glob) => new Set(texts.filter((text) => globMatches(glob, text))))
    for (const [i, a] of patterns.entries()) {
      for (const [j, b] of patterns.entries()) {
        const both = [...(sets[i] ?? [])].some((text) => sets[j]?.has(text))
        expect(globsMeet(a, b), `${a.source} and ${b.source}`).toBe(both)
      }
    }
  })

  it('cover each other where every text of one is a text of the other', () => {
    // A third letter, which no pattern holds, stands for all characters that none mentions.
    const open = [...new Set(upTo(5, [...letters, 'c']))]
    const sets = patterns.map((glob) => new Set(open.filter((text) => globMatches(glob, text))))
    for (const [i, wide] of patterns.entries()) {
      for (const [j, narrow] of patterns.entries()) {
        const all = [...(sets[j] ?? [])].every((text) => sets[i]?.has(text))
        expect(globCovers(wide, narrow), `${wide.source} over ${narrow.source}`).toBe(all)
      }
    }
  })

  it('match exactly the text they were escaped from', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, other) => {
        const glob = read(escapeGlob(text))
        expect(glob.exact).toBe(true)
        expect(globMatches(glob, text)).toBe(true)
        expect(globMatches(glob, other)).toBe(text === other)
      }),
    )
  })

  it('refuse a backslash that escapes nothing, with its place', () => {
    expect(readGlob('a\\b')).toEqual({ index: 1 })
    expect(readGlob('ab\\')).toEqual({ index: 2 })
  })

  it('take time that grows with the text, not with its square', () => {
    const glob = read(`${'*a'.repeat(30)}*b`)
    const text = 'a'.repeat(200_000)
    expect(globMatches(glob, text)).toBe(false)
  })
})
