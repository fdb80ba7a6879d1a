import { describe, expect, it } from 'vitest'
import { matchReadings, matchTemplate } from './match-template.ts'
import { createTemplateSet } from './template-set.ts'
import { choices, createRandom, domainValues, randomTemplate, tryExpand } from './testing/brute-force.ts'

const ignore = { query: { unknown: 'ignore' } } as const

const handPicked = [
  'x:{?v,w}/{x}',
  'x{?v:2}/y',
  'x{?v*}/y',
  'x:{?v}/{x}',
  'x:{?v}a',
  'x:{?v}{+w}',
  'x:{?v*,w}#{x}',
]

/** Templates with a query, and what small values expand them to. */
function* queries(seed: number, repeats: boolean): Generator<readonly [template: string, uri: string]> {
  const random = createRandom(seed)
  const templates = Array.from({ length: 200 }, () => randomTemplate(random, repeats))
  for (const template of [...handPicked, ...templates.filter((each) => /\{[?&]/.test(each))])
    for (const values of choices(template, (name) => domainValues(template, name, true), 15)) {
      const uri = tryExpand(template, values)
      if (uri !== undefined) yield [template, uri]
    }
}

describe('ignoring unknown query parameters', () => {
  it.each([false, true])(
    'accepts all that refusing them accepts, with the same values (repeated: %s)',
    (repeats) => {
      for (const [template, uri] of queries(11, repeats)) {
        const refused = matchTemplate(template, uri)
        const ignored = matchTemplate(template, uri, ignore)
        expect([template, uri, ignored?.values]).toEqual([template, uri, refused?.values])
      }
    },
  )

  it('does so in tolerant mode, in sets, and with the scheme in another case', () => {
    for (const [template, uri] of queries(12, false)) {
      const tolerant = { mode: 'tolerant' } as const
      const loose = uri.replaceAll('%20', ' ').replaceAll('%2F', '/')
      const values = (options: object) => matchReadings(template, loose, options).map((match) => match.values)
      const refused = values(tolerant)
      if (refused.length > 0)
        expect([template, loose, values({ ...tolerant, ...ignore })]).toEqual([template, loose, refused])
      const upper = `X:${uri}`
      const set = createTemplateSet<number>(ignore)
      set.add(`x:${template}`, 1)
      expect([template, upper, set.match(upper)?.values]).toEqual([
        template,
        upper,
        matchTemplate(`x:${template}`, `x:${uri}`)?.values,
      ])
    }
  })

  it.each<readonly [template: string, uri: string, values: object | undefined]>([
    ['l:x{?f*}', 'l:x?a=1&b=2', { f: { a: '1', b: '2' } }],
    ['l:x{?f*}', 'l:x?a=1&b=2&c', { f: { a: '1', b: '2' } }],
    ['l:x{?f*}', 'l:x?a=1&b=/', { f: { a: '1' } }],
    ['l:x{?f*}', 'l:x?a&a=1', { f: { a: '1' } }],
    ['l:x{?f*,k}', 'l:x?a=1&k=2', { f: { a: '1' }, k: '2' }],
    ['l:x{?f*}', 'l:x?f=1&f=2&a=3', { f: ['1', '2'] }],
    ['l:x{?f*}', 'l:x?a=1&a=2', {}],
    ['l:x{?f*}', 'l:x?a', {}],
    ['l:x{?k}', 'l:x?k=1&a=/?&b', { k: '1' }],
    ['l:x{?k}', 'l:x?k=/&a=1', undefined],
  ])('gives a map what it can hold, and ignores the rest: %s from %s', (template, uri, values) => {
    expect(matchTemplate(template, uri, ignore)?.values).toEqual(values)
  })
})
