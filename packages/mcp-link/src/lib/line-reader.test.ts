import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLineReader } from './line-reader.ts'

const read = (chunks: readonly Uint8Array[], limit = 1 << 20) => {
  const lines: string[] = []
  const tooLong: number[] = []
  const reader = createLineReader({
    limit,
    line: (text) => lines.push(text),
    tooLong: (bytes) => tooLong.push(bytes),
  })
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return { lines, tooLong }
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('reading lines', () => {
  it('does not depend on where the chunks fall, also inside a character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (texts, sizes) => {
          const whole = bytes(texts.map((text) => `${text.replaceAll(/[\r\n\ufeff]/g, '')}\n`).join(''))
          const chunks: Uint8Array[] = []
          for (let at = 0, turn = 0; at < whole.length; turn += 1) {
            const size = sizes[turn % sizes.length] as number
            chunks.push(whole.subarray(at, at + size))
            at += size
          }
          expect(read(chunks)).toEqual(read([whole]))
          const kept = texts
            .map((text) => text.replaceAll(/[\r\n\ufeff]/g, ''))
            .filter((text) => text.trim() !== '')
          expect(read(chunks).lines).toEqual(kept)
        },
      ),
    )
  })
  it('takes off carriage returns and a byte order mark, skips blanks, and keeps what has no line feed yet', () => {
    expect(read([bytes('\ufeff{"a":1}\r\n\r\n  \n{"b":2}')]).lines).toEqual(['{"a":1}', '{"b":2}'])
  })
  it('gives up a line over the limit once, and reads on after it', () => {
    expect(read([bytes('12345\n')], 5)).toEqual({ lines: ['12345'], tooLong: [] })
    expect(read([bytes('1234'), bytes('56'), bytes('789\nok\n')], 5)).toEqual({ lines: ['ok'], tooLong: [6] })
  })
})
