import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createPairDigest } from './pair-digest.ts'

/** The same, written as it is described. */
function described(server: string, name: string): string {
  const digest = createHash('sha256')
    .update(`truename flat name 1\n${JSON.stringify([server, name])}`)
    .digest()
  const bits = Array.from(digest, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return Array.from({ length: 16 }, (_, at) => {
    const digit = Number.parseInt(bits.slice(5 * at, 5 * at + 5), 2)
    return 'abcdefghijklmnopqrstuvwxyz234567'.charAt(digit)
  }).join('')
}

it('is the beginning of SHA-256 over both ids, whatever they are made of', () => {
  const id = fc.oneof(
    fc.string({ unit: 'grapheme-ascii', maxLength: 80 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom('"', '\\', '\u0000', '\ud800', '\udc00', '\u2028', 'é', 'a') }),
    fc.nat(3000).map((length) => '\u0001'.repeat(length)),
  )
  fc.assert(
    fc.property(id, fc.array(id, { minLength: 1, maxLength: 5 }), (server, names) => {
      const digest = createPairDigest(server)
      for (const name of names) expect(digest(name)).toBe(described(server, name))
    }),
    { numRuns: 500 },
  )
})
