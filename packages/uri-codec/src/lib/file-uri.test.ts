import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EncodeError } from './encode-error.ts'
import { fileUriToPath, pathToFileUri } from './file-uri.ts'

const windows = { platform: 'win32' } as const
const posix = { platform: 'posix' } as const

describe('fileUriToPath', () => {
  it.each([
    ['file:///D:/Work/app', 'D:\\Work\\app'],
    ['file:///d%3A/Work/my%20app', 'd:\\Work\\my app'],
    ['file://localhost/D:/x', 'D:\\x'],
    ['file://LOCALHOST/D:/x', 'D:\\x'],
    ['file://nas/share/x', '\\\\nas\\share\\x'],
    ['file:////nas/share/x', '\\\\nas\\share\\x'],
    ['file://///nas/share/x', '\\\\nas\\share\\x'],
    ['file:/D:/x', 'D:\\x'],
    ['file:D:/x', 'D:\\x'],
    ['file:///D|/x', 'D:\\x'],
    ['file://D:/x', 'D:\\x'],
    ['file:///C:/', 'C:\\'],
    ['FILE:///C:/%E5%AD%A3/%D0%9E', 'C:\\季\\О'],
    ['file:///C:/v1..v2/../.env', 'C:\\v1..v2\\..\\.env'],
  ])('gives the Windows path of %s', (uri, path) => {
    expect(fileUriToPath(uri, windows)).toEqual({ ok: true, path })
  })

  it.each([
    ['file:///home/u/a%20b', '/home/u/a b'],
    ['file:///home/u/100%25', '/home/u/100%'],
    ['file://localhost/home/u', '/home/u'],
    ['file:/home/u', '/home/u'],
    ['file:///D:/x', '/D:/x'],
    ['file:///a%5Cb', '/a\\b'],
    ['file:////x', '//x'],
    ['file:///', '/'],
    ['file:///%252F', '/%2F'],
  ])('gives the POSIX path of %s', (uri, path) => {
    expect(fileUriToPath(uri, posix)).toEqual({ ok: true, path })
  })

  it('takes plain paths for paths, not for URIs of a scheme "D"', () => {
    for (const path of ['D:\\Work\\app', 'D:/Work/app', 'd:x', '/home/u', 'a/b', '', '\\\\nas\\share'])
      expect(fileUriToPath(path, windows)).toEqual({ ok: false, code: 'plain-path', index: 0 })
    expect(fileUriToPath('/home/u', posix)).toEqual({ ok: false, code: 'plain-path', index: 0 })
  })

  it.each([
    ['https://nas/share', windows, 'other-scheme', 0],
    ['docs:///a', posix, 'other-scheme', 0],
    ['file://nas/share/x', posix, 'remote-host', 7],
    ['file:///Work/app', windows, 'no-root', 5],
    ['file://./pipe/foo', windows, 'no-root', 5],
    ['file:////./C:/x', windows, 'no-root', 5],
    ['file:////%2E/C:/x', windows, 'no-root', 5],
    ['file://%3F/C:/x', windows, 'no-root', 5],
    ['file:////\\nas/x', windows, 'no-root', 5],
    ['file:Work/app', posix, 'no-root', 5],
    ['file://', posix, 'no-root', 5],
    ['file:///a%2Fb', posix, 'encoded-separator', 9],
    ['file:///C:/a%2fb', windows, 'encoded-separator', 12],
    ['file:///C:/..%5Cx', windows, 'encoded-separator', 13],
    ['file:///a?b', posix, 'query-or-fragment', 9],
    ['file:///C:/c#/a', windows, 'query-or-fragment', 12],
    ['file:///a%00b', posix, 'nul', 9],
    ['file:///100%', posix, 'bad-escape', 11],
    ['file:///%C3%28', windows, 'bad-utf8', 8],
  ] as const)('refuses %s with the reason and the place', (uri, platform, code, index) => {
    expect(fileUriToPath(uri, platform)).toEqual({ ok: false, code, index })
  })
})

describe('pathToFileUri', () => {
  it.each([
    ['D:\\Work\\my app', windows, 'file:///D:/Work/my%20app'],
    ['d:/Work/C#', windows, 'file:///d:/Work/C%23'],
    ['\\\\nas\\share\\x y', windows, 'file://nas/share/x%20y'],
    ['//nas/share', windows, 'file://nas/share'],
    ['\\\\?\\D:\\long', windows, 'file:///D:/long'],
    ['\\\\?\\UNC\\nas\\share', windows, 'file://nas/share'],
    ['\\\\localhost\\c$\\x', windows, 'file:////localhost/c%24/x'],
    ['/home/u/100%', posix, 'file:///home/u/100%25'],
    [
      '/季度报告/2025 Q1 财务.pdf',
      posix,
      'file:///%E5%AD%A3%E5%BA%A6%E6%8A%A5%E5%91%8A/2025%20Q1%20%E8%B4%A2%E5%8A%A1.pdf',
    ],
    ['/a\\b', posix, 'file:///a%5Cb'],
    ['/', posix, 'file:///'],
  ] as const)('writes %s', (path, platform, uri) => {
    expect(pathToFileUri(path, platform)).toBe(uri)
  })

  it.each([
    ['Work', windows, 'relative-path', 0],
    ['D:Work', windows, 'relative-path', 0],
    ['\\Work', windows, 'relative-path', 0],
    ['\\\\nas', windows, 'relative-path', 0],
    ['\\\\C:\\x\\y', windows, 'relative-path', 0],
    ['\\\\c|\\x', windows, 'relative-path', 0],
    ['\\\\.\\COM1', windows, 'device-path', 0],
    ['//./pipe/x', windows, 'device-path', 0],
    ['\\\\?\\UNC\\?\\C:\\x', windows, 'device-path', 0],
    ['\\\\?\\UNC\\.\\pipe\\x', windows, 'device-path', 0],
    ['home', posix, 'relative-path', 0],
    ['/a\0', posix, 'nul', 2],
    ['/a\ud83d', posix, 'lone-surrogate', 2],
  ] as const)('refuses %s', (path, platform, code, index) => {
    let error: EncodeError | undefined
    try {
      pathToFileUri(path, platform)
    } catch (thrown) {
      error = thrown as EncodeError
    }
    expect(error).toMatchObject({ code, source: path, index })
  })

  it('writes a POSIX path that reads back letter for letter, here and in Node', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'binary' }).filter((name) => !/[/\0]/.test(name)),
          { maxLength: 4 },
        ),
        (names) => {
          const path = `/${names.join('/')}`
          const uri = pathToFileUri(path, posix)
          expect(fileUriToPath(uri, posix)).toEqual({ ok: true, path })
          // Node resolves dot segments and takes "//x" for a host.
          if (names.every((name) => name !== '' && !/^\.\.?$/.test(name)))
            expect(fileURLToPath(uri, { windows: false } as never)).toBe(path)
        },
      ),
    )
  })

  it('writes every path that a URI was read as, and it reads back', () => {
    const part = fc.constantFrom(
      '/',
      '//',
      '\\',
      '.',
      '..',
      '?',
      '%3F',
      'C:',
      'c|',
      'C%7C',
      'localhost',
      'nas',
      'UNC',
      'a b',
      '%41',
    )
    const start = fc.constantFrom('file:', 'file:/', 'file://', 'file:///', 'file:////')
    const separated = fc.array(part, { maxLength: 5 }).map((parts) => parts.join('/'))
    const joined = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(
        start,
        fc.oneof(separated, joined),
        fc.constantFrom(windows, posix),
        (start, rest, platform) => {
          const read = fileUriToPath(start + rest, platform)
          if (read.ok) expect(fileUriToPath(pathToFileUri(read.path, platform), platform)).toEqual(read)
        },
      ),
      { numRuns: 5_000 },
    )
  })

  it('writes a Windows path that reads back letter for letter', () => {
    const names = fc.array(
      fc.string({ unit: 'binary', minLength: 1 }).filter((name) => !/[/\\\0]/.test(name)),
      { minLength: 1, maxLength: 4 },
    )
    const hosts = [
      'nas',
      'wsl$',
      'localhost',
      'LocalHost',
      'localhost:',
      'a:b',
      'C:x',
      '1:',
      '::1',
      'C%3A',
      'c%7c',
      '..',
    ]
    const roots = ['D:\\', 'c:\\', ...hosts.map((host) => `\\\\${host}\\`)]
    fc.assert(
      fc.property(names, fc.constantFrom(...roots), (names, root) => {
        const path = root + names.join('\\')
        expect(fileUriToPath(pathToFileUri(path, windows), windows)).toEqual({ ok: true, path })
      }),
      { numRuns: 500 },
    )
  })
})
