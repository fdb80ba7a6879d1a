import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** What the modules reachable from an entry import from elsewhere. */
function outsideOf(entry: string): readonly string[] {
  const outside = new Set<string>()
  const seen = new Set<string>()
  const open = [entry]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export|\}).*? from '([^']+)'$/gms,
    )) {
      if (from.startsWith('.')) open.push(join(dirname(file), from))
      else outside.add(from)
    }
  }
  return [...outside].sort()
}

const source = join(import.meta.dirname, '..')

describe('what the package imports', () => {
  it('runs in a browser: no module of Node behind the main entry', () => {
    expect(outsideOf(join(source, 'index.ts'))).toEqual([
      '@truename/tool-registry/identity',
      'jsonc-parser',
      'zod',
    ])
  })

  it('needs no database client to speak to PostgreSQL but the one it is given', () => {
    expect(outsideOf(join(source, 'postgres.ts'))).toEqual(['@truename/tool-registry/identity'])
  })

  it('touches files from the file entry alone', () => {
    expect(outsideOf(join(source, 'file.ts')).filter((one) => one.startsWith('node:'))).toEqual([
      'node:crypto',
      'node:fs',
      'node:fs/promises',
      'node:os',
      'node:path',
    ])
  })
})
