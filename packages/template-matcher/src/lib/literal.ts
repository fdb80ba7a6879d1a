import { isUriText, PERCENT } from './characters.ts'

/** What stands in a URI only where a client did not encode it. */
export const unencoded = /[^!#-;=?-[\]_a-z~]/

/**
 * Where a literal that stands at `at` ends, or -1. Characters that should have been percent-encoded may stand there
 * unencoded: what a template says itself is known, however a client writes it. `isPlain`: no such character is there.
 */
export function literalEnd(text: string, at: number, literal: string, isPlain = false): number {
  // `startsWith` is slower than this.
  if (text.slice(at, at + literal.length).indexOf(literal) === 0) return at + literal.length
  if (isPlain) return -1
  let place = at
  for (let from = 0; from < literal.length; ) {
    const code = text.charCodeAt(place)
    if (code === literal.charCodeAt(from)) {
      place += 1
      from += 1
      continue
    }
    if (place >= text.length || literal.charCodeAt(from) !== PERCENT || isUriText(code) || code === PERCENT)
      return -1
    const point = text.codePointAt(place)!
    if (point >= 0xd800 && point <= 0xdfff) return -1
    const character = String.fromCodePoint(point)
    const encoded = encodeURIComponent(character)
    if (!literal.startsWith(encoded, from)) return -1
    place += character.length
    from += encoded.length
  }
  return place
}
