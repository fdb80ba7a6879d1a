import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSealer } from './sealed-state.ts'

describe('sealed state', () => {
  it('opens to what was sealed, under the same binding alone', () => {
    const sealer = createSealer()
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.string(), (value, binding, other) => {
        const sealed = sealer.seal(value as never, binding)
        expect(sealer.open(sealed, binding)).toEqual(JSON.parse(JSON.stringify(value)))
        if (other !== binding) expect(sealer.open(sealed, other)).toBeUndefined()
      }),
    )
  })
  it('does not open when any character was changed, nor anything else', () => {
    const sealer = createSealer()
    const sealed = sealer.seal({ held: 'x' }, 'b')
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
      // The last character of base64url may hold unused bits; the bytes decide.
      const same = Buffer.from(changed.slice(4), 'base64url').equals(
        Buffer.from(sealed.slice(4), 'base64url'),
      )
      if (!same || at < 4) expect(sealer.open(changed, 'b')).toBeUndefined()
    }
    fc.assert(fc.property(fc.string(), (text) => void expect(sealer.open(text, 'b')).toBeUndefined()))
    expect(createSealer().open(sealed, 'b')).toBeUndefined()
  })
  it('hides what it carries, and expires', () => {
    let now = 0
    const sealer = createSealer({ key: new Uint8Array(32).fill(7), lifetimeMs: 100, now: () => now })
    const sealed = sealer.seal('secret', 'b')
    expect(Buffer.from(sealed.slice(4), 'base64url').toString('latin1')).not.toContain('secret')
    now = 100
    expect(sealer.open(sealed, 'b')).toBe('secret')
    now = 101
    expect(sealer.open(sealed, 'b')).toBeUndefined()
    expect(() => createSealer({ key: new Uint8Array(16) })).toThrow(RangeError)
  })
})
