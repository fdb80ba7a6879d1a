/** Of an ASCII code: unreserved (RFC 3986 section 2.3). */
export const UNRESERVED = 1
/** Of an ASCII code: reserved (RFC 3986 section 2.2). */
export const RESERVED = 2
/** Of an ASCII code: neither unreserved nor reserved. */
export const OTHER = 4
/** Of an ASCII code: reserved, but left as it is by the platform's `encodeURIComponent`. */
export const LEFT = 8

/** The flags of each ASCII code. */
export const characterClasses: Readonly<Uint8Array> = /* @__PURE__ */ Uint8Array.from(
  { length: 128 },
  (_, code) => {
    const character = String.fromCharCode(code)
    if (/[\w.~-]/.test(character)) return UNRESERVED
    if (/[!'()*]/.test(character)) return RESERVED | LEFT
    return /[:/?#[\]@$&+,;=]/.test(character) ? RESERVED : OTHER
  },
)
