import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'
import { digestDefinition, digestDefinitionText, digestInstructions, digestSet } from './digest.ts'

interface Vectors {
  readonly definitions: readonly { about: string; input: string; canonical: string; hash: string }[]
  readonly sets: readonly { about: string; pages: readonly string[]; setHash: string }[]
  readonly instructions: readonly { instructions: string | null; hash: string | null }[]
  readonly invalid: readonly { about: string; input?: string; pages?: readonly string[] }[]
}

const folder = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'tool-definition-hash')
const vectors = JSON.parse(readFileSync(join(folder, 'vectors.json'), 'utf8')) as Vectors
const listing = (pages: readonly string[]): unknown[] =>
  pages.flatMap((page) => JSON.parse(page) as unknown[])

describe('tool definition hash v1', () => {
  it('has all the published vectors', () => {
    expect(vectors.definitions).toHaveLength(8)
    expect(vectors.sets).toHaveLength(5)
    expect(vectors.instructions).toHaveLength(3)
    expect(vectors.invalid).toHaveLength(4)
  })

  it('gives every published definition its canonical form and hash', () => {
    for (const { about, input, canonical, hash } of vectors.definitions) {
      expect(canonicalJson(JSON.parse(input)), about).toBe(canonical)
      expect(digestDefinition(JSON.parse(input)), about).toBe(hash)
      expect(digestDefinitionText(input), about).toBe(hash)
    }
  })

  it('gives every published listing its set hash, in any order of its definitions', () => {
    for (const { about, pages, setHash } of vectors.sets) {
      expect(digestSet(listing(pages)), about).toBe(setHash)
      expect(digestSet(listing(pages).reverse()), about).toBe(setHash)
    }
  })

  it('gives instructions their hash, and none to none', () => {
    for (const { instructions, hash } of vectors.instructions)
      expect(digestInstructions(instructions)).toBe(hash)
    expect(digestInstructions(undefined)).toBeNull()
  })

  it('has no hash for what the recipe calls invalid', () => {
    for (const { about, input, pages } of vectors.invalid) {
      if (input !== undefined) expect(digestDefinitionText(input), about).toBeUndefined()
      if (pages !== undefined) expect(digestSet(listing(pages)), about).toBeUndefined()
    }
  })
})
