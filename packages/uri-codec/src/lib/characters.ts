/** Of an ASCII code: unreserved (RFC 3986 section 2.3). */
export const UNRESERVED = 1
/** Of an ASCII code: reserved (RFC 3986 section 2.2). */
export const RESERVED = 2
/** Of an ASCII code: hexadecimal digit. */
export const HEX = 4
/** Of an ASCII code: may stand in a variable name (RFC 6570 section 2.3); `.` and triplets are seen to apart. */
export const NAME = 8
/** Of an ASCII code: neither unreserved nor reserved. */
export const OTHER = 16
/** Of an ASCII code: reserved, but left as it is by the platform's `encodeURIComponent`. */
export const LEFT = 32

const classes = new Uint8Array(128)
const mark = (text: string, flag: number): void => {
  for (let at = 0; at < text.length; at += 1) classes[text.charCodeAt(at)]! |= flag
}
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
mark(`${letters}0123456789-._~`, UNRESERVED)
mark(":/?#[]@!$&'()*+,;=", RESERVED)
mark('0123456789ABCDEFabcdef', HEX)
mark(`${letters}0123456789_`, NAME)
mark("!'()*", LEFT)
for (let code = 0; code < 128; code += 1)
  if ((classes[code]! & (UNRESERVED | RESERVED)) === 0) classes[code]! |= OTHER

/** The flags of each ASCII code. */
export const characterClasses: Readonly<Uint8Array> = classes

/** Whether `text` has two hexadecimal digits after the `%` at `index`. */
export const isTriplet = (text: string, index: number): boolean =>
  isHex(text.charCodeAt(index + 1)) && isHex(text.charCodeAt(index + 2))

const isHex = (code: number): boolean => code < 128 && (classes[code]! & HEX) !== 0
