import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeReserved, encodeUnreserved } from './percent-encode.ts'

/** The same rules, written octet by octet without any shortcut. */
function slowly(text: string, kept: RegExp, keepTriplets: boolean): string {
  let result = ''
  for (let at = 0; at < text.length; ) {
    const triplet = /^%[0-9A-Fa-f]{2}/.exec(text.slice(at))?.[0]
    const character = String.fromCodePoint(text.codePointAt(at)!)
    if (keepTriplets && triplet !== undefined) result += triplet
    else if (kept.test(character)) result += character
    else
      for (const octet of new TextEncoder().encode(character))
        result += `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
    at += keepTriplets && triplet !== undefined ? 3 : character.length
  }
  return result
}

const unreserved = /^[A-Za-z0-9._~-]$/
const reserved = /^[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]$/
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(..."%2Fa0/?é季😀\t \x00\x7f'()!*~\u07ff\u0800\uffff"), maxLength: 80 }),
)

describe('percent-encoding', () => {
  it('keeps unreserved characters only, by UTF-8, at every length', () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(encodeUnreserved(text)).toBe(slowly(text, unreserved, false))
      }),
    )
  })

  it('keeps reserved characters and triplets where it is told to, at every length', () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(encodeReserved(text)).toBe(slowly(text, reserved, true))
      }),
    )
  })

  it('encodes every code point of the basic plane alone and in long text', () => {
    for (let code = 0; code < 0x10000; code += code < 0x900 ? 1 : 17) {
      if (code >= 0xd800 && code < 0xe000) continue
      const character = String.fromCharCode(code)
      const expected = slowly(character, unreserved, false)
      expect(encodeUnreserved(character)).toBe(expected)
      expect(encodeUnreserved(character.repeat(40))).toBe(expected.repeat(40))
      expect(encodeReserved(character)).toBe(slowly(character, reserved, true))
    }
  })

  it.each(['\ud83d', '\ude00', 'a\ud83d', '\ud83da', '\ude00\ud83d'])(
    'refuses half of a surrogate pair',
    (text) => {
      for (const long of [text, text + 'x'.repeat(50)])
        for (const encode of [encodeReserved, encodeUnreserved]) expect(() => encode(long)).toThrow(URIError)
    },
  )
})
