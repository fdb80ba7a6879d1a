import { octetAt, PERCENT, TAKE, tripletSize } from './utf8.ts'

/** What a matcher does at a character besides taking it: refuse it, look at the triplet, take it if it is a whole code point. */
const REFUSE = 0
const TRIPLET = 2
const WIDE = 3
/** Look at the triplet, and refuse what need not be one where reserved characters are kept. */
export const NEWLY = 4

/** A set of characters: what to do for each ASCII code, and at 128 for every other character. */
export type CharacterSet = Uint8Array

export const COMMA = 0x2c
export const EQUALS = 0x3d
export const AMPERSAND = 0x26
export const SLASH = 0x2f

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** RFC 3986 section 2.3. */
export const unreservedText = `${letters}0123456789-._~`
/** RFC 3986 section 2.2. */
export const reservedText = ":/?#[]@!$&'()*+,;="

/** The characters of a text, `%` standing for triplets, and those of `base`. */
export function characterSet(text: string, base?: CharacterSet): CharacterSet {
  const set: CharacterSet = base === undefined ? new Uint8Array(129) : base.slice()
  for (let at = 0; at < text.length; at += 1) set[text.charCodeAt(at)] = text[at] === '%' ? TRIPLET : TAKE
  return set
}

/** What values of all operators but `+` and `#` are written with. */
export const unreserved: CharacterSet = characterSet(`${unreservedText}%`)
/** What values of `+` and `#` are written with. */
export const reserved: CharacterSet = characterSet(`${unreservedText}${reservedText}%`)

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

/** Whether a code is unreserved (RFC 3986 section 2.3). */
export const isUnreserved = (code: number): boolean => unreserved[code] === TAKE
/** Whether a code may stand in a URI as itself: unreserved or reserved. */
export const isUriText = (code: number): boolean => reserved[code] === TAKE

/** How long the character at `at` is if `set` has it, and 0 if not; triplets that stand for one code point are one. */
export function unitSize(text: string, at: number, set: CharacterSet): number {
  const code = text.charCodeAt(at)
  const what = set[Math.min(code, 128)]
  if (what === TAKE) return 1
  if (what === TRIPLET || what === NEWLY) {
    const octet = octetAt(text, at)
    // A triplet for an unreserved character is that character.
    if (isUnreserved(octet)) return set[octet] === TAKE && what === TRIPLET ? 3 : 0
    return what === NEWLY && isUriText(octet) ? 0 : tripletSize(text, at)
  }
  if (what !== WIDE) return 0
  return text.codePointAt(at)! > 0xffff ? 2 : +(code >> 11 !== 27)
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
