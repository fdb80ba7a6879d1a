import { isTriplet } from './characters.ts'

/**
 * What a received text stands for, or why it stands for nothing:
 *
 * - `bad-escape`: a `%` without two hexadecimal digits (RFC 3986 section 2.1)
 * - `bad-utf8`: triplets that are no UTF-8 (RFC 3629 section 3), or half of a surrogate pair
 *
 * `index` is where the mistake starts, in UTF-16 code units of the received text.
 */
export type Decoded<T = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: 'bad-escape' | 'bad-utf8'; readonly index: number }

/** Half of a surrogate pair. */
export const surrogate = /\p{Cs}/u

/** The text of triplets, or `undefined` where they are no UTF-8. */
export function decodeStrictly(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** How many octets a UTF-8 sequence with this first octet has. */
export const sequenceLength = (octet: number): number =>
  octet < 0xc0 ? 1 : octet < 0xe0 ? 2 : octet < 0xf0 ? 3 : 4

/** Decodes all triplets of `text`, once, as strict UTF-8. */
export function decode(text: string): Decoded {
  const half = text.search(surrogate)
  if (half < 0) {
    const value = text.includes('%') ? decodeStrictly(text) : text
    if (value !== undefined) return { ok: true, value }
  }
  let at = text.indexOf('%')
  while (at >= 0 && (half < 0 || at < half)) {
    if (!isTriplet(text, at)) return { ok: false, code: 'bad-escape', index: at }
    const end = at + 3 * sequenceLength(Number.parseInt(text.slice(at + 1, at + 3), 16))
    if (decodeStrictly(text.slice(at, end)) === undefined) return { ok: false, code: 'bad-utf8', index: at }
    at = text.indexOf('%', end)
  }
  return { ok: false, code: 'bad-utf8', index: half }
}
