import { expandTemplate, parseTemplate } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { badEscapeAt, type Expectation } from './explain.ts'
import { createTemplateSet } from './template-set.ts'
import { createRandom } from './testing/brute-force.ts'

const explain = (templates: readonly string[], uri: string, expected?: Expectation) => {
  const set = createTemplateSet<string>()
  for (const template of templates) set.add(template, template)
  const explanation = set.explain(uri, expected)
  expect(explanation.lines.length).toBeLessThanOrEqual(3)
  return explanation
}

describe('explain', () => {
  it('says that a path was substituted, what should have been sent, and which template keeps the slash', () => {
    const { step, lines, repaired } = explain(['file:///{path}'], 'file:///季度报告/2025 Q1 财务.pdf')
    expect(step).toBe('expansion')
    expect(lines[0]).toContain('instead of expanding')
    expect(lines[1]).toBe(
      'it should have sent file:///%E5%AD%A3%E5%BA%A6%E6%8A%A5%E5%91%8A%2F2025%20Q1%20%E8%B4%A2%E5%8A%A1.pdf',
    )
    expect(lines[2]).toBe(
      'a template that keeps the slash: file:///{+path} expands to file:///%E5%AD%A3%E5%BA%A6%E6%8A%A5%E5%91%8A/2025%20Q1%20%E8%B4%A2%E5%8A%A1.pdf',
    )
    expect(repaired).toContain('%2F2025')
  })

  it('diagnoses a URI that names something else than was meant', () => {
    const { step, lines, repaired } = explain(
      ['docs://catalog/{name}'],
      'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%2B%D0%BC%D0%B0%D0%B9',
      { name: 'Отчёт май' },
    )
    expect(step).toBe('expansion')
    expect(lines).toHaveLength(3)
    expect(repaired).toBe('docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82%20%D0%BC%D0%B0%D0%B9')
  })

  it('names a plus sign that stands for a space', () => {
    const uri = 'docs://catalog/%D0%9E%D1%82%D1%87%D1%91%D1%82+%D0%BC%D0%B0%D0%B9'
    expect(explain(['docs://catalog/{name}'], uri, { name: 'Отчёт май' }).lines.join(' ')).toContain(
      'plus-for-space',
    )
    expect(explain(['docs://catalog/{name}'], uri).lines.join(' ')).toContain('"+"')
  })

  it('tells a failure of matching from one of locating', () => {
    expect(explain(['docs://catalog/{name}'], 'docs://catalog/a?b').step).toBe('matching')
    expect(explain(['docs://catalog/{name}'], 'docs://catalog/a%zz').lines[0]).toContain('index 16')
    expect(explain(['docs://catalog/{name}'], 'other://x').lines[1]).toContain('docs://catalog/{name}')
    expect(explain(['docs://{name}', 'x:y'], 'DOCS://a?b').lines[1]).toBe('nearest: docs://{name}')
    expect(explain([], 'other://x').step).toBe('matching')
    expect(explain(['docs://catalog/{name}'], 'docs://catalog/a', { name: 'a', located: false }).step).toBe(
      'locating',
    )
    expect(explain(['docs://catalog/{name}'], 'docs://catalog/a', { name: 'a' }).step).toBe('none')
  })

  it('names what a match answered with, also where only the case of schemes differs', () => {
    const random = createRandom(31)
    const templates = ['x:{a}', 'X:{a}', 'x:ab{a}', 'X:ab{a}', 'x:{+a}', 'X:a{b}']
    const uris = ['x:b', 'X:b', 'x:abc', 'X:abc', 'x:a/b', 'X:a/b', 'y:a']
    for (let round = 0; round < 300; round += 1) {
      const set = createTemplateSet<string>()
      for (const template of templates) if (random(3) === 0) set.add(template, template)
      for (const uri of uris) if (random(6) === 0) set.addExact(uri, uri)
      for (const uri of uris) {
        const found = set.match(uri)
        const { lines } = set.explain(uri)
        if (found === undefined) expect(lines[0]).not.toMatch(/ is listed| matches with/)
        else if (found.kind === 'exact') expect(lines[0]).toBe(`${uri} is listed`)
        else expect(lines[0]!.startsWith(`${found.template.source} matches with`)).toBe(true)
      }
    }
  })

  it('gives the place of the first triplet that decodes to no text', () => {
    expect(badEscapeAt('x:%41%C3')).toBe(5)
    expect(badEscapeAt('x:%E2%82%AC%C3%28')).toBe(11)
    const random = createRandom(32)
    const pieces = ['%', '%C3', '%A9', '%C3%A9', '%E2%82%AC', '%F0%9F%98%80', '%ED%A0%80', '%41', 'a', '2']
    const isText = (text: string): boolean => {
      try {
        return decodeURIComponent(text) !== undefined
      } catch {
        return false
      }
    }
    for (let tried = 0; tried < 3000; tried += 1) {
      const uri = Array.from({ length: random(6) }, () => pieces[random(pieces.length)]).join('')
      const at = badEscapeAt(uri)
      expect([uri, at < 0]).toEqual([uri, isText(uri)])
      if (at < 0) continue
      // What is before it is text, and nothing that follows completes it.
      expect([uri, uri[at], isText(uri.slice(0, at))]).toEqual([uri, '%', true])
      for (let end = at + 1; end <= uri.length; end += 1)
        expect([uri, isText(uri.slice(at, end))]).toEqual([uri, false])
    }
  })

  it.each<readonly [template: string, uri: string, expected: Expectation, right: string]>([
    ['file:///{path}', 'file:///a?b.txt', { name: 'a?b.txt' }, 'file:///a%3Fb.txt'],
    ['file:///{path}', 'file:///100%', { name: '100%' }, 'file:///100%25'],
    ['file:///{path}', 'file:///100%zz#1', { name: '100%zz#1' }, 'file:///100%25zz%231'],
    ['x:{a}/{b}', 'x:q/r/s', { values: { a: 'q/r', b: 's' } }, 'x:q%2Fr/s'],
    ['x:{a}/{b}', 'x:q/r/s', { values: { a: 'q', b: 'r/s' } }, 'x:q/r%2Fs'],
  ])(
    'says what should have been sent where nothing, or several things, match: %s from %s',
    (template, uri, expected, right) => {
      const { step, lines, repaired } = explain(['x:y', 'z:{v}', template], uri, expected)
      expect(step).toBe('expansion')
      expect(lines.join(' ')).toContain(`it should have sent ${right}`)
      expect(repaired).toBe(right)
    },
  )

  it('finds what was meant for every value that a client put in as it is', () => {
    for (const name of ['a b', 'a/b', 'a?b', 'a#b', 'a%b', '100%', 'é', 'a&b', '%2F', 'a?b#c d', '😀/%'])
      for (const template of ['file:///{path}', 'x:{?q}', 'x:a{/p}/z', 'y:{;v}', 'x:{+v}']) {
        const right = expandTemplate(template, { [parseTemplate(template).variables[0]!]: name })
        const uri = right.replace(encodeURIComponent(name), name)
        const { step, repaired } = explain([template], uri, { name })
        expect([uri, step, repaired]).toEqual(
          uri === right ? [uri, 'none', undefined] : [uri, 'expansion', right],
        )
      }
  })

  it('says that what was meant cannot be expanded, and throws nothing', () => {
    expect(explain(['x:{a}'], 'x:b', { name: '\ud800' }).lines[0]).toContain('cannot be expanded')
    expect(explain(['x:{a:2}'], 'x:b', { values: { a: ['b'] } }).step).toBe('expansion')
    expect(explain(['x:{a}'], 'y:b', { name: '\ud800' }).step).toBe('matching')
  })

  it('shows what shows nothing by its number, so that every line stays one', () => {
    const hidden = [
      '\n',
      '\r',
      '\u2028',
      '\u202e',
      '\u200b',
      '\ufeff',
      '\u00a0',
      '\u0000',
      '\ud800',
      '\u{e0041}',
    ]
    for (const character of hidden)
      for (const [template, uri, expected] of [
        ['x:{a}', `y${character}: located`, undefined],
        ['x:{a}', `y:${character}`, undefined],
        ['x:{a}', `x:%41${character}/`, undefined],
        ['x:{a}', `x:${encodeURIComponent(character.replace(/\p{Cs}/u, 'x'))}`, undefined],
        ['x:{a}', `x:${character}%`, undefined],
        ['x:{a}', `x:b`, { name: character }],
        ['x:{a}/{b}', `x:${character}/b/c`, undefined],
        [`x:${character}{a}`, `x:${character}b`, { located: false }],
        [`x:${character}{a}`, `x:${character}b/c`, undefined],
        [`x:${character}{a}`, `z`, undefined],
      ] as const) {
        if (/\p{Cs}/u.test(template)) continue
        const text = explain([template], uri, expected).lines.join('|')
        expect([template, uri, /(?! )[\p{C}\p{Z}\p{DI}]/u.test(text)]).toEqual([template, uri, false])
      }
    expect(explain(['x:{a}'], 'y:\nlocating: forged').lines[0]).toContain('y:\\u{a}locating: forged')
  })

  it('recognizes a URI that was encoded as a whole, and one without a scheme', () => {
    const { step, lines, repaired } = explain(['file:///{path}'], 'file%3A%2F%2F%2Fx')
    expect([step, repaired]).toEqual(['expansion', 'file:///x'])
    expect(lines[0]).toContain('whole-uri-encoded')
    expect(explain(['file:///{path}'], 'x').lines[1]).toContain('it has no scheme')
  })
})
