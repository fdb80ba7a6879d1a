import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOutbox, emptied, put } from './outbox.ts'
import { type MemberOrder, writeJson } from './write-json.ts'

const outbox = createOutbox()

/** What is written, behind something that was there; `undefined` where it was left to others. */
function written(value: unknown, order: MemberOrder): string | undefined {
  emptied(outbox)
  put(outbox, 'é')
  const start = outbox.used
  if (!writeJson(outbox, value, order)) return undefined
  expect(Buffer.from(outbox.bytes.subarray(0, start)).toString()).toBe('é')
  return Buffer.from(outbox.bytes.subarray(start, outbox.used)).toString('utf8')
}

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\\ud', '\u0000', '\n', '\u007f', '\u2028', 'é', '😀', 'a', '9'),
  }),
)
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.nat(20).map((power) => 10 ** power),
  fc.nat(20).map((power) => 10 ** power - 1),
  fc.constantFrom(-0, 1e21, 5e-324, Number.MAX_SAFE_INTEGER),
)
const name = fc.oneof(text, fc.constantFrom('10', '9', '__proto__', 'constructor', 'toString', ''))
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    number,
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 5 }),
    fc
      .array(fc.tuple(name, fc.option(tie('value'), { nil: undefined })), { maxLength: 16 })
      .map((members) => {
        const object: Record<string, unknown> = {}
        for (const [key, value] of members)
          Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
        return object
      }),
  ),
})).value

const canonicalOf = (value: unknown): string | undefined => {
  try {
    return canonicalize(value)
  } catch {
    return undefined
  }
}

describe('writing JSON as bytes', () => {
  it('writes what JSON.stringify writes, or leaves it to others', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(written(value, 'given')).toBe(JSON.stringify(value))
      }),
      { numRuns: 3000 },
    )
  })

  it('writes the RFC 8785 form, or leaves it to others', () => {
    fc.assert(
      fc.property(json, (value) => {
        const own = written(value, 'canonical')
        // A backslash before `ud` looks like the escape of a lone surrogate.
        if (own === undefined) expect(JSON.stringify(value)).toContain('\\ud')
        else expect(own).toBe(canonicalOf(value))
      }),
      { numRuns: 3000 },
    )
  })

  it('leaves out the members of the value itself that it is told to, and no inner ones', () => {
    emptied(outbox)
    const value = { b: { a: 1, b: 2 }, a: [{ a: 1 }], c: 3 }
    expect(writeJson(outbox, value, 'given', new Set(['a', 'c']))).toBe(true)
    expect(Buffer.from(outbox.bytes.subarray(0, outbox.used)).toString()).toBe('{"b":{"a":1,"b":2}}')
  })

  it('adds nothing where it leaves something to others', () => {
    emptied(outbox)
    put(outbox, 'é')
    for (const order of ['given', 'canonical'] as const) {
      expect(writeJson(outbox, { a: 'x'.repeat(5000), b: new Map() }, order)).toBe(false)
      expect(outbox.used).toBe(2)
    }
  })

  it('leaves all to others while every object inherits members', () => {
    const added = { value: 1, enumerable: true, configurable: true, writable: true }
    let whileAdded: string | undefined
    Object.defineProperty(Object.prototype, 'inherited', added)
    try {
      whileAdded = written({ a: 1 }, 'given')
    } finally {
      Reflect.deleteProperty(Object.prototype, 'inherited')
    }
    expect(whileAdded).toBeUndefined()
    expect(written({ a: 1 }, 'given')).toBe('{"a":1}')
  })

  it('leaves to others what is not plain JSON, wherever it stands', () => {
    class Point {
      x = 1
    }
    const cycle: unknown[] = []
    cycle.push(cycle)
    let deep: unknown = 1
    for (let level = 0; level < 100; level += 1) deep = { deep }
    for (const value of [
      new Date(0),
      new Point(),
      new Map(),
      new String('x'),
      { toJSON: () => 1 },
      () => 1,
      Symbol('x'),
      1n,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      cycle,
      deep,
      [undefined],
    ]) {
      for (const order of ['given', 'canonical'] as const) {
        expect(written(value, order)).toBeUndefined()
        expect(written({ a: [{ b: value }] }, order)).toBeUndefined()
      }
    }
    expect(written('\ud800', 'canonical')).toBeUndefined()
    expect(written('\ud800', 'given')).toBe('"\\ud800"')
    expect(written(Object.assign(Object.create(null), { a: 1 }), 'given')).toBe('{"a":1}')
  })
})
