import { isDeepStrictEqual } from 'node:util'
import type { TemplateValues } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import type { Expectation } from './explain.ts'
import { matchTemplate } from './match-template.ts'
import type { TemplateSetOptions } from './set-types.ts'
import { createTemplateSet } from './template-set.ts'
import { createRandom, tryExpand } from './testing/brute-force.ts'
import { inAnotherOrder, meant, ways, written } from './testing/client-ways.ts'

const ignore = { query: { unknown: 'ignore' } } as const

const filled = (templates: readonly string[], options?: TemplateSetOptions) => {
  const set = createTemplateSet<string>(options)
  for (const template of templates) set.add(template, template)
  return set
}

const explain = (
  template: string,
  uri: string,
  expected: Expectation | undefined,
  options?: TemplateSetOptions,
) => filled([template], options).explain(uri, expected)

/** The mistakes that an explanation names. */
const named = (line: string): string[] => /\(([a-z-]+(?:, [a-z-]+)*)\)$/.exec(line)?.[1]?.split(', ') ?? []

/** Whether a URI is something that was written in this way, rather than something else. */
function isWrittenSo(way: string, template: string, values: TemplateValues, right: string): boolean {
  // What is cut off is cut off elsewhere.
  if (/before|form|case$/.test(way) && /:\d/.test(template)) return false
  // `{+v}` keeps triplets of its value: decoding them is more than leaving them.
  if (/as (it is|they are)$/.test(way) && /values|else/.test(way) && /[+#]/.test(template))
    return !JSON.stringify(values).includes('%')
  if (!way.includes('order')) return true
  const sameValues = matchTemplate(template, inAnotherOrder(right))?.values
  return (
    isDeepStrictEqual({ ...sameValues }, { ...matchTemplate(template, right)?.values }) &&
    // Members of a map that come in another order are told from another value where the URI is right but for that.
    (!way.includes('plus') || !/\{[?&][^}]*\*/.test(template))
  )
}

describe('explaining what was meant', () => {
  it('says what is wrong, and only that, however a client wrote what it meant', () => {
    const steps = new Map<string, number>()
    for (const [template, values] of meant(41, 400)) {
      const right = written(template, values, (text) => text)
      for (const [way, [write, ...codes]] of Object.entries(ways)) {
        const uri = write(template, values, right)
        if (uri === undefined || !isWrittenSo(way, template, values, right)) continue
        const matched = filled([template]).match(uri)
        const isRight =
          matched !== undefined &&
          isDeepStrictEqual({ ...matched.values }, { ...matchTemplate(template, right)?.values })
        const { step, lines, repaired } = explain(template, uri, { values })
        const plain = explain(template, uri, undefined)
        const keepsSlash = (all: readonly string[]): boolean =>
          all.some((line) => /keeps the slash/.test(line))
        const what = { way, template, values, uri, lines }
        expect({ ...what, step }).toEqual({ ...what, step: isRight ? 'none' : 'expansion' })
        expect(lines.length).toBeLessThanOrEqual(3)
        steps.set(`${way}: ${step}`, (steps.get(`${way}: ${step}`) ?? 0) + 1)
        if (isRight) continue
        expect({ ...what, repaired }).toEqual({ ...what, repaired: right })
        expect({ ...what, codes }).toEqual({ ...what, codes: expect.arrayContaining(named(lines[0]!)) })
        expect(named(lines[0]!)).not.toEqual([])
        expect({ ...what, keeps: keepsSlash(lines) || !keepsSlash(plain.lines) }).toEqual({
          ...what,
          keeps: true,
        })
      }
    }
    for (const [way, [, ...codes]] of Object.entries(ways))
      expect([way, steps.get(`${way}: ${codes.length > 0 ? 'expansion' : 'none'}`)]).toEqual([
        way,
        expect.any(Number),
      ])
  })

  it('takes a name for the one value of a template, and for the segments of a path that a slash separates', () => {
    const paths = [['a'], ['a b', 'Отчёт май', 'c?d'], ['100%', 'e=f'], ['a', '', 'b'], ['']]
    const cases = [...meant(45, 150)].flatMap(([template, values]) => {
      const [value, ...others] = Object.values(values)
      return others.length === 0 && typeof value === 'string' && !/\{\/[^}]*\*/.test(template)
        ? [{ template, values, names: [value] }]
        : []
    })
    for (const path of paths)
      for (const template of ['tree://docs{/path*}', 'file://{/path*}', 'x:a{/path*}/z'])
        cases.push({
          template,
          values: { path },
          // The operator writes the slash before the first segment.
          names: [`/${path.join('/')}`, ...(path[0] === '' ? [] : [path.join('/')])],
        })
    let right = 0
    for (const { template, values, names } of cases)
      for (const [, [write]] of Object.entries(ways)) {
        const uri = write(
          template,
          values,
          written(template, values, (text) => text),
        )
        if (uri === undefined) continue
        for (const name of names)
          for (const located of [undefined, false])
            for (const mode of ['strict', 'tolerant'] as const) {
              const expected = located === undefined ? {} : { located }
              const told = explain(template, uri, { name, ...expected }, { mode })
              expect({ template, name, uri, told }).toEqual({
                template,
                name,
                uri,
                told: explain(template, uri, { values, ...expected }, { mode }),
              })
              if (told.step === (located === false ? 'locating' : 'none')) right += 1
            }
      }
    expect(right).toBeGreaterThan(1000)
  })

  it('takes what is ignored of a query for no mistake, and finds mistakes beside it', () => {
    for (const [template, values] of meant(42, 200)) {
      const right = written(template, values, (text) => text)
      const withKey = `${right}${right.includes('?') ? '&' : '?'}utm=a b`
      const matched = filled([template], ignore).match(withKey)
      if (!isDeepStrictEqual({ ...matched?.values }, { ...matchTemplate(template, right)?.values })) continue
      expect([template, withKey, explain(template, withKey, { values }, ignore).step]).toEqual([
        template,
        withKey,
        'none',
      ])
    }
    const { lines, repaired } = explain(
      'list://g{?a,b}',
      'list://g?b=x+y&utm=1&a=1',
      { values: { a: 1, b: 'x y' } },
      ignore,
    )
    expect([named(lines[0]!), repaired]).toEqual([['plus-for-space'], 'list://g?a=1&b=x%20y'])
  })

  it('never takes what one template of a set makes of the values for something else', () => {
    const random = createRandom(43)
    const all = [...meant(44, 400)]
    let shadowed = 0
    for (const [template, values] of all) {
      const others = Array.from({ length: random(4) }, () => all[random(all.length)]![0])
      const set = filled([...new Set([template, ...others])])
      const right = written(template, values, (text) => text)
      const [name] = Object.values(values)
      const expectations = [{ values }, typeof name === 'string' ? { name } : {}]
      for (const [, [write]] of Object.entries(ways)) {
        const uri = write(template, values, right)
        if (uri === undefined) continue
        for (const expected of expectations) {
          const { step, lines, repaired } = set.explain(uri, expected)
          expect(lines.length).toBeLessThanOrEqual(3)
          if (uri === right && expected.values !== undefined) {
            expect([template, others, uri, step]).toEqual([template, others, uri, 'none'])
            if (!lines[0]!.startsWith(template)) shadowed += 1
          }
          if (step !== 'expansion' || repaired === undefined || expected.values === undefined) continue
          const rights = set.templates.map(
            (each) => tryExpand(each.source, values) ?? written(each.source, values, (text) => text),
          )
          expect([uri, lines, rights]).toEqual([uri, lines, expect.arrayContaining([repaired])])
        }
      }
    }
    expect(shadowed).toBeGreaterThan(0)
  })

  it.each<readonly [readonly string[], string, Expectation, RegExp, string | undefined]>([
    [['docs://{v}'], 'DOCS://a', { name: 'a' }, /^docs:.* matches with .*scheme-case/, undefined],
    [['docs://{v}'], 'DOCS://a b', { name: 'a b' }, /\(not-encoded\)$/, 'docs://a%20b'],
    [['docs://{v}'], 'docs://a b', { name: 'a+b' }, /\(plus-read-as-space\)$/, 'docs://a%2Bb'],
    [
      ['docs://{v}'],
      'docs://other',
      { name: 'a' },
      /names .*"other".*, not what was meant \(different\)$/,
      'docs://a',
    ],
    [['tree://docs{/path*}'], 'tree://docs/a/b', { name: 'a/b' }, / matches with /, undefined],
    [['tree://docs{/path*}'], 'tree://docs/a/b', { name: 'a/b', located: false }, /^locating/, undefined],
    [
      ['tree://docs{/path*}'],
      'tree://docs/a%2Fb',
      { name: 'a/b', located: false },
      /names .*\["a\/b"\].*\(reserved-encoded\)$/,
      'tree://docs/a/b',
    ],
    [['tree://docs{/path*}'], 'tree://docs/a b/c', { name: 'a b/c' }, /not-encoded/, 'tree://docs/a%20b/c'],
    [['tree://docs{/path*}'], 'tree://docs/a/c', { name: 'a/b' }, /different/, 'tree://docs/a/b'],
    [['tree://docs/{+path}'], 'tree://docs/a/b', { name: 'a/b', located: false }, /^locating/, undefined],
    [['tree://docs/{+path}'], 'tree://docs/a%2Fb', { name: 'a/b' }, / matches with /, undefined],
    [['tree://docs/{+path}'], 'tree://docs/a/c', { name: 'a/b' }, /different/, 'tree://docs/a/b'],
    [['tree://docs{/path}'], 'tree://docs/a/b', { name: 'a/b' }, /raw-slash/, 'tree://docs/a%2Fb'],
    // The values are those of the other template, which the more specific one hides.
    [['x:{+p}', 'x:{a}/{b}'], 'x:q/r', { values: { p: 'q/r' } }, /^x:\{a\}\/\{b\} matches/, undefined],
    [
      ['x:{p}', 'x:{a}/{b}'],
      'x:q/r',
      { values: { p: 'q/r' } },
      /not what was meant \(raw-slash\)$/,
      'x:q%2Fr',
    ],
    // A name may stand for several values.
    [['x:{p}', 'y:{a}/{b}'], 'y:q/r s', { name: 'the thing' }, /put the value of \{b\} into/, 'y:q/r%20s'],
    [['x:{p}', 'x:{a}/{b}'], 'x:q/r', { name: 'q/r' }, /^x:\{a\}\/\{b\} matches/, undefined],
  ])('of %j and %s, with %j', (templates, uri, expected, line, repaired) => {
    const explanation = filled(templates).explain(uri, expected)
    expect(explanation.lines[0]).toMatch(line)
    expect(explanation.repaired).toBe(repaired)
  })

  it('keeps advice beside other mistakes, and that of the slash only where it helps', () => {
    const lines = (template: string, uri: string, expected?: Expectation) =>
      explain(template, uri, expected).lines
    expect(lines('file:///{path}', 'file:///a/b+c', { name: 'a/b c' })).toEqual([
      'expansion: file:///a/b+c is no expansion of file:///{path} (raw-slash, plus-for-space)',
      'it should have sent file:///a%2Fb%20c',
      'a template that keeps the slash: file:///{+path} expands to file:///a/b%20c',
    ])
    expect(lines('x:my docs/{v}', 'x:my docs/a+b', { name: 'a b' }).at(-1)).toBe(
      'a space was sent as "+"; write %20',
    )
    for (const template of ['x:a{/p}', 'x:a{?p}', 'x:a{;p}'])
      expect(lines(template, written(template, { p: 'q/r s' }, decodeURIComponent)).join()).not.toContain(
        'keeps',
      )
  })

  it('unpacks what was encoded as a whole, as often as it was', () => {
    for (const uri of ['docs%3A%2F%2Fa%2520b', 'docs%253A%252F%252Fa%252520b', 'docs%3A%2F%2Fa%20b'])
      expect(explain('docs://{v}', uri, undefined).repaired).toBe('docs://a%20b')
    for (const uri of ['docs%3A%FF', 'docs%253A%25', 'docs%253A%25FF'])
      expect(() => explain('docs://{v}', uri, { name: 'a' })).not.toThrow()
  })
})
