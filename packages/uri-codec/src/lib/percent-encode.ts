import { characterClasses, LEFT, OTHER, RESERVED } from './characters.ts'

/** Up to this length a loop sees faster than a regular expression that nothing needs encoding. */
const short = 32

const unsafe = /[^\w.~-]/
const unsafeReserved = /[^\w!#$&-;=?@[\]~]/
const leftOver = /[!'()*]/g
/** What the platform's `encodeURI` would encode: triplets, which stay, and brackets, which are reserved. */
const keptByUs = /(%[\da-f]{2}|[[\]])/i

const escapeLeftOver = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** The flags of all characters of a text together. */
function classesIn(text: string): number {
  let seen = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    seen |= code < 128 ? characterClasses[code]! : OTHER
  }
  return seen
}

/** Whether the platform's encoder leaves something; looking for each is faster than a search for any of them. */
const hasLeft = (text: string): boolean =>
  text.includes("'") || text.includes('(') || text.includes(')') || text.includes('!') || text.includes('*')

/** Percent-encodes all but unreserved characters. @throws {URIError} for half of a surrogate pair */
export function encodeUnreserved(text: string): string {
  let left: boolean
  if (text.length > short) {
    if (!unsafe.test(text)) return text
    left = hasLeft(text)
  } else {
    const seen = classesIn(text)
    if ((seen & (OTHER | RESERVED)) === 0) return text
    left = (seen & LEFT) !== 0
  }
  const encoded = encodeURIComponent(text)
  return left ? encoded.replace(leftOver, escapeLeftOver) : encoded
}

/**
 * Percent-encodes all but unreserved and reserved characters and triplets (RFC 6570 section 3.1).
 * @throws {URIError} for half of a surrogate pair
 */
export function encodeReserved(text: string): string {
  if (text.length > short) {
    if (!unsafeReserved.test(text)) return text
  } else if ((classesIn(text) & OTHER) === 0) return text
  return text
    .split(keptByUs)
    .map((part, index) => (index % 2 === 0 ? encodeURI(part) : part))
    .join('')
}
