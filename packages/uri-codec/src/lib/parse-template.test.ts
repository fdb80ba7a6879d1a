import { describe, expect, it } from 'vitest'
import { parseTemplate } from './parse-template.ts'
import type { TemplateLimitError, TemplateSyntaxError } from './template-errors.ts'

const refusal = (source: string): TemplateSyntaxError => {
  try {
    parseTemplate(source)
  } catch (error) {
    return error as TemplateSyntaxError
  }
  throw new Error(`${source} was accepted`)
}

describe('parseTemplate', () => {
  it('gives literals as written and as encoded, and expressions with operator, modifiers and place', () => {
    expect(parseTemplate('a/é{+x,y:12}{?z*}!')).toEqual({
      source: 'a/é{+x,y:12}{?z*}!',
      nodes: [
        { type: 'literal', text: 'a/é', encoded: 'a/%C3%A9', index: 0 },
        {
          type: 'expression',
          operator: '+',
          variables: [
            { name: 'x', explode: false },
            { name: 'y', explode: false, prefix: 12 },
          ],
          index: 3,
        },
        { type: 'expression', operator: '?', variables: [{ name: 'z', explode: true }], index: 12 },
        { type: 'literal', text: '!', encoded: '!', index: 17 },
      ],
      variables: ['x', 'y', 'z'],
      level: 4,
    })
  })

  it('names the least level that a library needs', () => {
    const levels = [
      'abc',
      '{v}',
      '{+v}',
      '{#v}',
      '{a,b}',
      '{.v}',
      '{/v}',
      '{;v}',
      '{?v}',
      '{&v}',
      '{v*}',
      '{v:3}',
    ]
    expect(levels.map((source) => parseTemplate(source).level)).toEqual([1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4])
  })

  it('refuses what the grammar does not allow, with a code and the place', () => {
    const refused = {
      '{v:0}': ['bad-prefix', 3],
      '{v:01}': ['bad-prefix', 3],
      '{v:10000}': ['bad-prefix', 3],
      '{v:}': ['bad-prefix', 3],
      '{x..y}': ['bad-name', 2],
      '{x.}': ['bad-name', 2],
      '{%2x}': ['bad-name', 1],
      'a}b': ['unopened-expression', 1],
      'a b': ['bad-literal', 1],
      'a%b': ['bad-escape', 1],
      'a"b': ['bad-literal', 1],
      '{v*:3}': ['bad-modifier', 3],
      '{v:3*}': ['bad-modifier', 4],
      '{}': ['empty-expression', 1],
      '{': ['unclosed-expression', 1],
      '{v': ['unclosed-expression', 2],
      '{v,': ['unclosed-expression', 3],
      '{v,}': ['bad-name', 3],
      '{+}': ['bad-name', 2],
      '{a{b}}': ['bad-name', 2],
      'a\ud83d': ['lone-surrogate', 1],
      'a\ufffd': ['bad-literal', 1],
      'a\x80': ['bad-literal', 1],
      'a\u{1ffff}': ['bad-literal', 1],
      'a\ude00': ['lone-surrogate', 1],
    } as const
    for (const [source, [code, index]] of Object.entries(refused))
      expect([source, refusal(source).code, refusal(source).index]).toEqual([source, code, index])
    for (const operator of '=,!@|') expect(refusal(`{${operator}v}`).code).toBe('reserved-operator')
  })

  it('shows a syntax error as the template with a caret under the place', () => {
    expect(refusal('docs://{name}/{v:0}').message).toBe(
      'URI template: bad prefix at index 17 (1 to 9999)\n  docs://{name}/{v:0}\n                   ^',
    )
  })

  it('takes characters that literals must not have as text where the caller says so', () => {
    const [literal] = parseTemplate('my docs/100%/%20/"é|', { literals: 'encode' }).nodes
    expect(literal).toMatchObject({ encoded: 'my%20docs/100%25/%20/%22%C3%A9%7C' })
  })

  it('reads templates as long as the limits allow', () => {
    const limits = { length: 1e8, expressions: 1e6, variables: 1e6 }
    for (const literal of ['a', '季', '%41', 'a季'])
      expect(parseTemplate(`${literal.repeat(1e5)}{v}`, { limits }).nodes).toHaveLength(2)
    expect(parseTemplate('{a}/'.repeat(10_000), { limits }).nodes).toHaveLength(20_000)
  })

  it('reads or refuses templates of any length, whatever is repeated in them', () => {
    const limits = { length: Infinity, expressions: Infinity, variables: Infinity }
    const read = (source: string, literals: 'strict' | 'encode'): string => {
      try {
        return parseTemplate(source, { limits, literals }).source
      } catch (error) {
        return (error as TemplateLimitError).code
      }
    }
    const texts = ['a', '季', '😀', '季a', '😀a', '%41', '%41a', 'a季%41😀']
    const names = ['a', '%41', 'a%41', '.a', '.%41', ',a', ',a:3', ',a*']
    const sources = [
      ...texts.map((text) => (size: number) => text.repeat(size / text.length)),
      ...names.map((text) => (size: number) => `{a${text.repeat((size - 3) / text.length)}}`),
      (size: number) => '{a}'.repeat(size / 3),
    ]
    for (const source of sources)
      for (const literals of ['strict', 'encode'] as const) {
        const longest = source(2 ** 20)
        expect(read(longest, literals) === longest).toBe(true)
        expect(read(source(12e6), literals)).toBe('too-long')
      }
  })

  it.each([
    ['too-long', { length: 10 }, '{a}{b}{cd}', '{a}{b}{cde}'],
    ['too-many-expressions', { expressions: 2 }, '{a}{b}', '{a}{b}{c}'],
    ['too-many-variables', { variables: 2 }, '{a,b}', '{a,b,c}'],
  ] as const)('refuses a template beyond a limit as %s, not one at the limit', (code, limits, at, above) => {
    expect(parseTemplate(at, { limits }).source).toBe(at)
    let error: unknown
    try {
      parseTemplate(above, { limits })
    } catch (thrown) {
      error = thrown
    }
    expect((error as TemplateLimitError).code).toBe(code)
  })
})
