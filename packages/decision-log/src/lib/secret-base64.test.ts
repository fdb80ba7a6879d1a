import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.ts'
import { createSecretFinder } from './secret-finder.ts'

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
const toUrl = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const inLines =
  (width: number, end: string) =>
  (base64: string): string =>
    base64.replaceAll(new RegExp(`.{${width}}`, 'g'), (line) => line + end)

/** Ways in which programs write Base64 into a text, and back to its digits. */
const writings: Readonly<Record<string, (base64: string) => string>> = {
  'as it is': (base64) => base64,
  'without padding': (base64) => base64.replaceAll('=', ''),
  'for URLs': toUrl,
  'in lines': inLines(19, '\n'),
  'in lines of MIME': inLines(76, '\r\n'),
  'in lines, indented': inLines(16, '\n    '),
  'in lines, folded': inLines(76, '\r\n\t'),
  'in JSON, in lines, folded': (base64) => inJson(inLines(17, '\r\n\t')(base64)),
  'in a URL, in lines': (base64) => encodeURIComponent(inLines(17, '\r\n\t')(base64)),
  'in JSON, in lines': (base64) => inJson(inLines(17, '\n')(base64)),
  'in JSON in JSON, in lines': (base64) => inJson(inJson(inLines(17, '\r\n')(base64))),
  'in JSON with escaped slashes': (base64) => base64.replaceAll('/', '\\/'),
  'in JSON with an escaped plus': (base64) => base64.replaceAll('+', '\\u002B'),
  'in a URL': encodeURIComponent,
  'in a URL in a URL': (base64) => encodeURIComponent(encodeURIComponent(base64)),
}

const digitsOf = (text: string): string =>
  text
    .replaceAll(/%(?:25)*([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\\u002B', '+')
    .replaceAll(/\\+[rnt]|\\|\s/g, '')

/** Whether somebody who decodes every part of a text, from every place, reads the secret. */
function tells(text: string, secret: Buffer): boolean {
  const parts = digitsOf(text).match(/[\w+/-]+/g) ?? []
  return parts.some((part) =>
    [0, 1, 2, 3].some((from) => Buffer.from(part.slice(from), 'base64').includes(secret)),
  )
}

const secret = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 4, maxLength: 40 }),
    fc.string({ unit: fc.constantFrom('>', '?', '~', 'ÿ', '?>', 'ab'), minLength: 4, maxLength: 12 }),
    fc.string({ minLength: 60, maxLength: 120 }),
  )
  .filter((text) => !/\p{Cs}/u.test(text))
const bytes = fc.uint8Array({ maxLength: 70 })

describe('a value that is known to be secret, as a part of something in Base64', () => {
  it.each(Object.entries(writings))('is taken out, written %s', (_, write) => {
    let told = 0
    fc.assert(
      fc.property(secret, bytes, bytes, (known, before, behind) => {
        const base64 = Buffer.concat([before, Buffer.from(known), behind]).toString('base64')
        const text = `see "${write(base64)}"!`
        const redactor = createRedactor({ keys: [], texts: [], secrets: [known, 'something else'] })
        if (tells(text, Buffer.from(known))) told += 1
        expect(redactor.suspects(JSON.stringify({ text }))).toBe(true)
        const clean = redactor.text(text)
        expect(tells(clean, Buffer.from(known)), clean).toBe(false)
        expect(clean).toMatch(/^see ".*\[redacted\].*"!$/s)
      }),
      { numRuns: 150 },
    )
    expect(told).toBeGreaterThan(100)
  })

  it('leaves what stands around it, but for the digits that say a part of it', () => {
    const finder = createSecretFinder(['hunter2-correct'], '-')
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    expect(finder.clean(base64('user:hunter2-correct'))).toBe('dXNlcj-')
    expect(finder.clean(`a ${base64('hunter2-correct')} b`)).toBe('a - b')
    expect(finder.clean(base64('see hunter2-correct, here'))).toBe('c2VlI-wgaGVyZQ==')
  })

  it('is not found in what is not it, nor looked for where it is too short', () => {
    const finder = createSecretFinder(['hunter2-correct', 'abc'], '-')
    for (const text of [
      Buffer.from('hunter2-corsect').toString('base64'),
      Buffer.from('HUNTER2-CORRECT').toString('base64'),
      Buffer.from('xabcx').toString('base64'),
      'aHVu dGVy, and lines\nof words\n',
    ]) {
      expect(finder.clean(text)).toBe(text)
      expect(finder.mayHold(JSON.stringify(text))).toBe(false)
    }
  })

  it('is looked for in time that grows with a hostile text, not with its square', () => {
    const finder = createSecretFinder(['aaaaaaaaaaaa', '\0\0\0\0\0\0', 'hunter2-correct'.repeat(9)], '-')
    const time = (text: string): number => {
      const start = performance.now()
      finder.clean(text)
      finder.mayHold(JSON.stringify(text))
      return performance.now() - start
    }
    for (const part of ['YWFh', 'Y\n', 'A', 'A\\n', '\n', '\\', '%0A', '%252F', 'aHVudGVy ']) {
      const small = Math.min(...[1, 2, 3].map(() => time(part.repeat(20_000 / part.length))))
      const large = Math.min(...[1, 2].map(() => time(part.repeat(200_000 / part.length))))
      // Ten times the text; a square would take a hundred times as long.
      expect(large / Math.max(small, 4), part).toBeLessThan(50)
    }
  })
})
