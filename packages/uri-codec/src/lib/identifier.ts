import { EncodeError } from './encode-error.ts'
import { type Decoded, decode, decodeStrictly, surrogate } from './percent-decode.ts'
import { encodeUnreserved, maxLength } from './percent-encode.ts'

/** How a query value is written. */
export interface QueryValueOptions {
  /** Whether a space is `+`, as HTML forms have it (`application/x-www-form-urlencoded`); `false` unless given. */
  readonly form?: boolean
}

/** Throws for what cannot be encoded. */
export function refuseUnencodable(text: string): string {
  if (text.length > maxLength) throw new EncodeError('too-long', text, 0)
  const half = text.search(surrogate)
  if (half >= 0) throw new EncodeError('lone-surrogate', text, half)
  return text
}

/**
 * Writes a name as one segment: everything but unreserved characters is percent-encoded as UTF-8, `/` and `+`
 * included (RFC 3986 sections 2.1 to 2.5).
 * @throws {EncodeError} for half of a surrogate pair, and for more than 32 Mi characters
 */
export function encodeName(name: string): string {
  try {
    if (name.length <= maxLength) return encodeUnreserved(name)
  } catch {
    // Looking for halves first would take longer.
  }
  return refuseUnencodable(name)
}

/** Reads one segment, once; `+` is data. */
export function decodeName(segment: string): Decoded {
  return decode(segment)
}

/**
 * Writes several segments with `/` between them. A text is cut at its slashes; in a list, a slash within a segment is
 * data and written `%2F`.
 * @throws {EncodeError} for half of a surrogate pair, and for more than 32 Mi characters
 */
export function encodePath(path: string | readonly string[]): string {
  if (typeof path === 'string') return encodeName(path).replaceAll('%2F', '/')
  if (path.join().length > maxLength) throw new EncodeError('too-long', '', 0)
  return path.map(encodeName).join('/')
}

/** Reads a path: it is cut at its slashes first, and each segment decoded once after that. */
export function decodePath(text: string): Decoded<string[]> {
  const decoded = decode(text)
  return decoded.ok
    ? { ok: true, value: text.split('/').map((segment) => decodeStrictly(segment)!) }
    : decoded
}

/**
 * Writes the value of a query parameter. With `form`, a space is written `+`; `+` itself is `%2B` in either case.
 * @throws {EncodeError} for half of a surrogate pair, and for more than 32 Mi characters
 */
export function encodeQueryValue(value: string, options?: QueryValueOptions): string {
  return options?.form ? encodeName(value).replaceAll('%20', '+') : encodeName(value)
}

/** Reads the value of a query parameter, once. Only with `form` is `+` a space. */
export function decodeQueryValue(text: string, options?: QueryValueOptions): Decoded {
  return decode(options?.form ? text.replaceAll('+', ' ') : text)
}
