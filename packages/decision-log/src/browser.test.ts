import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Every import of a file and of what it imports, by specifier. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return new Set()
  seen.add(file)
  const found = new Set<string>()
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\s[^']*?from '([^']+)'/gm,
  )) {
    if (specifier.startsWith('.'))
      for (const each of importsOf(join(dirname(file), specifier), seen)) found.add(each)
    else found.add(specifier)
  }
  return found
}

describe('the main entry', () => {
  it('imports nothing that a browser lacks', () => {
    const imports = [...importsOf(join(import.meta.dirname, 'index.ts'))].sort()
    expect(imports).toEqual(['@noble/hashes/hmac.js', '@noble/hashes/sha2.js', 'canonicalize', 'zod'])
    // The same look finds what the file store imports.
    expect([...importsOf(join(import.meta.dirname, 'file.ts'))]).toContain('node:crypto')
  })
})
