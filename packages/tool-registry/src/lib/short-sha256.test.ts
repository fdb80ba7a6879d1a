import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paddedLength, shortSha256 } from './short-sha256.ts'

const hexOf = (message: Uint8Array): string => {
  // What stands behind the message must not matter.
  const bytes = new Uint8Array(paddedLength(message.length)).fill(0xa5)
  bytes.set(message)
  const words = shortSha256(bytes, message.length)
  return Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

describe('SHA-256 of short messages', () => {
  it('has the published results (FIPS 180-4 examples)', () => {
    const text = (message: string): string => hexOf(new TextEncoder().encode(message))
    expect(text('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(text('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(text('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq')).toBe(
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    )
  })

  it('agrees with node:crypto for every length and any bytes', () => {
    for (let length = 0; length <= 400; length += 1) {
      const message = Uint8Array.from({ length }, (_, at) => (at * 151 + length * 7) % 256)
      expect(hexOf(message), String(length)).toBe(createHash('sha256').update(message).digest('hex'))
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (message) => {
        expect(hexOf(message)).toBe(createHash('sha256').update(message).digest('hex'))
      }),
    )
  })
})
