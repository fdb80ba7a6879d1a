import { heldMeta } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { heldLine, heldOf } from './held.ts'

const held = (server: string, name: string, field: string) =>
  ({ server, kind: 'tool', name, field, message: 'moved' }) as const

describe('what a proxy holds', () => {
  it('is gathered from every page, each once', () => {
    const one = held('shop-a', 'search', 'description')
    const two = held('shop-b', 'search', 'inputSchema')
    expect(heldOf([{ [heldMeta]: [one] }, {}, { [heldMeta]: [one, two] }])).toEqual([one, two])
  })

  it('is nothing where the key holds something else', () => {
    expect(heldOf([{ [heldMeta]: 'all' }, { [heldMeta]: [null, 1, { server: 'a' }] }])).toEqual([])
    expect(heldLine([])).toBeUndefined()
  })

  it('is one line that names pair and field', () => {
    expect(heldLine([held('shop-a', 'search', 'description')])).toBe('1 tool held: shop-a/search description')
    expect(
      heldLine([
        held('shop-a', 'search', 'description'),
        held('shop-a', 'search', 'annotations'),
        held('kb', 'find', 'inputSchema'),
      ]),
    ).toBe('2 tools held: shop-a/search description, annotations; kb/find inputSchema')
  })
})
