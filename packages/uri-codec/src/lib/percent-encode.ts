import { characterClasses, isTriplet, RESERVED, UNRESERVED } from './characters.ts'

/** Whether every character of `text` is unreserved (RFC 3986 section 2.3). */
function isUnreserved(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 127 || (characterClasses[code]! & UNRESERVED) === 0) return false
  }
  return true
}

const sub = /[!'()*]/g
const escapeSub = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** Percent-encodes all but unreserved characters. @throws {URIError} for half of a surrogate pair */
export function encodeUnreserved(text: string): string {
  if (isUnreserved(text)) return text
  return encodeURIComponent(text).replace(sub, escapeSub)
}

/**
 * Percent-encodes all but unreserved and reserved characters and triplets (RFC 6570 section 3.1).
 * @throws {URIError} for half of a surrogate pair
 */
export function encodeReserved(text: string): string {
  let result = ''
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 128) {
      if ((characterClasses[code]! & (UNRESERVED | RESERVED)) !== 0) continue
      if (code === 0x25 && isTriplet(text, at)) {
        at += 2
        continue
      }
    }
    const end = at + (text.codePointAt(at)! > 0xffff ? 2 : 1)
    result += text.slice(from, at) + encodeURIComponent(text.slice(at, end))
    from = end
    at = end - 1
  }
  return from === 0 ? text : result + text.slice(from)
}
