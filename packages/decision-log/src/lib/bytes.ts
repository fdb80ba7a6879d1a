/** What this package needs of the web's text coding, present in Node and every browser. */
interface TextCoding {
  readonly TextEncoder: new () => {
    encode(text: string): Uint8Array
    encodeInto(text: string, into: Uint8Array): { written: number }
  }
  readonly TextDecoder: new (
    label: string,
    options: { fatal: boolean; ignoreBOM: boolean },
  ) => { decode(bytes: Uint8Array): string }
}

const { TextEncoder, TextDecoder } = globalThis as unknown as TextCoding
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The UTF-8 bytes of a text. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text)

/** Writes the UTF-8 bytes of a text behind a position, and returns how many there are. The room must be enough. */
export const utf8Into = (text: string, into: Uint8Array, at: number): number =>
  encoder.encodeInto(text, into.subarray(at)).written

/** The text of UTF-8 bytes, or `undefined` where they are ill-formed. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const digitCodes = Uint8Array.from(alphabet, (digit) => digit.charCodeAt(0))
const digitOf = new Int8Array(128).fill(-1)
for (let at = 0; at < 64; at += 1) digitOf[alphabet.charCodeAt(at)] = at

/** RFC 4648 section 4, padded. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    const left = bytes.length - at
    text += alphabet.charAt(group >> 18) + alphabet.charAt((group >> 12) & 63)
    text += left > 1 ? alphabet.charAt((group >> 6) & 63) : '='
    text += left > 2 ? alphabet.charAt(group & 63) : '='
  }
  return text
}

/** Strict RFC 4648 section 4: padded, no other characters, no stray bits; `undefined` for anything else. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  let written = 0
  for (let at = 0; at < text.length; at += 4) {
    const last = at + 4 === text.length
    let group = 0
    for (let offset = 0; offset < 4; offset += 1) {
      const padded = last && offset >= 4 - padding
      const value = padded ? 0 : (digitOf[text.charCodeAt(at + offset)] ?? -1)
      if (value < 0) return undefined
      group = (group << 6) | value
    }
    if (last && padding > 0 && (group & ((1 << (8 * padding)) - 1)) !== 0) return undefined
    for (let shift = 16; shift >= 0 && written < bytes.length; shift -= 8) {
      bytes[written] = (group >> shift) & 255
      written += 1
    }
  }
  return bytes
}

/** Writes the base64 form of 32 bytes, which is 44 bytes long. */
export function base64Into(bytes: Uint8Array, into: Uint8Array, at: number): void {
  let position = at
  for (let from = 0; from < 33; from += 3) {
    const group =
      ((bytes[from] as number) << 16) | ((bytes[from + 1] as number) << 8) | (bytes[from + 2] ?? 0)
    into[position] = digitCodes[group >> 18] as number
    into[position + 1] = digitCodes[(group >> 12) & 63] as number
    into[position + 2] = digitCodes[(group >> 6) & 63] as number
    into[position + 3] = digitCodes[group & 63] as number
    position += 4
  }
  into[position - 1] = 0x3d
}

/** Whether the bytes at a position are the base64 form of 32 bytes. */
export function isBase64Of(text: Uint8Array, at: number, bytes: Uint8Array): boolean {
  let position = at
  for (let from = 0; from < 30; from += 3) {
    const group =
      ((bytes[from] as number) << 16) | ((bytes[from + 1] as number) << 8) | (bytes[from + 2] as number)
    if (text[position] !== digitCodes[group >> 18] || text[position + 1] !== digitCodes[(group >> 12) & 63])
      return false
    if (text[position + 2] !== digitCodes[(group >> 6) & 63] || text[position + 3] !== digitCodes[group & 63])
      return false
    position += 4
  }
  const group = ((bytes[30] as number) << 16) | ((bytes[31] as number) << 8)
  return (
    text[position] === digitCodes[group >> 18] &&
    text[position + 1] === digitCodes[(group >> 12) & 63] &&
    text[position + 2] === digitCodes[(group >> 6) & 63] &&
    text[position + 3] === 0x3d
  )
}

/** Each byte in hexadecimal. */
export const hexDigits: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += hexDigits[byte]
  return text
}
