import { EncodeError } from './encode-error.ts'
import { encodeName, encodePath, refuseUnencodable } from './identifier.ts'
import { decode } from './percent-decode.ts'

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
 * - `no-root`: a path that starts at no root (for Windows: neither a drive nor a host, which `.` and `?` are not: they
 *   would make it a device)
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

/**
 * Gives the path that a file URI names (RFC 8089, with the Windows forms of its appendix E). Dot segments and the case
 * of a drive letter stay as they are.
 */
export function fileUriToPath(uri: string, { platform }: FilePlatform): FilePath {
  const windows = platform === 'win32'
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(uri)?.[0]
  if (scheme === undefined || (windows && scheme.length === 2)) return refuse('plain-path', 0)
  if (scheme.toLowerCase() !== 'file:') return refuse('other-scheme', 0)
  const decoded = decode(uri)
  if (!decoded.ok) return refuse(decoded.code, decoded.index)
  const refused = [
    ['query-or-fragment', /[?#]/],
    ['encoded-separator', windows ? /%2f|%5c/i : /%2f/i],
    ['nul', /%00|\0/],
  ] as const
  for (const [code, pattern] of refused) if (pattern.test(uri)) return refuse(code, uri.search(pattern))

  const [, host = '', path = ''] = /^.{5}(?:\/\/([^/]*))?(.*)$/s.exec(decoded.value)!
  const isDrive = windows && /^[a-z][:|]$/i.test(host)
  const isLocal = isDrive || /^(localhost)?$/i.test(host)
  if (!windows) {
    if (!isLocal) return refuse('remote-host', 7)
    return path.startsWith('/') ? { ok: true, path } : refuse('no-root', 5)
  }
  // A drive, also as old software writes it (RFC 8089 appendix E.2), or a share, also without an authority (E.3).
  const onDrive = isLocal ? /^\/*([a-z])[:|](\/.*)$/is.exec((isDrive ? host : '') + path) : null
  const share = /^\/\/+(?![.?]\/)([^/\\]+\/[^/\\].*)$/s.exec(isLocal ? path : `//${host}${path}`)
  if (!onDrive && !share) return refuse('no-root', 5)
  const found = onDrive ? `${onDrive[1]}:${onDrive[2]}` : `//${share![1]}`
  return { ok: true, path: found.replaceAll('/', '\\') }
}

/**
 * Writes an absolute path as a file URI (RFC 8089). Every character that is not unreserved is percent-encoded, so the
 * path reads back letter for letter; for Windows, `/` and `\` both separate and read back as `\`.
 * @throws {EncodeError} for a relative path (`\\C:\x` too: a drive is no host), a device, a NUL, or
 * half of a surrogate pair, and for more than 32 Mi characters
 */
export function pathToFileUri(path: string, { platform }: FilePlatform): string {
  const nul = path.indexOf('\0')
  if (nul >= 0) throw new EncodeError('nul', path, nul)
  refuseUnencodable(path)
  if (platform === 'posix') {
    if (!path.startsWith('/')) throw new EncodeError('relative-path', path, 0)
    return `file://${encodePath(path)}`
  }
  let text = path.replaceAll('\\', '/')
  if (text.startsWith('//?/')) text = text.slice(4).replace(/^UNC\//i, '//')
  if (/^\/\/[.?]\//.test(text)) throw new EncodeError('device-path', path, 0)
  if (/^[a-z]:\//i.test(text)) return `file:///${text.slice(0, 2)}${encodePath(text.slice(2))}`
  const share = /^\/\/(?![a-z][:|]\/)([^/]+)(\/[^/].*)$/is.exec(text)
  if (!share) throw new EncodeError('relative-path', path, 0)
  const [, host, names] = share
  // As an authority it would be no host, but stand for none (RFC 8089 section 2).
  return `file://${/^localhost$/i.test(host!) ? '//' : ''}${encodeName(host!)}${encodePath(names!)}`
}
