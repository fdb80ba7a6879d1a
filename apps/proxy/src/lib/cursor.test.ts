import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from './cursor.ts'

describe('the cursor of a listing over several servers', () => {
  it('reads back as it was written, an empty upstream cursor included', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.option(fc.string(), { nil: undefined }),
        (server, cursor) => {
          expect(decodeCursor(encodeCursor({ server, cursor }))).toEqual({ server, cursor })
        },
      ),
    )
  })

  it('refuses what it did not write', () => {
    for (const text of [
      '',
      'x',
      'W10',
      Buffer.from('[1]').toString('base64url'),
      Buffer.from('{}').toString('base64url'),
    ]) {
      expect(decodeCursor(text)).toBeUndefined()
    }
  })
})
