import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Glob, globMatches, readGlob } from './glob.ts'
import { createGlobIndex } from './glob-index.ts'

const read = (source: string): Glob => {
  const glob = readGlob(source)
  if ('parts' in glob) return glob
  throw new Error(`bad pattern ${source}`)
}

describe('an index of patterns', () => {
  it('finds those that match, each once, as trying all of them does', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '*', 'aba', 'é'), maxLength: 8 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'aba', 'é'), maxLength: 8 })
    let matched = 0
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 60, size: 'max' }),
        fc.array(text, { maxLength: 10 }),
        (sources, texts) => {
          const index = createGlobIndex<number>()
          const globs = sources.map(read)
          for (const [at, glob] of globs.entries()) index.add(glob, at)
          for (const one of texts) {
            const all = globs.flatMap((glob, at) => (globMatches(glob, one) ? [at] : []))
            expect([...index.matching(one)].sort((a, b) => a - b)).toEqual(all)
            matched += all.length
          }
        },
      ),
      { numRuns: 500 },
    )
    expect(matched).toBeGreaterThan(1000)
  })
})
