import { expandTemplate } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { matchReadings, matchTemplate } from './match-template.ts'
import type { TemplateSetOptions } from './set-types.ts'
import { compareSpecificity } from './specificity.ts'
import { createTemplateSet } from './template-set.ts'
import { createRandom } from './testing/brute-force.ts'
import { parseLeniently } from './to-template.ts'

const ignore = { query: { unknown: 'ignore' } } as const

const filled = (templates: readonly string[], options: TemplateSetOptions) => {
  const set = createTemplateSet<string>(options)
  for (const template of templates) set.add(template, template)
  return set
}

describe('a set, where a literal or what is ignored of a query arrives as it is', () => {
  it('answers with the template that has it as its literal', () => {
    const set = filled(['x:list?q=a b', 'x:list{?c}'], ignore)
    for (const uri of ['x:list?q=a b', 'x:list?q=a%20b'])
      expect(set.matchAll(uri).map(({ data }) => data)).toEqual(['x:list?q=a b', 'x:list{?c}'])
    expect(set.match('x:list?q=a b')?.data).toBe('x:list?q=a b')
  })

  it.each<TemplateSetOptions>([{}, ignore, { mode: 'tolerant' }, { mode: 'tolerant', ...ignore }])(
    'finds what one template after the other finds, with %j',
    (options) => {
      const random = createRandom(26)
      const some = <T>(of: readonly T[]): T => of[random(of.length)]!
      const literals = ['?q=a b', '?q=a%20b', '?q=é', '/my "docs"', '/my%20docs', '#é b', '?q=a']
      const ends = ['', '', '{?q}', '{?c}', '{?c*}', '{&c}', '{v}', '{/v}', '{+v}']
      const spellings: readonly ((text: string) => string)[] = [
        (text) => text,
        (text) => text.replaceAll('%20', ' '),
        (text) => text.replace('%20', ' ').replaceAll('%C3%A9', 'é'),
        decodeURI,
        (text) => text.replace(/%../g, (triplet) => triplet.toLowerCase()),
      ]
      const extras = ['', '', '&u=1', '&u=a b', '?u=é', '?c=1&u=%20', '&c=a']
      let several = 0
      for (let tried = 0; tried < 1500; tried += 1) {
        const base = some(['x:list', 'x:{w}', 'x:é', 'X:list'])
        const templates = [
          ...new Set(
            Array.from(
              { length: 1 + random(5) },
              () => `${some([base, base, 'x:list'])}${some([...literals, '', ''])}${some(ends)}`,
            ),
          ),
        ]
        const values = { c: 'a', q: 'a b', v: 'é', w: 'list' }
        const uri = some(spellings)(expandTemplate(parseLeniently(some(templates)), values)) + some(extras)
        const read = (each: string, mode: 'strict' | 'tolerant') =>
          matchReadings(parseLeniently(each), uri, { ...options, mode })
        const strict = templates.filter((each) =>
          matchTemplate(parseLeniently(each), uri, options.query ? ignore : {}),
        )
        // The case of a scheme is looked over where nothing matches.
        if (strict.length === 0 && /^[xX]:/.test(uri) && templates.some((each) => each[0] !== uri[0]))
          continue
        const naive = (
          strict.length > 0
            ? strict.map((each) => ({ each, match: read(each, 'strict')[0]! }))
            : options.mode === 'tolerant'
              ? templates.flatMap((each) => read(each, 'tolerant').map((match) => ({ each, match })))
              : []
        ).sort((left, right) => compareSpecificity(left.each, right.each))
        const set = filled(templates, options)
        const plain = ({ each, match }: (typeof naive)[number]) => [each, { ...match.values }]
        expect([
          templates,
          uri,
          set.matchAll(uri).map(({ data, values: read }) => [data, { ...read }]),
        ]).toEqual([templates, uri, naive.map(plain)])
        const isChosen = strict.length > 0 || naive.length === 1
        expect([templates, uri, set.match(uri)?.data]).toEqual([
          templates,
          uri,
          isChosen ? naive[0]!.each : undefined,
        ])
        several += +(strict.length > 1 && /[^!-~]/.test(uri))
      }
      if (options.query !== undefined) expect(several).toBeGreaterThan(20)
    },
  )
})
