import { posix, win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { guardPath } from './guard-path.ts'
import { createRandom } from './testing/brute-force.ts'

const code = (value: string | string[], platform: 'posix' | 'windows' = 'posix') => {
  const guarded = guardPath(value, { platform })
  return guarded.ok ? guarded.path : `${guarded.code} ${guarded.index}`
}

/** Whether Windows takes a component for a device, as Python's `ntpath.isreserved` decides it. */
const isDevice = (component: string): boolean =>
  /^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[1-9¹²³])$/.test(
    component.split('.')[0]!.replace(/ +$/, '').toUpperCase(),
  )

describe('guardPath', () => {
  it('answers paths that stay below the root on every system, and that it answers again', () => {
    const random = createRandom(51)
    const pieces = [...'./\\:aC', '..', './', '\u212a', ' ', 'nul', 'COM¹', '.txt']
    const passed = { posix: 0, windows: 0 }
    const platforms = ['posix', 'windows'] as const
    const cases = ['keep', 'fold'] as const
    for (let tried = 0; tried < 4000; tried += 1) {
      const value = Array.from({ length: 1 + random(6) }, () => pieces[random(pieces.length)]!)
      const options = { platform: platforms[random(2)]!, case: cases[random(2)]! }
      const input = random(2) === 0 ? value : value.join('')
      const guarded = guardPath(input, options)
      if (!guarded.ok) {
        expect(guarded.index).toBeLessThan(value.join('/').length)
        continue
      }
      const { path } = guarded
      passed[options.platform] += 1
      expect({ input, again: guardPath(path, options) }).toEqual({ input, again: guarded })
      const places = [
        win32.resolve('R:\\root', path),
        win32.resolve('R:\\root', win32.normalize(path)),
        posix.resolve('/root', path),
      ]
      for (const place of places)
        expect([input, place]).toEqual([input, expect.stringMatching(/^(?:R:\\|\/)root(?:[\\/]|$)/)])
      if (options.platform === 'windows')
        expect([input, path.split('/').some(isDevice)]).toEqual([input, false])
    }
    expect(Math.min(...Object.values(passed))).toBeGreaterThan(300)
  })

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
    expect(code('./C:/Windows/win.ini')).toBe('drive 2')
    expect(code(['.', 'C:', 'Windows'])).toBe('drive 2')
    expect(code('.\\.//c:')).toBe('drive 5')
    expect(code('.//\\\\host\\share')).toBe('absolute 3')
    expect(code('.//host')).toBe('host')
    expect(guardPath('\u212a:/x', { case: 'fold' })).toEqual({ ok: false, code: 'drive', index: 0 })
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
    expect(code('nul .txt', 'windows')).toBe('reserved 0')
    expect(code('a/COM1  .log', 'windows')).toBe('reserved 2')
    expect(code('nul a.txt', 'windows')).toBe('nul a.txt')
    expect(code('a/b.', 'windows')).toBe('reserved 3')
    expect(code('a/b:c', 'windows')).toBe('reserved 3')
    expect(code('a/b:c')).toBe('a/b:c')
  })
})
