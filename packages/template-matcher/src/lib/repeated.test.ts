import { describe, expect, it } from 'vitest'
import { matchTemplate } from './match-template.ts'
import { allValues, choices, tryExpand } from './testing/brute-force.ts'

const expressions = ['', '+', '#', '.', '/', ';', '?', '&'].flatMap((operator) =>
  ['', '*', ':2'].map((modifier) => `{${operator}v${modifier}}`),
)

describe('a variable that is used twice', () => {
  it.each([
    ['x:{+a*}/{a}', 'x:a=1/a%3D1', { a: 'a=1' }],
    ['x:{?b*}/{b}', 'x:?b=1/b,1', { b: { b: '1' } }],
    ['x:{/a*}{?a*}', 'x:/a=c?a=c', { a: { a: 'c' } }],
    ['x:{/a*}/{a}', 'x://', { a: [''] }],
    ['x:{;b*}/{b}', 'x:;b=1/b,1', { b: { b: '1' } }],
    ['x:{/a*}/{a:1}', 'x://', { a: '' }],
  ])('is read as the value that both have: %s from %s', (template, uri, values) => {
    expect(matchTemplate(template, uri)?.values).toEqual(values)
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
