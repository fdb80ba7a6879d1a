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
  'JSON five times over': (text) => [1, 2, 3, 4, 5].reduce((rest) => inJson(rest), text),
  percent: encodeURIComponent,
  'percent six times over': (text) => [1, 2, 3, 4, 5, 6].reduce((rest) => encodeURIComponent(rest), text),
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

  it('is taken out whatever its length, and however it is spelt', () => {
    const made = (length: number, step: number): string =>
      `-----BEGIN X-----\n${Array.from({ length }, (_, at) => 'Ab9+/\n"\\é '.charAt((at * at * step) % 11)).join('')}q`
    const lines = fc.tuple(fc.integer({ min: 5000, max: 20_000 }), fc.integer({ min: 1, max: 100 }))
    const spelling = fc.constantFrom(...Object.entries(spellings))
    fc.assert(
      fc.property(lines, spelling, ([length, step], [, spell]) => {
        const known = made(length, step)
        const finder = createSecretFinder([known], '[redacted]')
        const text = `50% of "${spell(known)}".`
        expect(finder.mayHold(JSON.stringify(text))).toBe(true)
        expect(finder.clean(text)).toBe('50% of "[redacted]".')
        const other = `50% of "${spell(known.slice(0, -1))}".`
        expect(finder.clean(other) === other).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('is suspected in the JSON of every text that it is taken out of', () => {
    const secrets = [
      'hunter2horse',
      'pa"ss',
      'a\\b\\\\c',
      'l1\nl2',
      'ab/cd+e',
      'pä😀x',
      'a b c',
      '50%x',
      "it's",
      '%25%2541',
    ]
    const finders = secrets.map((one) => [one, createSecretFinder([one], '[redacted]')] as const)
    const ways: readonly ((one: string) => string)[] = [
      (one) => one,
      inJson,
      (one) => inJson(inJson(one)),
      (one) => [...Buffer.from(one)].map((byte) => `%2525${byte.toString(16).padStart(2, '0')}`).join(''),
      (one) =>
        one.replaceAll(/[\s\S]/g, (unit) => `\\\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ]
    const end = fc.constantFrom(
      '',
      '\n',
      '\r\n\t',
      '\t',
      '\v',
      '\f',
      '\u2028',
      '\\n',
      '\\\\r\\\\n\\\\t',
      '%0A',
      '%250d%250a%2509',
      ' ',
    )
    const written = fc.tuple(
      fc.nat(secrets.length - 1),
      fc.array(fc.nat(ways.length - 1), { minLength: 1, maxLength: 8 }),
      end,
      fc.nat(2),
    )
    const around = fc.constantFrom('', 'x', '%', '\\', '"')
    fc.assert(
      fc.property(written, fc.boolean(), around, ([at, spelt, lineEnd, before], inBase64, beside) => {
        const [known, finder] = finders[at] as (typeof finders)[number]
        const base64 = Buffer.from('xyz'.slice(0, before) + known).toString('base64')
        const inner = inBase64
          ? base64.replaceAll(/.{3}/g, (part) => part + lineEnd)
          : [...known].map((one, place) => ways[spelt[place % spelt.length] as number]?.(one)).join('')
        const text = beside + inner + beside
        if (finder.clean(text) !== text) expect(finder.mayHold(JSON.stringify(text)), text).toBe(true)
        // A backslash before some digits makes them the end of a line; a percent sign, others a byte.
        if (!inBase64 && beside !== '%' && beside !== '\\')
          expect(finder.clean(text), text).toContain('[redacted]')
      }),
      { numRuns: 4000 },
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
