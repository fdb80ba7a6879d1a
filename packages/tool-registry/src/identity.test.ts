import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

/** What a file and all it imports import from other packages. */
function importsOf(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const found = [...readFileSync(file, 'utf8').matchAll(/^(?:import|export)\s(?!type)[^']*?from '([^']+)'/gm)]
  return found.flatMap(([, from = '']) =>
    from.startsWith('.') ? importsOf(join(dirname(file), from), seen) : [from],
  )
}

it('needs nothing but a hash: no table, no schemas', () => {
  expect(importsOf(join(import.meta.dirname, 'identity.ts'))).toEqual(['@noble/hashes/sha2.js'])
  expect(importsOf(join(import.meta.dirname, 'index.ts'))).toEqual(
    expect.arrayContaining(['zod', 'unhomoglyph']),
  )
})
