/** Up to this length a loop is faster than the platform's encoder, which is faster beyond it. */
const short = 24

/**
 * The longest text that is encoded or made, in UTF-16 code units: memory must not be exhausted by a template that repeats
 * a long value, nor the platform by what it has to encode.
 */
export const maxLength = 1 << 25

const unsafe = /[^\w.~-]/
const unsafeReserved = /[^\w!#$&-;=?@[\]~]/
/** What the platform's `encodeURIComponent` leaves. */
const leftOver = /[!'()*]/g
/** What the platform's `encodeURI` would encode: triplets, which stay, and brackets, which are reserved. */
const keptByUs = /(%[\da-f]{2}|[[\]])/i

/** @throws {URIError} for half of a surrogate pair */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    leftOver,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** How code units are written; made when first needed. */
function makeTables() {
  const small = Array.from({ length: 0x800 }, (_, code) => encode(String.fromCharCode(code)))
  return {
    /** Those below U+0800. */
    small,
    /** All but the last triplet of the others, surrogates apart, by their upper ten bits. */
    leads: Array.from({ length: 0x400 }, (_, bits) =>
      bits >> 5 === 27 ? '' : encode(String.fromCharCode(bits << 6)).slice(0, 6),
    ),
    /** Their last triplet, by their lower six bits. */
    tails: small.slice(0x80, 0xc0).map((text) => text.slice(3)),
  }
}
let tables: ReturnType<typeof makeTables> | undefined

/** Percent-encodes all but unreserved characters. @throws {URIError} for half of a surrogate pair */
export function encodeUnreserved(text: string): string {
  if (!unsafe.test(text)) return text
  // Looking for each of them is faster than a search for any of them.
  if (text.length > short)
    return [..."!'()*"].some((left) => text.includes(left)) ? encode(text) : encodeURIComponent(text)
  tables ??= makeTables()
  const { small, leads, tails } = tables
  let result = ''
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 0x800) result += small[code]!
    else if (code < 0xd800 || code > 0xdfff) {
      result += leads[code >> 6]! + tails[code & 63]!
    } else {
      // Half of a pair alone makes the platform's encoder throw.
      result += encode(text.slice(at, at + 2))
      at += 1
    }
  }
  return result
}

/**
 * Percent-encodes all but unreserved and reserved characters and triplets (RFC 6570 section 3.1).
 * @throws {URIError} for half of a surrogate pair
 */
export function encodeReserved(text: string): string {
  if (!unsafeReserved.test(text)) return text
  return text
    .split(keptByUs)
    .map((part, index) => (index % 2 === 0 ? encodeURI(part) : part))
    .join('')
}
