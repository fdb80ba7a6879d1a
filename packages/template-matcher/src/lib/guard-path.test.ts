import { describe, expect, it } from 'vitest'
import { guardPath } from './guard-path.ts'

const code = (value: string | string[], platform: 'posix' | 'windows' = 'posix') => {
  const guarded = guardPath(value, { platform })
  return guarded.ok ? guarded.path : `${guarded.code} ${guarded.index}`
}

describe('guardPath', () => {
  it('refuses a component "..", with either slash, where it stands', () => {
    expect(code('../../etc/hosts')).toBe('traversal 0')
    expect(code('../x')).toBe('traversal 0')
    expect(code('..\\x')).toBe('traversal 0')
    expect(code('a/b/..')).toBe('traversal 4')
    expect(code('a\\..\\b')).toBe('traversal 2')
    expect(code(['a', '..'])).toBe('traversal 2')
    expect(code(['a', 'x/../y'])).toBe('traversal 4')
  })

  it('lets names pass that only look like it', () => {
    expect(code('v1..v2')).toBe('v1..v2')
    expect(code('.env')).toBe('.env')
    expect(code('...')).toBe('...')
    expect(code('a/..b/c..')).toBe('a/..b/c..')
  })

  it('refuses absolute paths, drive letters and NUL', () => {
    expect(code('/etc')).toBe('absolute 0')
    expect(code('\\\\nas\\share')).toBe('absolute 0')
    expect(code('C:/x')).toBe('drive 0')
    expect(code('c:x')).toBe('drive 0')
    expect(code('a\0b')).toBe('nul 1')
  })

  it('makes spellings of one path equal', () => {
    expect(code('a//b')).toBe('a/b')
    expect(code('./a/./b/')).toBe('a/b')
    expect(code('a\\b')).toBe('a\\b')
    expect(code('a\\b', 'windows')).toBe('a/b')
    expect(guardPath('Docs/README', { case: 'fold' })).toEqual({ ok: true, path: 'docs/readme' })
  })

  it('refuses what Windows reads as something else', () => {
    expect(code('a/.. /b', 'windows')).toBe('traversal 2')
    expect(code('a/...', 'windows')).toBe('traversal 2')
    expect(code('a/nul.txt', 'windows')).toBe('reserved 2')
    expect(code('a/b.', 'windows')).toBe('reserved 3')
    expect(code('a/b:c', 'windows')).toBe('reserved 3')
    expect(code('a/b:c')).toBe('a/b:c')
  })
})
