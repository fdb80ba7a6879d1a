/** What a matcher does at a character: refuse it, take it, look at the triplet, take it if it is a whole code point. */
export const REFUSE = 0
export const TAKE = 1
export const TRIPLET = 2
export const WIDE = 3
/** Look at the triplet, and refuse what need not be one where reserved characters are kept. */
export const NEWLY = 4

/** A set of characters: what to do for each ASCII code, and at 128 for every other character. */
export type CharacterSet = Uint8Array

export const PERCENT = 0x25
export const COMMA = 0x2c
export const EQUALS = 0x3d
export const AMPERSAND = 0x26
export const SLASH = 0x2f
export const QUESTION = 0x3f

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** RFC 3986 section 2.3. */
export const unreservedText = `${letters}0123456789-._~`
/** RFC 3986 section 2.2. */
export const reservedText = ":/?#[]@!$&'()*+,;="

export function characterSet(text: string, base?: CharacterSet): CharacterSet {
  const set: CharacterSet = base === undefined ? new Uint8Array(129) : base.slice()
  for (let at = 0; at < text.length; at += 1) set[text.charCodeAt(at)] = TAKE
  return set
}

function withTriplets(text: string): CharacterSet {
  const set = characterSet(text)
  set[PERCENT] = TRIPLET
  return set
}

/** What values of all operators but `+` and `#` are written with. */
export const unreserved: CharacterSet = withTriplets(unreservedText)
/** What values of `+` and `#` are written with. */
export const reserved: CharacterSet = withTriplets(unreservedText + reservedText)

/** What `+` and `#` write for values that hold no triplets themselves. */
export const newlyReserved: CharacterSet = /* @__PURE__ */ (() => {
  const set = reserved.slice()
  set[PERCENT] = NEWLY
  return set
})()

/** What clients that do not encode write: everything but `?`, `#` and a bare `%`, which would be guessing. */
export const careless: CharacterSet = (() => {
  const set = new Uint8Array(129).fill(TAKE)
  set[PERCENT] = TRIPLET
  set[128] = WIDE
  set[0x3f] = REFUSE
  set[0x23] = REFUSE
  return set
})()

/** `set` without the characters of `text`. */
export function without(set: CharacterSet, text: string): CharacterSet {
  const less = set.slice()
  for (let at = 0; at < text.length; at += 1) less[text.charCodeAt(at)] = REFUSE
  return less
}

/** What a query parameter that is ignored may hold: anything that does not end it. */
export const ignorable: CharacterSet = characterSet('?', without(careless, '&'))
/** What a query with ignored parameters may hold. */
export const ignorableRun: CharacterSet = characterSet('&', ignorable)

const isSet = (set: CharacterSet, code: number): boolean => code < 128 && set[code] === TAKE
const unreservedOnly = characterSet(unreservedText)
const uriText = characterSet(unreservedText + reservedText)

/** Whether a code is unreserved (RFC 3986 section 2.3). */
export const isUnreserved = (code: number): boolean => isSet(unreservedOnly, code)
/** Whether a code may stand in a URI as itself: unreserved or reserved. */
export const isUriText = (code: number): boolean => isSet(uriText, code)

/** The value of each hexadecimal digit by its code; more than an octet for all others. */
export const hexDigits = /* @__PURE__ */ new Uint16Array(256).fill(256)
for (let digit = 0; digit < 16; digit += 1) {
  hexDigits[digit.toString(16).charCodeAt(0)] = digit
  hexDigits[digit.toString(16).toUpperCase().charCodeAt(0)] = digit
}

/** The octet that the triplet at `at` stands for, or -1 where there is none. */
export function octetAt(text: string, at: number): number {
  const octet = hexDigits[text.charCodeAt(at + 1)]! * 16 + hexDigits[text.charCodeAt(at + 2)]!
  return octet < 256 ? octet : -1
}

/**
 * How long the code point is that the triplets at `at` stand for: 3, 6, 9 or 12 characters, and 0 where they are no
 * UTF-8 (RFC 3629 section 4: no overlong forms, no surrogates).
 */
export function tripletSize(text: string, at: number): number {
  const first = octetAt(text, at)
  if (first < 0x80) return first < 0 ? 0 : 3
  if (first < 0xc2 || first > 0xf4) return 0
  const count = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  for (let more = 1; more < count; more += 1) {
    const place = at + more * 3
    if (text.charCodeAt(place) !== PERCENT) return 0
    const octet = octetAt(text, place)
    if ((octet & 0xc0) !== 0x80) return 0
    if (more === 1) {
      if (first === 0xe0 && octet < 0xa0) return 0
      if (first === 0xed && octet > 0x9f) return 0
      if (first === 0xf0 && octet < 0x90) return 0
      if (first === 0xf4 && octet > 0x8f) return 0
    }
  }
  return count * 3
}

/** How long the character at `at` is if `set` has it, and 0 if not; triplets that stand for one code point are one. */
export function unitSize(text: string, at: number, set: CharacterSet): number {
  if (at >= text.length) return 0
  const code = text.charCodeAt(at)
  const what = set[Math.min(code, 128)]!
  if (what === TAKE) return 1
  if (what === TRIPLET) return tripletSize(text, at)
  if (what === REFUSE) return 0
  if (what === NEWLY) return isUriText(octetAt(text, at)) ? 0 : tripletSize(text, at)
  if (code < 0xd800 || code > 0xdfff) return 1
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 0
}

/** Where the run of characters of `set` that starts at `from` ends. */
export function runEnd(text: string, from: number, set: CharacterSet): number {
  const end = text.length
  let at = from
  while (at < end) {
    const code = text.charCodeAt(at)
    if (code < 128 && set[code] === TAKE) {
      at += 1
      continue
    }
    const size = unitSize(text, at, set)
    if (size === 0) return at
    at += size
  }
  return at
}
