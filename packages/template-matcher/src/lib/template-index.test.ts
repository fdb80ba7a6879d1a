import { parseTemplate } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { matchTemplate } from './match-template.ts'
import { compareSpecificity } from './specificity.ts'
import { createTemplateIndex } from './template-index.ts'
import { createTemplateSet } from './template-set.ts'
import { choices, createRandom, domainValues, randomTemplate, tryExpand } from './testing/brute-force.ts'

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

/** How often a walk looks at the text, and how many candidates it finds. */
function lookingAt(templates: readonly string[], uri: string): { looks: number; found: number } {
  const index = createTemplateIndex({ tolerant: false, ignoreUnknown: false })
  for (const [id, template] of templates.entries()) index.insert(parseTemplate(template), id)
  let looks = 0
  // Stands in for the text.
  const counting = {
    length: uri.length,
    charCodeAt(at: number) {
      looks += 1
      return uri.charCodeAt(at)
    },
    codePointAt: (at: number) => uri.codePointAt(at),
  }
  const found = index.walk(counting as unknown as string)
  return { looks, found }
}

describe('a walk through an index', () => {
  it('looks at a URI as often among many templates as among few, where literals tell them apart', () => {
    for (const template of [
      (at: number) => `db://{database}/t${at}/{id}`,
      (at: number) => `scheme${at}://host/{a}/x${at}/{b}`,
    ]) {
      const uri = template(7).replace(/\{\w+\}/g, 'value')
      const few = lookingAt(range(10).map(template), uri)
      const many = lookingAt(range(10_000).map(template), uri)
      expect([few.found, many.found]).toEqual([1, 1])
      expect(many.looks).toBeLessThan(few.looks + 10)
    }
  })

  const variables = (count: number): string =>
    range(count)
      .map((at) => `{v${at}}`)
      .join('')

  it.each<readonly [name: string, template: (at: number) => string]>([
    ['a long shared beginning', (at) => `x:${'a'.repeat(at)}{v}/`],
    ['adjacent variables', (at) => `x:${variables(at + 1)}!`],
    ['adjacent variables of every kind', (at) => `x:{a}{+b}{.c*}{/d*}{;e}{&f*}${at}`],
    ['a variable behind a reserved one', (at) => `x:{+a}{b}${at}`],
    ['reserved variables between literals', (at) => `x:{+a}${at}{+b}a{+c}/`],
    [
      'literals and variables in every order',
      (at) => `x:${at.toString(2).replace(/./g, (digit, place) => (digit === '0' ? 'a/' : `{v${place}}/`))}!`,
    ],
  ])('grows no faster than the URI and the number of templates: %s', (_, template) => {
    for (const part of ['a/', 'aa', '.a', '/a', ';e', '&f', '%E4%B8%AD']) {
      const of = (count: number, size: number): number =>
        lookingAt(range(count).map(template), `x:${part.repeat(size)}`).looks
      const few = of(16, 50)
      expect(of(16, 400)).toBeLessThan(few * 10 + 1000)
      expect(of(128, 50)).toBeLessThan(few * 16 + 1000)
    }
  })
})

describe('an index', () => {
  it('tells every character of a URI from an expression', () => {
    const templates = ['x:{v}', 'x:`{v}', 'x:`', 'x:{v}/`', 'x:{+v}`', 'x:{+v}{w}`', 'x:a{v}.b', '`{v}']
    const set = createTemplateSet<string>()
    for (const template of templates) set.add(template, template)
    let matched = 0
    for (let code = 0; code < 300; code += 1)
      for (const tail of ['', 'a', '/', '/`', '`'])
        for (const start of ['x:', '', 'x:a']) {
          const uri = `${start}${String.fromCharCode(code)}${tail}`
          const one = templates.filter((each) => matchTemplate(each, uri) !== undefined)
          matched += one.length
          expect([uri, set.match(uri)?.data]).toEqual([uri, one.sort(compareSpecificity)[0]])
          expect([uri, set.matchAll(uri).map(({ data }) => data)]).toEqual([
            uri,
            one.sort(compareSpecificity),
          ])
        }
    expect(matched).toBeGreaterThan(500)
  })
})

describe('an index that grows and shrinks', () => {
  const spelling = { tolerant: false, ignoreUnknown: false }

  /** What a walk finds, without what it finds twice. */
  function found(index: ReturnType<typeof createTemplateIndex>, uri: string): number[] {
    const count = index.walk(uri)
    return [...new Set(index.hits.slice(0, count))].sort((left, right) => left - right)
  }

  it.each([
    ['of the same shape', (at: number) => `{a${at}}`],
    ['behind an open expression', (at: number) => `{+a${at}}`],
    ['with a literal of its own', (at: number) => `${at}{a}`],
  ])('keeps every template, wherever its cells come to an end: %s', (_, tail) => {
    for (let size = 0; size < 400; size += 1) {
      const start = `x:${'q'.repeat(size)}`
      const index = createTemplateIndex(spelling)
      const templates = range(4).map((at) => parseTemplate(start + tail(at)))
      for (const [id, template] of templates.entries()) index.insert(template, id)
      const uris = templates.map(({ source }) => source.replace(/\{.*\}/, '1'))
      const expected = (left: readonly number[], uri: string): number[] =>
        left.filter((id) => matchTemplate(templates[id]!, uri) !== undefined)
      let left = range(4)
      for (const gone of [1, 3, 0, 2]) {
        for (const uri of uris) expect(found(index, uri)).toEqual(expected(left, uri))
        index.remove(templates[gone]!, gone)
        left = left.filter((id) => id !== gone)
      }
      for (const uri of uris) expect(found(index, uri)).toEqual([])
    }
  })

  it('keeps literals that are longer than a node can hold', () => {
    const index = createTemplateIndex(spelling)
    // Three triplets for each character.
    const start = `x:${'中'.repeat(20_000)}`
    for (const [id, tail] of ['{a}', '{a}/b', 'b{+a}', ''].entries())
      index.insert(parseTemplate(start + tail), id)
    const encoded = encodeURI(start)
    expect(found(index, encoded)).toEqual([0, 3])
    expect(found(index, `${encoded}1/b`)).toEqual([1])
    expect(found(index, `${encoded}b`)).toEqual([0, 2])
    expect(found(index, encoded.slice(0, -3))).toEqual([])
  })

  it('finds what matching each template by itself finds, however many came and went', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const random = createRandom(seed)
      const set = createTemplateSet<string>()
      const present = new Map<string, () => void>()
      const uris: string[] = []
      for (let round = 0; round < 60; round += 1) {
        const template = `${['x:', 'y', `x:${'q'.repeat(random(90))}`][random(3)]}${randomTemplate(random, false)}`
        if (!present.has(template)) present.set(template, set.add(template, template))
        for (const values of choices(template, (name) => domainValues(template, name, false), 2))
          uris.push(tryExpand(template, values) ?? 'x:')
        if (random(3) === 0) {
          const [gone, take] = [...present][random(present.size)]!
          take()
          present.delete(gone)
        }
        const uri = uris[random(uris.length)]!
        const one = [...present.keys()].filter((each) => matchTemplate(each, uri) !== undefined)
        expect(
          set
            .matchAll(uri)
            .map(({ data }) => data)
            .sort(),
        ).toEqual(one.sort())
      }
    }
  })
})
