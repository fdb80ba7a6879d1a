import { isUnreserved, octetAt, PERCENT } from './characters.ts'

/** A text with its triplets in one spelling, and where each character of it came from. */
export interface Canonical {
  readonly text: string
  /** For each index of `text`, and its length, the index in the received text; `undefined` where they are equal. */
  readonly origin: Int32Array | undefined
}

/** A triplet with a digit in lower case, or for an unreserved character. */
const otherSpelling = /%(?:[\dA-Fa-f][a-f]|[a-f][\dA-F]|2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/

/** Whether every triplet is spelled as expansion spells it: needed, and in upper case. */
export const isCanonical = (text: string): boolean => !otherSpelling.test(text)

/**
 * Triplets in upper case, and none for unreserved characters: what RFC 3986 sections 6.2.2.1 and 6.2.2.2 call equal.
 * Nothing else is changed; a `%` without two digits stays, and so does the triplet that would give it one: what is
 * decoded here is decoded once.
 */
export function canonicalize(text: string): Canonical {
  if (isCanonical(text)) return { text, origin: undefined }
  const origin = new Int32Array(text.length + 1)
  let result = ''
  let size = 0
  /** Where the last `%` without two digits stands in the result. */
  let bare = -3
  for (let at = 0; at < text.length; at += 1) {
    const octet = text.charCodeAt(at) === PERCENT ? octetAt(text, at) : -1
    if (octet < 0) {
      if (text.charCodeAt(at) === PERCENT) bare = size
      result += text[at]
      origin[size++] = at
      continue
    }
    const part =
      isUnreserved(octet) && size - bare > 2
        ? String.fromCharCode(octet)
        : text.slice(at, at + 3).toUpperCase()
    for (let each = 0; each < part.length; each += 1) origin[size++] = at + each
    result += part
    at += 2
  }
  origin[size] = text.length
  return { text: result, origin: origin.subarray(0, size + 1) }
}

/** The text of {@link canonicalize}. */
export const canonicalText = (text: string): string => canonicalize(text).text
