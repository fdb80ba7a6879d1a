import { expect, it } from 'vitest'
import { sha256 } from './merkle.ts'
import { nodeSha256 } from './node-sha256.ts'

it('hashes like the one in JavaScript, as bytes and in hexadecimal', () => {
  for (let length = 0; length < 200; length += 1) {
    const data = Uint8Array.from({ length }, (_, at) => (at * 151 + length) % 256)
    const expected = sha256(data)
    expect([...nodeSha256(data)]).toEqual([...expected])
    if (nodeSha256.hex) expect(nodeSha256.hex(data)).toBe(Buffer.from(expected).toString('hex'))
  }
})
