import { expandTemplate } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { findAmbiguity } from './ambiguity.ts'
import { canonicalText } from './canonical.ts'

describe('findAmbiguity', () => {
  it.each([
    '{a}{b}',
    '{+path}{?rev}',
    '{/a,b}',
    '{a,b}',
    '{a}{.b}',
    '{v:3}',
    '{+v*}',
    '{/a*}{/b}',
    'https://{host}/{org}/repos{/repo}{/path*}{?ref,token}{#line}',
  ])('proves by two value sets that %s cannot be read back', (template) => {
    const found = findAmbiguity(template)
    if (typeof found !== 'object') throw new Error(`${template} is said to be ${found ?? 'unique'}`)
    expect(found.first).not.toEqual(found.second)
    expect(expandTemplate(template, found.first)).toBe(found.uri)
    expect(expandTemplate(template, found.second)).toBe(found.uri)
  })

  it.each([
    'file:///{dir}/{file}',
    'file:///{path}',
    'file:///{+path}',
    'list://goods{?page,limit}',
    'x{/path*}',
    'x{?list*}',
    'x{;a,b}',
    '~{user:1}/{user}',
    'x:{a}/{a}',
    'x{#fragment}',
  ])('finds none in %s', (template) => {
    expect(findAmbiguity(template)).toBeUndefined()
  })

  it.each([
    'x:{a}-{b}/{a}',
    'x:{a}{b}/{a}{?b}',
    'x:{a,b}/{a}',
    'x:{a}{?b}{&a}',
    'x{?a,b}#{a}{c}',
    'db://{db}/{table}.{column}{?db,table}',
    'x:{id:2}-{name}/{id}',
  ])('finds none in %s, where another occurrence tells what one alone does not', (template) => {
    expect(findAmbiguity(template)).toBeUndefined()
  })

  it.each(['x:{a}{b}/{b:1}', 'x:{a}{b}{c}/{a}', 'x:{a,b}{a}', 'x:{a}-{b}/{a}-{b}'])(
    'proves by two value sets that %s cannot be read back, though a variable occurs twice',
    (template) => {
      const found = findAmbiguity(template)
      if (typeof found !== 'object') throw new Error(`${template} is said to be ${found ?? 'unique'}`)
      expect(found.first).not.toEqual(found.second)
      expect(expandTemplate(template, found.first)).toBe(found.uri)
      expect(expandTemplate(template, found.second)).toBe(found.uri)
    },
  )

  it('takes a number of steps that grows with the template, and not with the ways to read it', () => {
    const of = (count: number): string => Array.from({ length: count }, (_, at) => `{v${at}}-`).join('')
    const found = findAmbiguity(of(60), { limits: { steps: 3_000_000 } })
    expect(typeof found === 'object' && expandTemplate(of(60), found.first)).toBe('-'.repeat(61))
  })

  it.each(['docs://%7Eu/{a}{b}', 'docs://caf%c3%a9/{a}{b}', 'x:{v}%2c{w}', 'x:%7E{a,b:2}'])(
    'decides about %s, however it spells its triplets',
    (template) => {
      const found = findAmbiguity(template)
      if (typeof found !== 'object') throw new Error(`${template} is said to be ${found ?? 'unique'}`)
      expect(found.first).not.toEqual(found.second)
      expect(expandTemplate(template, found.first)).toBe(found.uri)
      expect(canonicalText(expandTemplate(template, found.second))).toBe(canonicalText(found.uri))
    },
  )

  it.each(['docs://%7Eu/{a}', 'docs://caf%c3%a9/{a}/{b}', 'x:{v}/%3f/{w}'])(
    'finds none in %s, however it spells its triplets',
    (template) => {
      expect(findAmbiguity(template)).toBeUndefined()
    },
  )

  it('finds a shortest URI, however long the triplets are that a template spells otherwise', () => {
    const found = findAmbiguity('%41{&a,v*}%7E{+w:1}', { maps: true })
    // `w` is cut: with nothing else, that is as short as two sets of values can be.
    expect(found).toMatchObject({ uri: '%41%7Ea' })
  })

  it('looks at maps where asked', () => {
    expect(findAmbiguity('x{?v*}', { maps: true })).toEqual({
      uri: 'x?v=a',
      first: { v: ['a'] },
      second: { v: { v: 'a' } },
    })
  })
})
