import { parseTemplate } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { createTemplateIndex } from './template-index.ts'

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
