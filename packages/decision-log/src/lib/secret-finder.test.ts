import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from './json.ts'
import { createRedactor, secretKeys } from './redact.ts'
import { createSecretFinder } from './secret-finder.ts'
import { secretTexts } from './secret-texts.ts'

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Ways in which programs write one text inside another. */
const spellings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  JSON: inJson,
  'JSON in JSON': (text) => inJson(inJson(text)),
  'JSON in JSON in JSON': (text) => inJson(inJson(inJson(text))),
  'JSON of ASCII alone': (text) =>
    inJson(text).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'JSON with escaped slashes': (text) => inJson(text).replaceAll('/', '\\/'),
  percent: encodeURIComponent,
  'percent, lower case': (text) => encodeURIComponent(text).replaceAll(/%../g, (one) => one.toLowerCase()),
  'every byte': (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'percent twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'percent of a URL': encodeURI,
  form: (text) => new URLSearchParams({ a: text }).toString().slice(2),
  'JSON in a form': (text) => encodeURIComponent(inJson(text)),
}

describe('a value that is known to be secret', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'pa',
      'Z9',
      '"',
      '\\',
      '/',
      ' ',
      '%',
      '€',
      '😀',
      '\n',
      '+',
      '$&',
      '[',
      '-',
      "'",
      '\u0007',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
  )
  // Something that does not stand around it by chance.
  const secret = fc
    .array(piece, { minLength: 2, maxLength: 6 })
    .map((parts) => `k7${parts.join('')}q`)
    // A lone surrogate has no percent-encoding.
    .filter((text) => !/\p{Cs}/u.test(text))

  it.each(Object.entries(spellings))('is taken out where it is spelt otherwise: %s', (_, spell) => {
    fc.assert(
      fc.property(secret, (known) => {
        const redactor = createRedactor({ keys: [secretKeys], texts: secretTexts, secrets: [known, 'other'] })
        const value: Json = { note: [`x ${spell(known)} y`], [`m ${spell(known)}`]: 1 }
        expect(redactor.suspects(JSON.stringify(value))).toBe(true)
        expect(redactor.value(value)).toEqual({ note: ['x [redacted] y'], 'm [redacted]': 1 })
      }),
      { numRuns: 60 },
    )
  })

  it('is taken out where it is a number', () => {
    const redactor = createRedactor({ keys: [], texts: [], secrets: ['4711'] })
    expect(redactor.value({ a: 4711, b: [4712, '4711'] })).toEqual({
      a: '[redacted]',
      b: [4712, '[redacted]'],
    })
  })

  it('is not found in what only looks like it, and nothing is where none is known', () => {
    const finder = createSecretFinder(['ab/c d', ''], '-')
    for (const text of ['ab%2Ec d', 'ab\\u002ec d', 'ab/c', 'abc d', '%', '\\', '']) {
      expect(finder.clean(text)).toBe(text)
      expect(finder.mayHold(JSON.stringify(text))).toBe(false)
    }
    expect(createSecretFinder([''], '-')).toMatchObject({ none: true })
  })

  it('is looked for in time that grows with a hostile text, not with its square', () => {
    const finder = createSecretFinder(['\\\\"\\"a', '%%2525 %', "'''a", '\\'.repeat(20)], '-')
    const time = (text: string): number => {
      const start = performance.now()
      finder.clean(text)
      finder.mayHold(JSON.stringify(text))
      return performance.now() - start
    }
    for (const part of ['\\', '\\"', '%25', '%', "'", '\\u005c', ' ', '+']) {
      const small = Math.min(...[1, 2, 3].map(() => time(part.repeat(20_000 / part.length))))
      const large = Math.min(...[1, 2].map(() => time(part.repeat(200_000 / part.length))))
      // Ten times the text; a square would take a hundred times as long.
      expect(large / Math.max(small, 4), part).toBeLessThan(50)
    }
  })
})
