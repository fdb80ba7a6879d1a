import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pageAfter } from './page.ts'

const key = (item: string): string => item
const sorted = (items: readonly string[]) => [...new Set(items)].sort((a, b) => (a < b ? -1 : 1))

const walk = (items: readonly string[], size: number, between: (page: number) => readonly string[]) => {
  const seen: string[] = []
  let cursor: string | undefined
  for (let page = 0; ; page += 1) {
    const read = pageAfter(page === 0 ? items : between(page), key, cursor, size)
    if (!read) throw new Error('our own cursor was refused')
    seen.push(...read.items)
    if (read.nextCursor === undefined) return seen
    cursor = read.nextCursor
  }
}

describe('paging', () => {
  it('gives every item once, in order, whatever the page size', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.integer({ min: 1, max: 7 }), (items, size) => {
        const list = sorted(items)
        expect(walk(list, size, () => list)).toEqual(list)
      }),
    )
  })

  it('gives what stays exactly once while other items come and go between pages', () => {
    const some = fc.array(fc.string({ maxLength: 2 }), { maxLength: 30 })
    fc.assert(
      fc.property(
        some,
        fc.array(some, { minLength: 1 }),
        fc.integer({ min: 1, max: 5 }),
        (stays, other, size) => {
          const at = (page: number) => sorted([...stays, ...(other[page % other.length] ?? [])])
          const seen = walk(at(0), size, at)
          for (const item of stays) expect(seen.filter((one) => one === item)).toEqual([item])
        },
      ),
    )
  })

  it('ends with the last full page', () => {
    expect(pageAfter(['a', 'b'], key, undefined, 2)).toEqual({ items: ['a', 'b'] })
  })

  it.each(['', 'x', '!!', 'bnVsbA', 'WzFd', 'WyJhIiwiYiJd'])(
    'refuses the cursor %j, which is none of ours',
    (cursor) => {
      expect(pageAfter(['a', 'b'], key, cursor, 1)).toBeUndefined()
    },
  )
})
