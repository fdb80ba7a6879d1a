import { EncodeError, loneSurrogate } from './encode-error.ts'
import { encodeName, encodePath } from './identifier.ts'
import { decode, surrogate } from './percent-decode.ts'

/** Whose paths are meant. It is never guessed from the machine the code runs on. */
export interface FilePlatform {
  readonly platform: 'posix' | 'win32'
}

/**
 * The path of a file URI, or why there is none:
 *
 * - `plain-path`: no URI but a path, which the caller may use as it is; `D:\x` and `D:/x` are not of a scheme `D`
 * - `other-scheme`: a URI, but not of a file
 * - `remote-host`: a host other than `localhost`, which only Windows paths can name (as a share)
 * - `no-root`: a path that starts at no root (for Windows: neither a drive nor a host)
 * - `encoded-separator`: `%2F`, or for Windows `%5C`, within a segment: no file name holds that character
 * - `query-or-fragment`: a raw `?` or `#`, which file URIs do not have (RFC 8089 section 2)
 * - `nul`: `%00`
 * - `bad-escape`, `bad-utf8`: as in `Decoded`
 */
export type FilePath =
  | { readonly ok: true; readonly path: string }
  | {
      readonly ok: false
      readonly code:
        | 'plain-path'
        | 'other-scheme'
        | 'remote-host'
        | 'no-root'
        | 'encoded-separator'
        | 'query-or-fragment'
        | 'nul'
        | 'bad-escape'
        | 'bad-utf8'
      /** Where in the given text, in UTF-16 code units. */
      readonly index: number
    }

const refuse = (code: Extract<FilePath, { ok: false }>['code'], index: number): FilePath => ({
  ok: false,
  code,
  index,
})

/** A drive as a file URI or a path begins with it: `D:`, and `D|` as old software writes it (RFC 8089 appendix E.2.2). */
const drive = /^[a-z][:|]$/i

/**
 * Gives the path that a file URI names (RFC 8089, with the Windows forms of its appendix E). Dot segments and the case
 * of a drive letter stay as they are.
 */
export function fileUriToPath(uri: string, { platform }: FilePlatform): FilePath {
  const windows = platform === 'win32'
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(uri)?.[0]
  if (scheme === undefined || (windows && scheme.length === 2)) return refuse('plain-path', 0)
  if (scheme.toLowerCase() !== 'file:') return refuse('other-scheme', 0)
  const stray = uri.search(/[?#]/)
  if (stray >= 0) return refuse('query-or-fragment', stray)
  const separator = uri.search(windows ? /%2f|%5c/i : /%2f/i)
  const nul = uri.search(/%00|\0/)
  const decoded = decode(uri)
  if (!decoded.ok) return refuse(decoded.code, decoded.index)
  if (separator >= 0) return refuse('encoded-separator', separator)
  if (nul >= 0) return refuse('nul', nul)

  const authority = decoded.value.startsWith('//', 5)
  let path = decoded.value.slice(authority ? 7 : 5)
  let host = ''
  if (authority && !path.startsWith('/')) {
    host = path.split('/', 1)[0]!
    if (windows && drive.test(host)) host = ''
    else path = path.slice(host.length)
    if (host.toLowerCase() === 'localhost') host = ''
  }
  if (!windows) {
    if (host !== '') return refuse('remote-host', 7)
    return path.startsWith('/') ? { ok: true, path } : refuse('no-root', 5)
  }
  path = path.replaceAll('/', '\\')
  if (host !== '') return { ok: true, path: `\\\\${host}${path}` }
  const rooted = path.replace(/^\\+(?=[a-z][:|](\\|$))/i, '')
  if (drive.test(rooted.slice(0, 2)) && rooted.length > 2 && rooted[2] === '\\')
    return { ok: true, path: `${rooted[0]}:${rooted.slice(2)}` }
  const share = /^\\{2,}([^\\]+\\[^\\].*)$/s.exec(path)
  if (share !== null) return { ok: true, path: `\\\\${share[1]}` }
  return refuse('no-root', 5)
}

/**
 * Writes an absolute path as a file URI (RFC 8089). Every character that is not unreserved is percent-encoded, so the
 * path reads back letter for letter; for Windows, `/` and `\` both separate and read back as `\`.
 * @throws {EncodeError} for a relative path, a device, a NUL, or half of a surrogate pair
 */
export function pathToFileUri(path: string, { platform }: FilePlatform): string {
  const nul = path.indexOf('\0')
  if (nul >= 0) throw new EncodeError('nul', path, nul, 'A file path holds no NUL')
  const half = path.search(surrogate)
  if (half >= 0) throw loneSurrogate(path, half)
  if (platform === 'posix') {
    if (!path.startsWith('/')) throw relative(path)
    return `file://${encodePath(path)}`
  }
  let text = path.replaceAll('\\', '/')
  if (text.startsWith('//?/')) text = text.slice(4).replace(/^UNC\//i, '//')
  if (text.startsWith('//./')) throw new EncodeError('device-path', path, 0, 'A file URI names no device')
  if (/^[a-z]:\//i.test(text)) return `file:///${text.slice(0, 2)}${encodePath(text.slice(2))}`
  const share = /^\/\/([^/]+)(\/[^/].*)$/s.exec(text)
  if (share === null) throw relative(path)
  return `file://${encodeName(share[1]!)}${encodePath(share[2]!)}`
}

const relative = (path: string): EncodeError =>
  new EncodeError('relative-path', path, 0, 'A file URI needs an absolute path')
