import { parseTemplate } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { defaultLimits, type MatchLimitError } from './limits.ts'
import { matchTemplate } from './match-template.ts'
import { programOf } from './program.ts'
import { readCanonical, stepCounter } from './read-text.ts'

/** How many steps a match takes, and whether there was one. */
function stepsOf(template: string, uri: string): { steps: number; matched: boolean } {
  let steps = 0
  const program = programOf(
    parseTemplate(template, { limits: { expressions: 20_000, variables: 20_000 } }),
    false,
  )
  const matched =
    readCanonical(program, uri, undefined, {
      unknown: 'refuse',
      step: (count = 1) => {
        steps += count
      },
    }) !== undefined
  return { steps, matched }
}

const hostile: readonly (readonly [template: string, uri: (size: number) => string])[] = [
  ['/u{/id*}', (size) => `/u/${'a,'.repeat(size)}b/x/`],
  ['x://{+a}/{+b}/{+c}/{+d}', (size) => `x://${'a/'.repeat(size)}\n`],
  ['x://{+a}/{+b}/{+c}/{+d}!', (size) => `x://${'a/'.repeat(size)}`],
  ['x://{a}{b}!', (size) => `x://${'a'.repeat(size)}`],
  ['x://{a}{b}{c}{d}{e}{f}!', (size) => `x://${'a'.repeat(size)}`],
  ['x:{/a*}{/b*}{/c*}!', (size) => `x:${'/a'.repeat(size)}`],
  ['x:{.a*}{.b*}{.c,d}!', (size) => `x:${'.a'.repeat(size)}`],
  ['x:{+a}{v:9999}{+b}!', (size) => `x:${'a'.repeat(size)}`],
  ['x:{a}{b}/{a}{b}/{a}!', (size) => `x:${'a'.repeat(size)}/${'a'.repeat(size)}/`],
  ['x:{+a}{&v*}{&w*}!', (size) => `x:${'&v=1'.repeat(size)}`],
  ['x:{a*}{b*}{c*}!', (size) => `x:${'k=1,'.repeat(size)}`],
  ['x:{+a*}{#b*}{+c*}~', (size) => `x:${'a=,#'.repeat(size)}\u00e9`],
  ['x:{;a*}{;b*}!', (size) => `x:${';a=1'.repeat(size)}`],
  ['x:{a}{b}!', (size) => `x:${'%E4%B8%AD'.repeat(size)}`],
]

describe('the work of a match', () => {
  it.each(hostile)('grows with the URI as fast as the URI, for %s', (template, uri) => {
    const small = stepsOf(template, uri(400))
    const large = stepsOf(template, uri(3200))
    expect(large.matched).toBe(false)
    // Eight times as long.
    expect(large.steps).toBeLessThan(small.steps * 10 + 1000)
  })

  it.each([
    ['x:{a,b}{a,b}{a,b}{a,b}!', (size: number) => `x:${'a,'.repeat(size)}!`],
    ['x:{?a*,b*,c*,a}!{a}{b}{c}', (size: number) => `x:?${'k=v&a=v&'.repeat(size)}a=v!zz`],
    [
      '{;a*,b*}{;b*,a*}!',
      (size: number) => Array.from({ length: size }, (_, at) => `;k${at}=${at}`).join(''),
    ],
    ['{;b*,b*,b*}{a*,b:3,c*}{+a:3,b:3,b*}', (size: number) => `${';k=1'.repeat(size)}${'a,'.repeat(size)}`],
    ['x:{+p}{?a*,b*}!{?a*,b*}{+q}{p}~', (size: number) => `x:${'?k=1&l=2!'.repeat(size)}`],
  ])(
    'is bounded where repeated variables contradict each other however they are read, for %s',
    (template, uri) => {
      const { steps, matched } = stepsOf(template, uri(3200))
      expect(matched).toBe(false)
      // Some for other readings of each kind, and some for each character.
      expect(steps).toBeLessThan(30_000_000)
    },
  )

  it.each([
    ['x:{a*}{b*}{a*}', `x:${'a,b,'.repeat(32)}`],
    ['x:{;f*}{;g*}', `x:;z=1${Array.from({ length: 2000 }, (_, at) => `;k${at}=1`).join('')};z=2`],
  ])('stays small where a first reading of a list or map contradicts itself, for %s', (template, uri) => {
    expect(stepsOf(template, uri).steps).toBeLessThan(10_000_000)
  })

  it('grows with the template as fast as the template', () => {
    const uri = `x:${'a'.repeat(500)}`
    const of = (count: number): number =>
      stepsOf(`x:${Array.from({ length: count }, (_, at) => `{v${at}}`).join('')}!`, uri).steps
    expect(of(80)).toBeLessThan(of(10) * 10)
  })

  it.each([
    [`x:{+v}${'b'.repeat(31_000)}`, 'a'],
    [`x:{v}${'a'.repeat(40_000)}b`, 'a'],
    [`x:{v}${'a'.repeat(2_000)}{w}${'a'.repeat(2_000)}b`, 'a'],
  ])('is small for a long literal behind a variable', (template, character) => {
    const { steps, matched } = stepsOf(template, `x:${character.repeat(65_000)}`)
    expect(matched).toBe(false)
    expect(steps).toBeLessThan(defaultLimits.steps / 10)
  })

  it('counts what it remembers, so that memory is bounded as steps are', () => {
    // Several numbers for each character and expression: the limit is reached before they take some gigabytes.
    const template = `x:${Array.from({ length: 256 }, (_, at) => `{+v${at}}`).join('')}!`
    const { steps } = stepsOf(template, `x:${'a'.repeat(1024)}`)
    expect(steps / 1024 / 256).toBeGreaterThan(16)
    expect(steps * 64 * 1.2).toBeLessThan(defaultLimits.steps)
  })

  it('stays within the default limits for 256 expressions against 64 KiB', () => {
    const template = `x:${Array.from({ length: 256 }, (_, at) => `{v${at}}`).join('')}!`
    const { steps } = stepsOf(template, `x:${'a'.repeat(1024)}`)
    expect(steps * 64 * 1.2).toBeLessThan(defaultLimits.steps)
  })
})

describe('limits', () => {
  const codeOf = (run: () => unknown): string | undefined => {
    try {
      run()
      return undefined
    } catch (error) {
      return (error as MatchLimitError).code
    }
  }

  it('refuses a URI above the limit, not one at it', () => {
    const limits = { uriLength: 10 }
    expect(codeOf(() => matchTemplate('{v}', 'a'.repeat(10), { limits }))).toBeUndefined()
    expect(codeOf(() => matchTemplate('{v}', 'a'.repeat(11), { limits }))).toBe('uri-too-long')
  })

  it('refuses a template with more expressions than the limit, not one with as many', () => {
    const limits = { expressions: 2 }
    expect(codeOf(() => matchTemplate('x{a}-{b}', 'xa-b', { limits }))).toBeUndefined()
    expect(codeOf(() => matchTemplate('x{a}-{b}/{c}', 'xa-b/c', { limits }))).toBe('too-many-expressions')
  })

  it('gives up with an error past the steps that were allowed', () => {
    const uri = `x:${'a'.repeat(100)}`
    expect(codeOf(() => matchTemplate('x:{a}{b}!', uri, { limits: { steps: 50 } }))).toBe('too-many-steps')
    expect(codeOf(() => matchTemplate('x:{a}{b}!', uri, { limits: { steps: 50_000 } }))).toBeUndefined()
    const step = stepCounter(2)
    step()
    step()
    expect(codeOf(step)).toBe('too-many-steps')
  })

  it('reads ten thousand expressions where the limits are raised', () => {
    const count = 10_000
    const source = `x:${Array.from({ length: count }, (_, at) => `{v${at}}`).join('/')}`
    const template = parseTemplate(source, {
      limits: { length: 1 << 20, expressions: count, variables: count },
    })
    const uri = `x:${Array.from({ length: count }, (_, at) => `a${at}`).join('/')}`
    expect(matchTemplate(template, uri, { limits: { expressions: count } })?.values.v9999).toBe('a9999')
    expect(codeOf(() => matchTemplate(template, uri))).toBe('too-many-expressions')
  })

  it('reads thousands of query parameters in any order', () => {
    const names = Array.from({ length: 4000 }, (_, at) => `v${at}`)
    const uri = `x:?${[...names]
      .reverse()
      .map((name) => `${name}=${name}`)
      .join('&')}`
    const match = matchTemplate(`x:{?${names.join(',')}}`, uri)
    expect(match?.values).toEqual(Object.fromEntries(names.map((name) => [name, name])))
    expect(match?.deviations.map(({ code }) => code)).toEqual(['query-order'])
  })
})
