// FIPS 180-4, sections 5.3.3 and 4.2.2.
const start = Int32Array.of(
  ...[0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19],
)
const rounds = Int32Array.of(
  ...[0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5],
  ...[0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174],
  ...[0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da],
  ...[0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967],
  ...[0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85],
  ...[0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070],
  ...[0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3],
  ...[0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2],
)

const block = 64
const state = new Int32Array(8)
const schedule = new Int32Array(64)

/** Takes up one block (section 6.2.2). */
function takeBlock(bytes: Uint8Array, from: number): void {
  const w = schedule
  for (let at = 0, byte = from; at < 16; at += 1, byte += 4)
    w[at] =
      ((bytes[byte] as number) << 24) |
      ((bytes[byte + 1] as number) << 16) |
      ((bytes[byte + 2] as number) << 8) |
      (bytes[byte + 3] as number)
  for (let at = 16; at < 64; at += 1) {
    const x = w[at - 15] as number
    const y = w[at - 2] as number
    const small0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const small1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[at] = ((w[at - 16] as number) + (w[at - 7] as number) + small0 + small1) | 0
  }
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  let f = state[5] as number
  let g = state[6] as number
  let h = state[7] as number
  for (let at = 0; at < 64; at += 1) {
    const large1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const choice = g ^ (e & (f ^ g))
    const first = (h + large1 + choice + (rounds[at] as number) + (w[at] as number)) | 0
    const large0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const majority = (a & b) | (c & (a | b))
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + large0 + majority) | 0
  }
  state[0] = ((state[0] as number) + a) | 0
  state[1] = ((state[1] as number) + b) | 0
  state[2] = ((state[2] as number) + c) | 0
  state[3] = ((state[3] as number) + d) | 0
  state[4] = ((state[4] as number) + e) | 0
  state[5] = ((state[5] as number) + f) | 0
  state[6] = ((state[6] as number) + g) | 0
  state[7] = ((state[7] as number) + h) | 0
}

/** How many bytes a message takes with its padding. */
export const paddedLength = (length: number): number => block * (Math.floor((length + 8) / block) + 1)

/**
 * SHA-256 (FIPS 180-4) of the first bytes of an array with room for the padding behind them, which is written there.
 * It allocates nothing, which for messages of a block or two is half of what `@noble/hashes` takes; that one hashes all
 * that is long. The result, eight words, is good until the next call.
 */
export function shortSha256(bytes: Uint8Array, length: number): Int32Array {
  const end = paddedLength(length)
  bytes.fill(0, length, end)
  bytes[length] = 0x80
  // The length in bits, of which no message here needs more than 32.
  for (let at = end - 1, bits = length * 8; at >= end - 4; at -= 1, bits = Math.floor(bits / 256))
    bytes[at] = bits % 256
  state.set(start)
  for (let from = 0; from < end; from += block) takeBlock(bytes, from)
  return state
}
