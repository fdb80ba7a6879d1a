import { describe, expect, it } from 'vitest'
import { canonicalText } from './canonical.ts'
import { matchReadings } from './match-template.ts'
import { createTemplateSet } from './template-set.ts'
import { createRandom } from './testing/brute-force.ts'

const templates = [
  'x:{a}',
  'x:{+a}',
  '{+a}',
  'x:{a:2}',
  'x:{/a*}',
  'x:{;a}',
  'x:{?a}',
  'x:{?a*}',
  'x:%2F{a}',
  'x:{#a}',
]
const starts = ['', 'x:', 'x:', 'x:/', 'x:;a=', 'x:?a=', 'x:#', 'X:']
const pieces = [
  '%',
  '%',
  '2',
  '46',
  'F',
  '%46',
  '%32',
  '%2',
  '%2F',
  '%C3',
  '%a9',
  '%C3%A9',
  'a',
  '%61',
  '%35',
]

const isText = (uri: string): boolean => {
  try {
    decodeURIComponent(uri)
    return true
  } catch {
    return false
  }
}

describe('a URI is decoded once', () => {
  const random = createRandom(7)
  const uris = Array.from(
    { length: 600 },
    () =>
      starts[random(starts.length)]! +
      Array.from({ length: 1 + random(5) }, () => pieces[random(pieces.length)]).join(''),
  )

  it('is matched in no mode where a triplet is bad, whatever the triplets beside it stand for', () => {
    const bad = uris.filter((uri) => !isText(uri))
    expect(bad.length).toBeGreaterThan(200)
    for (const mode of ['strict', 'tolerant'] as const)
      for (const unknown of ['refuse', 'ignore'] as const) {
        const options = { mode, query: { unknown } }
        const set = createTemplateSet<string>(options)
        for (const template of templates) set.add(template, template)
        for (const uri of bad) {
          for (const template of templates)
            expect([uri, matchReadings(template, uri, options)]).toEqual([uri, []])
          expect([uri, set.matchAll(uri)]).toEqual([uri, []])
        }
      }
  })

  it('gives the values that decoding the pieces gives', () => {
    for (const uri of uris)
      for (const template of templates)
        for (const { raw, values } of matchReadings(template, uri)) {
          const texts = raw.filter(({ type }) => type === 'value').map(({ text }) => decodeURIComponent(text))
          expect([
            uri,
            Object.values(values).flatMap((value) =>
              Object.values(typeof value === 'string' ? [value] : value),
            ),
          ]).toEqual([uri, texts])
        }
  })

  it('stands for the same text in its canonical spelling, which is canonical', () => {
    for (const uri of uris) {
      const canonical = canonicalText(uri)
      expect(canonicalText(canonical)).toBe(canonical)
      expect([uri, isText(canonical)]).toEqual([uri, isText(uri)])
      if (isText(uri)) expect(decodeURIComponent(canonical)).toBe(decodeURIComponent(uri))
    }
  })
})
