import { describe, expect, it } from 'vitest'
import { readLock } from '../src/lib/parse-lock.ts'
import { hunks, merge, type Tools, textOf } from './lock-branches.ts'

const base: Tools = { b: 0, d: 0, f: 0, h: 0 }

describe('a lock in version control', () => {
  it('shows the change of one tool as one hunk, whichever member moved, added and removed ones too', () => {
    const before = textOf({ kb: base })
    for (const name of ['b', 'h']) {
      for (let turn = 1; turn <= 9; turn += 1)
        expect(hunks(before, textOf({ kb: { ...base, [name]: turn } }))).toBe(1)
      const { [name]: _, ...without } = base
      expect(hunks(before, textOf({ kb: without }))).toBe(1)
    }
    for (const name of ['a', 'c', 'i']) expect(hunks(before, textOf({ kb: { ...base, [name]: 0 } }))).toBe(1)
    expect(hunks(before, textOf({ kb: base, other: { x: 0 } }))).toBe(1)
  })

  it('merges two branches that change, add or take out different tools', () => {
    const edits: readonly (readonly [string, (tools: Tools) => Tools])[] = [
      ['change b', (tools) => ({ ...tools, b: 2 })],
      ['change d', (tools) => ({ ...tools, d: 9 })],
      ['change h', (tools) => ({ ...tools, h: 8 })],
      ['take out b', ({ b: _, ...tools }) => tools],
      ['add a', (tools) => ({ ...tools, a: 0 })],
      ['add c', (tools) => ({ ...tools, c: 0 })],
      ['add e', (tools) => ({ ...tools, e: 0 })],
      ['add i', (tools) => ({ ...tools, i: 0 })],
    ]
    for (const [one, ours] of edits) {
      for (const [other, theirs] of edits) {
        // Taking out a tool and adding beside it, or changing it, meet in the same place.
        const meet =
          [one, other].includes('take out b') && [one, other].some((edit) => /(?: a| c|change b)$/.test(edit))
        if (one === other || meet) continue
        const result = merge(textOf({ kb: base }), textOf({ kb: ours(base) }), textOf({ kb: theirs(base) }))
        expect(result.clean, `${one}, ${other}`).toBe(true)
        expect(result.text, `${one}, ${other}`).toBe(textOf({ kb: theirs(ours(base)) }))
      }
    }
  })

  it('merges two branches that add tools to different servers, or different servers', () => {
    const start = { kb: base, shop: base }
    const ours = { kb: { ...base, z: 0 }, shop: base }
    const theirs = { kb: base, shop: { ...base, a: 0 } }
    expect(merge(textOf(start), textOf(ours), textOf(theirs))).toEqual({
      clean: true,
      text: textOf({ kb: ours.kb, shop: theirs.shop }),
    })
    const [before, after] = [textOf({ ...start, aaa: base }), textOf({ ...start, lion: base })]
    expect(merge(textOf(start), before, after)).toEqual({
      clean: true,
      text: textOf({ ...start, aaa: base, lion: base }),
    })
  })

  it('conflicts where both add between the same neighbours, and where both change one tool', () => {
    expect(
      merge(textOf({ kb: base }), textOf({ kb: { ...base, c1: 0 } }), textOf({ kb: { ...base, c2: 0 } }))
        .clean,
    ).toBe(false)
    const both = merge(
      textOf({ kb: base }),
      textOf({ kb: { ...base, d: 1 } }),
      textOf({ kb: { ...base, d: 8 } }),
    )
    expect(both.clean).toBe(false)
    expect(readLock(both.text).problems).toMatchObject([{ code: 'merge-conflict' }])
  })
})
