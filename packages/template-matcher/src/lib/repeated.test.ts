import { describe, expect, it } from 'vitest'
import { matchTemplate } from './match-template.ts'
import { allValues, choices, tryExpand } from './testing/brute-force.ts'

const expressions = ['', '+', '#', '.', '/', ';', '?', '&'].flatMap((operator) =>
  ['', '*', ':2'].map((modifier) => `{${operator}v${modifier}}`),
)

describe('a variable that is used twice', () => {
  it.each([
    ['x:{+a*}/{a}', 'x:a=1/a%3D1', { a: ['a=1'] }],
    ['x:{?b*}/{b}', 'x:?b=1/b,1', { b: { b: '1' } }],
    ['x:{/a*}{?a*}', 'x:/a=c?a=c', { a: { a: 'c' } }],
    ['x:{/a*}/{a}', 'x://', { a: [''] }],
    ['x:{;b*}/{b}', 'x:;b=1/b,1', { b: { b: '1' } }],
    ['x:{/a*}/{a:1}', 'x://', { a: '' }],
    ['x:{v}{#v*}', 'x:a%2Cb,c#a,b,c', { v: ['a,b', 'c'] }],
    ['x:{/v*}/{.v*}', 'x:/a.b/c/.a.b.c', { v: ['a.b', 'c'] }],
    ['x:{?v,v:1}{w}', 'x:?v=a&v=ab', { v: 'a', w: 'b' }],
    ['{?v*,v}', '?v=a&v=a', { v: ['a'] }],
    ['x:{.a*}?{a}', 'x:.b.c?b.c', { a: ['b.c'] }],
    ['x:{?a*,b}!{b}', 'x:?b=1!', { a: { b: '1' } }],
    ['x:{?a*,b*}!{a*}', 'x:?k=1&l=2!l=2', { a: { l: '2' }, b: { k: '1' } }],
    ['x:{?a,b*}!{.a,c:2}', 'x:?a=1!', { b: { a: '1' } }],
    ['x:{a,b*}!{b*}', 'x:c,!', { a: 'c', b: [''] }],
  ])('is read as the value that both have: %s from %s', (template, uri, values) => {
    expect(matchTemplate(template, uri)?.values).toEqual(values)
  })

  it('is read in the order of the template where it can be', () => {
    for (const [template, uri] of [
      ['{?v*,v}', '?v=a&v=a'],
      ['{?x*,v}', '?x=k&v=b&v=b'],
      ['x:{?v,v:1}{w}', 'x:?v=a&v=ab'],
    ] as const)
      expect(matchTemplate(template, uri)?.deviations).toEqual([])
  })

  it('is found in values of any length', () => {
    const [long, other] = ['ab'.repeat(40_000), 'q'.repeat(40_000)]
    expect(matchTemplate('x:{a,b}/{a}', `x:${long},${other}/${long}`)?.values).toEqual({ a: long, b: other })
    expect(matchTemplate('x:{a,b}/{a}', `x:${long},${other}/${other}`)).toBeUndefined()
  })

  it('is read, in two expressions with a literal between them, from whatever small values expand to', () => {
    const broken: string[] = []
    for (const first of expressions)
      for (const second of expressions) {
        const template = `x:${first}!${second}`
        for (const values of choices(
          template,
          (name) => [...allValues(template, name), { v: 'a' }, 'v=a', ['v=a']],
          40,
        )) {
          const uri = tryExpand(template, values)
          const match = uri === undefined ? undefined : matchTemplate(template, uri)
          if (uri !== undefined && (match === undefined || tryExpand(template, match.values) !== uri))
            broken.push(`${template} ${uri} ${JSON.stringify(values)} ${JSON.stringify(match?.values)}`)
        }
      }
    expect(broken).toEqual([])
  })
})
