import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { writeFileAtomically } from './atomic-write.ts'

describe('an atomic write', () => {
  it('replaces the content and leaves nothing beside it, making the folder where it is missing', () => {
    const file = join(temporaryFolder(), 'deep', 'lock.json')
    writeFileAtomically(file, 'one')
    writeFileAtomically(file, 'two')
    expect(readFileSync(file, 'utf8')).toBe('two')
    expect(readdirSync(join(file, '..'))).toEqual(['lock.json'])
  })

  it('leaves everything as it was where it cannot write', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'taken'))
    writeFileSync(join(folder, 'taken', 'inside'), 'kept')
    expect(() => writeFileAtomically(join(folder, 'taken'), 'x')).toThrow()
    expect(readdirSync(folder)).toEqual(['taken'])
    expect(readFileSync(join(folder, 'taken', 'inside'), 'utf8')).toBe('kept')
  })
})
