import { expandTemplate } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { findAmbiguity } from './ambiguity.ts'
import { matchTemplate } from './match-template.ts'
import { overlap } from './overlap.ts'

// `{+v}` keeps a triplet that a value holds, and encodes a `%` that is none: `%25` came from one code point, or from
// three where two hexadecimal digits of the same value follow.

/** Every text of at most `most` of these pieces. */
function wordsOf(pieces: readonly string[], most: number): string[] {
  const words = ['']
  let last = words
  for (let length = 1; length <= most; length += 1) {
    last = last.flatMap((word) => pieces.map((piece) => word + piece))
    words.push(...last)
  }
  return words
}

const uris = wordsOf(['%25', 'a', '1', 'g'], 5)
const values = wordsOf(['%25', '%', 'a', '1', 'g'], 5)

const templates = [
  ...[1, 2, 3, 4, 5, 6].flatMap((count) => [`{+v:${count}}`, `{+v:${count}}1`, `%25{+v:${count}}`]),
  '%25a{+v:2}',
  '{+v:2}%25',
  'g{+v:4}g',
  '{+v:3}a1',
]

const known = new Map<string, ReadonlySet<string>>()
/** What a template of one variable expands to. */
function expansionsOf(template: string): ReadonlySet<string> {
  let found = known.get(template)
  if (found === undefined) {
    found = new Set([{}, ...values.map((v) => ({ v }))].map((each) => expandTemplate(template, each)))
    known.set(template, found)
  }
  return found
}

describe('a prefix that counts what triplets came from', () => {
  it.each(templates)('matches with %s what it expands to, and nothing else', (template) => {
    const expansions = expansionsOf(template)
    const wrong = uris.filter((uri) => (matchTemplate(template, uri) !== undefined) !== expansions.has(uri))
    expect(wrong).toEqual([])
  })

  it('is decided where two templates are compared, with a shortest witness', () => {
    const others = ['%25a1', '%25{w}', '%25a{w}', 'g%25{w}1', '{w}%25a1', '%25a1%25', '%25g{w}', '%25{w:1}1']
    const texts = new Set(uris)
    let overlapping = 0
    for (const first of templates)
      for (const second of [...others, ...templates]) {
        const both = uris.filter(
          (uri) => expansionsOf(first).has(uri) && matchTemplate(second, uri) !== undefined,
        )
        const found = overlap(first, second)
        const names = `${first} ${second}`
        expect(found, names).not.toBe('undecided')
        if (typeof found === 'object' && texts.has(found.uri))
          expect(expansionsOf(first), names).toContain(found.uri)
        if (both.length === 0) continue
        overlapping += 1
        const shortest = Math.min(...both.map((uri) => uri.length))
        expect(typeof found === 'object' && found.uri.length, names).toBeLessThanOrEqual(shortest)
      }
    expect(overlapping).toBeGreaterThan(100)
  })

  it.each([
    '{+v}%25a1{+w}',
    'x:{+v}%25a1{+w}',
    '{+v}%25a{+w}',
    '{+v}%25{+w}',
    '{+v*}%25a1{w}',
    '{+v}a1{+w}',
    '{#v}%25a1{w}',
    '{+v}1%25a{w}',
  ])('leaves %s no doubt whether it can be read in two ways', (template) => {
    const domain = wordsOf(['%', 'a', '1', 'g'], 4).filter((text) => text !== '')
    const made = new Map<string, string>()
    let ambiguous: string | undefined
    for (const v of [undefined, ...domain])
      for (const w of [undefined, 'a', '1', '%', 'a1', '%a1', 'g%a1g']) {
        if ([v, w].some((value) => /%[\da-f]{2}/i.test(value ?? ''))) continue
        const uri = expandTemplate(template, {
          v: template.includes('*') && v !== undefined ? [v] : v,
          w,
        })
        const by = JSON.stringify([v, w])
        if ((made.get(uri) ?? by) !== by && (ambiguous ?? uri).length >= uri.length) ambiguous = uri
        made.set(uri, by)
      }
    const found = findAmbiguity(template)
    expect(found).not.toBe('undecided')
    if (ambiguous !== undefined)
      expect(typeof found === 'object' && found.uri.length).toBeLessThanOrEqual(ambiguous.length)
    if (typeof found !== 'object') return
    expect(found.first).not.toEqual(found.second)
    for (const each of [found.first, found.second]) expect(expandTemplate(template, each)).toBe(found.uri)
  })
})
