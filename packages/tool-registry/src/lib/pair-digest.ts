import { paddedLength, shortSha256 } from './short-sha256.ts'

/** 16 characters of 5 bits each: 80 bits of the digest. */
export const pairDigestLength = 16

const base32 = Array.from('abcdefghijklmnopqrstuvwxyz234567', (digit) => digit.charCodeAt(0))
const encoder = new TextEncoder()
// Digests are taken of many names one after the other, so the room for them is used again.
const codes: number[] = Array.from({ length: pairDigestLength }, () => 0)
let room = new Uint8Array(1024)

/** The first 80 bits as digits of five bits (RFC 4648 section 6, in lower case). */
function firstDigits(words: Int32Array): string {
  for (let digit = 0; digit < pairDigestLength; digit += 1) {
    const from = 5 * digit
    const word = words[from >> 5] as number
    const left = (from & 31) - 27
    const bits =
      left <= 0 ? word >>> -left : (word << left) | ((words[(from >> 5) + 1] as number) >>> (32 - left))
    codes[digit] = base32[bits & 31] as number
  }
  return String.fromCharCode(...codes)
}

const quote = 0x22
const backslash = 0x5c
const bracket = 0x5d

/** Writes `"name"]` as JSON has it, from a place on in a room that is large enough; gives where it ends. */
function writeEnd(name: string, from: number): number {
  let at = from
  room[at++] = quote
  for (let index = 0; index < name.length; index += 1) {
    const code = name.charCodeAt(index)
    if (code < 0x20 || code > 0x7e || code === quote || code === backslash) {
      const text = `${JSON.stringify(name)}]`
      return from + encoder.encodeInto(text, room.subarray(from)).written
    }
    room[at++] = code
  }
  room[at++] = quote
  room[at++] = bracket
  return at
}

/** JSON escapes a UTF-16 unit with six characters at most. */
const mostBytes = 6

/**
 * Digests of the pairs of one server: 80 bits of SHA-256 over both ids; as a JSON array, so that no text moves from one
 * to the other unseen.
 */
export function createPairDigest(server: string): (name: string) => string {
  const beginning = encoder.encode(`truename flat name 1\n[${JSON.stringify(server)},`)
  return (name) => {
    const most = paddedLength(beginning.length + mostBytes * name.length + 3)
    if (most > room.length) room = new Uint8Array(most)
    room.set(beginning)
    return firstDigits(shortSha256(room, writeEnd(name, beginning.length)))
  }
}
