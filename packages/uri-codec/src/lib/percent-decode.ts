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

/** The character whose triplets start at `at`, and where they end; `undefined` where they are none, or no UTF-8. */
export function characterAt(text: string, at: number): { chars: string; end: number } | undefined {
  for (let end = at + 3; end <= at + 12; end += 3) {
    const chars = text[at] === '%' ? decodeStrictly(text.slice(at, end)) : undefined
    if (chars !== undefined) return { chars, end }
  }
  return undefined
}

/** Decodes all triplets of `text`, once, as strict UTF-8. */
export function decode(text: string): Decoded {
  const half = text.search(surrogate)
  const value = half < 0 && text.includes('%') ? decodeStrictly(text) : text
  if (half < 0 && value !== undefined) return { ok: true, value }
  for (let at = text.indexOf('%'); at >= 0 && (half < 0 || at < half); ) {
    const character = characterAt(text, at)
    if (character === undefined)
      return {
        ok: false,
        code: /^%[\da-f]{2}/i.test(text.slice(at, at + 3)) ? 'bad-utf8' : 'bad-escape',
        index: at,
      }
    at = text.indexOf('%', character.end)
  }
  return { ok: false, code: 'bad-utf8', index: half }
}
