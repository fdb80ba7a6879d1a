import { describe, expect, it } from 'vitest'
import { matchTemplate } from './match-template.ts'
import { createTemplateSet } from './template-set.ts'
import { choices, createRandom, domainValues, randomTemplate, tryExpand } from './testing/brute-force.ts'

const codes = (template: string, uri: string) =>
  matchTemplate(template, uri)?.deviations.map(({ code }) => code)

/** The template with some characters of its literals and names as triplets that need not be, or in lower case. */
function respelled(template: string, random: (count: number) => number): string {
  const hex = (character: string): string => {
    const triplet = `%${character.charCodeAt(0).toString(16)}`
    return random(2) === 0 ? triplet : triplet.toUpperCase()
  }
  return `${['', 'é', '%c3%a9', '%C3%a9', '%4a', '/'][random(6)]}${template.replace(
    /[abkvwx](?![:*,}]*\d)/g,
    (text) => (random(3) === 0 ? hex(text) : text),
  )}`
}

/** Another spelling of a URI that RFC 3986 section 6.2.2 calls equal. */
const otherwise = (uri: string, random: (count: number) => number): string =>
  uri.replace(/%[\da-f]{2}|[abkvwx]/gi, (text) => {
    if (random(4) > 0) return text
    if (text.length === 1) return `%${text.charCodeAt(0).toString(16)}`
    const octet = Number.parseInt(text.slice(1), 16)
    if (/[\w.~-]/.test(String.fromCharCode(octet))) return String.fromCharCode(octet)
    return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
  })

describe('deviations', () => {
  it.each([
    ['x:%c3%a9/{a}', 'x:%c3%a9/b', []],
    ['x:%c3%a9/{a}', 'x:%C3%A9/b', ['hex-case']],
    ['x:%41/{a}', 'x:%41/b', []],
    ['x:%41/{a}', 'x:A/b', ['not-encoded']],
    ['x:/{?%41}', 'x:/?%41=b', []],
    ['x:/{?%41}', 'x:/?A=b', ['not-encoded']],
    ['x:{;%41*}', 'x:;A=ab', ['not-encoded']],
    ['x:{;A}', 'x:;%41', ['needless-escape']],
    ['x:é{a}', 'x:éb', ['not-encoded']],
  ])('are told from what expansion writes: %s from %s', (template, uri, expected) => {
    expect(codes(template, uri)).toEqual(expected)
    const set = createTemplateSet<number>()
    set.add(template, 1)
    expect(set.match(uri)?.deviations.map(({ code }) => code)).toEqual(expected)
  })

  it('are none exactly where the values expand to the URI', () => {
    const random = createRandom(21)
    for (let tried = 0; tried < 250; tried += 1) {
      const template = respelled(randomTemplate(random, false), random)
      // What `{+v}` keeps as it is cannot be had back from its decoded value.
      if (/\{[+#]/.test(template)) continue
      for (const values of choices(template, (name) => domainValues(template, name, true), 8)) {
        const uri = tryExpand(template, values)
        if (uri === undefined) continue
        for (const spelled of [uri, otherwise(uri, random)]) {
          const match = matchTemplate(template, spelled)
          if (match === undefined) continue
          const isExact = tryExpand(template, match.values) === spelled
          expect([template, spelled, match.deviations.length === 0]).toEqual([template, spelled, isExact])
        }
      }
    }
  })
})
