import { expandTemplate } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { matchReadings, matchTemplate } from './match-template.ts'
import { breaksMatching } from './testing/laws.ts'

const values = (template: string, uri: string, options?: Parameters<typeof matchTemplate>[2]) =>
  matchTemplate(template, uri, options)?.values
const codes = (template: string, uri: string, options?: Parameters<typeof matchTemplate>[2]) =>
  matchTemplate(template, uri, options)?.deviations.map(({ code }) => code)

describe('matchTemplate', () => {
  it('decodes values once, after they were cut out', () => {
    expect(values('note://{title}', 'note://Jour%20f%C3%A9ri%C3%A9')).toEqual({ title: 'Jour férié' })
    expect(values('note://{title}', 'note://a%2520b')).toEqual({ title: 'a%20b' })
    expect(values('note://{title}', 'note://a+b')).toBeUndefined()
    expect(values('note://{+title}', 'note://a+b')).toEqual({ title: 'a+b' })
    expect(values('note://{title}', 'note://a%2Bb')).toEqual({ title: 'a+b' })
    expect(values('note://{title}', 'note://x%2Fy')).toEqual({ title: 'x/y' })
  })

  it('does not match triplets that are no UTF-8, and never throws for them', () => {
    for (const bad of ['100%', '%C3%28', '%FF', '%C0%AF', '%ED%A0%80', '%F4%90%80%80', '%', '%zz', '%E2%82'])
      expect([bad, values('note://{title}', `note://${bad}`)]).toEqual([bad, undefined])
  })

  it('keeps a simple variable within its segment', () => {
    for (const uri of ['doc://a/b', 'doc://a?b', 'doc://a#b', 'doc://a:b', 'doc://a=b'])
      expect([uri, values('doc://{path}', uri)]).toEqual([uri, undefined])
    expect(values('doc://{+path}', 'doc://a/b')).toEqual({ path: 'a/b' })
  })

  it('takes query parameters in any order, absent or empty, and no unknown ones', () => {
    const template = 'list://goods{?page,limit}'
    expect(values(template, 'list://goods')).toEqual({})
    expect(values(template, 'list://goods?limit=5')).toEqual({ limit: '5' })
    expect(values(template, 'list://goods?page=')).toEqual({ page: '' })
    expect(values(template, 'list://goods?limit=5&page=2')).toEqual({ page: '2', limit: '5' })
    expect(codes(template, 'list://goods?limit=5&page=2')).toEqual(['query-order'])
    expect(values(template, 'list://goods?page=2&limit=5&utm=x')).toBeUndefined()
    expect(values(template, 'list://goods?page=1&page=2')).toBeUndefined()
    expect(values(template, 'list://goods?')).toBeUndefined()
  })

  it('ignores unknown query parameters where the caller says so', () => {
    const template = 'list://goods{?page,limit}'
    const options = { query: { unknown: 'ignore' } } as const
    expect(values(template, 'list://goods?page=2&limit=5&utm=x', options)).toEqual({ page: '2', limit: '5' })
    expect(values(template, 'list://goods?utm=a:b/c?d&flag&page=2', options)).toEqual({ page: '2' })
    expect(values(template, 'list://goods?page=1&page=2', options)).toBeUndefined()
    expect(values('view://{id}', 'view://p1?sel=x', options)).toBeUndefined()
  })

  it('gives what is beside an optional query its own text only', () => {
    expect(values('view://{id}{?sel}', 'view://p1')).toEqual({ id: 'p1' })
    expect(values('view://{id}{?sel}', 'view://p1?sel=a%20b')).toEqual({ id: 'p1', sel: 'a b' })
    expect(values('view://{id}', 'view://p1?sel=x')).toBeUndefined()
    expect(values('view://{id}', 'view://p1#top')).toBeUndefined()
  })

  it('finds every part of a template that uses most operators', () => {
    const template = 'https://{host}/{org}/repos{/repo}{/path*}{?ref,token}{#line}'
    expect(values(template, 'https://h.x/o/repos/r/a/b%20c?token=1#L5')).toEqual({
      host: 'h.x',
      org: 'o',
      repo: 'r',
      path: ['a', 'b c'],
      token: '1',
      line: 'L5',
    })
  })

  it('reads naive substitution in tolerant mode and says how it deviates; strict refuses', () => {
    const uris = {
      'file:///docs/readme.md': 'docs/readme.md',
      'file:///季度报告/2025 Q1 财务.pdf': '季度报告/2025 Q1 财务.pdf',
    }
    for (const [uri, path] of Object.entries(uris)) {
      expect(values('file:///{path}', uri)).toBeUndefined()
      expect(values('file:///{path}', uri, { mode: 'tolerant' })).toEqual({ path })
    }
    expect(codes('file:///{path}', 'file:///docs/readme.md', { mode: 'tolerant' })).toEqual(['raw-slash'])
    expect(codes('file:///{path}', 'file:///季度报告/2025 Q1 财务.pdf', { mode: 'tolerant' })).toEqual([
      'not-encoded',
      'raw-slash',
    ])
    for (const uri of ['file:///a?b', 'file:///a#b', 'file:///100%'])
      expect(values('file:///{path}', uri, { mode: 'tolerant' })).toBeUndefined()
  })

  it('prefers in tolerant mode what it prefers in strict mode, and takes commas for text', () => {
    const read = (template: string, uri: string) => {
      const match = matchTemplate(template, uri, { mode: 'tolerant' })
      return match && [match.values, match.deviations.map(({ code }) => code)]
    }
    expect(read('{;v*,w}', ';w=<')).toEqual([{ w: '<' }, ['not-encoded']])
    expect(read('{?v*}', '?v=a,b')).toEqual([{ v: ['a,b'] }, ['not-encoded']])
    expect(read('{?v}', '?v=a,b')).toEqual([{ v: ['a', 'b'] }, []])
    expect(read('{?v*}', '?v=a,b c')).toEqual([{ v: ['a,b c'] }, ['not-encoded']])
    expect(read('x:{v:2}', 'x:a,')).toEqual([{ v: 'a,' }, ['not-encoded']])
  })

  it('shares the pairs of a query out however many there are, though the first way contradicts itself', () => {
    const members = (count: number): string => Array.from({ length: count }, (_, at) => `&k${at}=1`).join('')
    const long = 'a'.repeat(100_000)
    for (const [template, uri] of [
      ['x:{?f*,g*}', `x:?f=1&g=1${members(2000)}`],
      ['x:{?f*,g*}', `x:?z=1${members(2000)}&z=2`],
      ['x:{p,q}{?f*}', `x:${'a,'.repeat(2000)}?f=1&a=1`],
      ['x:{/p*}{?f*}', `x:${'/a'.repeat(10_000)}?f=1&a=1`],
      ['x:{?f*,c}', `x:?c=1&c=2&a=${long}`],
      ['x:{p}{?b*,c}', `x:${long}?b=1&c=2&a=1`],
    ] as const)
      expect(
        matchTemplate(template, uri)
          ?.raw.map(({ text }) => text)
          .join('') === uri,
        template,
      ).toBe(true)
  })

  it.each([
    ['x:{?q,f*}', 'x:?s=1&q=2&f=3', { q: '2', f: { s: '1', f: '3' } }],
    ['x:{?q,f*}', 'x:?f=1&q=2&s=3', { q: '2', f: { f: '1', s: '3' } }],
  ])('gives no map the pair of another variable: %s from %s', (template, uri, values) => {
    expect(matchTemplate(template, uri)?.values).toEqual(values)
  })

  it.each([
    ['x:{p}{?q,f*}', 'x:a/b?s=1&q=1', { p: 'a/b', q: '1', f: { s: '1' } }],
    ['x:{?f*,q}', 'x:?q=a/b&s=1', { q: 'a/b', f: { s: '1' } }],
    ['x{/a,b}', 'x/foo bar', { a: 'foo bar' }],
  ])('has one tolerant reading for each cut: %s from %s', (template, uri, values) => {
    expect(matchTemplate(template, uri, { mode: 'tolerant' })?.values).toEqual(values)
  })

  it('finds that there are several tolerant readings, however long they are', () => {
    const uri = `x:a/b/${'a'.repeat(10_000)}`
    expect(matchTemplate('x:{a}/{b}', uri, { mode: 'tolerant' })).toBeUndefined()
    expect(matchReadings('x:{a}/{b}', uri, { mode: 'tolerant' })).toHaveLength(2)
  })

  it.each([
    ['x{.v}', 'x%2ea', { v: 'a' }],
    ['x{.v*}', 'x%2Ea%2eb', { v: ['a', 'b'] }],
    ['x{.a,b}', 'x.%2Fa%2Eb', { a: '/a', b: 'b' }],
  ])('takes a dot that is a triplet for the one that %s writes', (template, uri, values) => {
    expect(matchTemplate(template, uri)?.values).toEqual(values)
  })

  it('finds the values of two query expressions, whichever of them writes the first character', () => {
    const modifiers = ['', '*', ':1']
    const broken = modifiers.flatMap((first) =>
      modifiers.flatMap((second) => [
        ...breaksMatching(`x:{?v${first}}{&w${second}}`),
        ...breaksMatching(`x:{?v${first},w${second}}{&x*}`),
        ...breaksMatching(`x:{?v*}{&w${first},x${second}}`),
      ]),
    )
    expect(broken).toEqual([])
  })

  it('counts the code points of a prefix as expansion does, percent signs before digits too', () => {
    const broken: string[] = []
    const signs = ['%', '5', '2', 'g', '%2F', '%25']
    for (const one of signs)
      for (const other of signs)
        for (const last of signs)
          for (const length of [1, 2, 3, 4])
            for (const literal of ['', '5', '50', 'g'])
              for (const operator of ['+', '#']) {
                const template = `x:${literal}{${operator}v:${length}}${literal}`
                const value = one + other + last
                const uri = expandTemplate(template, { v: value })
                const match = matchTemplate(template, uri)
                // A triplet that the value itself holds is decoded.
                const isBack =
                  match && (/%[\dA-F]{2}/.test(value) || expandTemplate(template, match.values) === uri)
                if (!isBack) broken.push(`${template} ${uri} ${JSON.stringify(match?.values)}`)
              }
    expect(broken).toEqual([])
  })

  it('reports several tolerant readings and chooses none', () => {
    const template = 'file:///{dir}/{file}'
    expect(values(template, 'file:///a/b/c.txt', { mode: 'tolerant' })).toBeUndefined()
    expect(
      matchReadings(template, 'file:///a/b/c.txt', { mode: 'tolerant' }).map((each) => each.values),
    ).toContainEqual({
      dir: 'a',
      file: 'b/c.txt',
    })
  })

  it('reads literals that were left unencoded, and triplets of either case', () => {
    for (const uri of [
      'file:///docs/caf%C3%A9/a.txt',
      'file:///docs/caf%c3%a9/a.txt',
      'file:///docs/café/a.txt',
    ])
      expect(values('file:///docs/café/{name}', uri)).toEqual({ name: 'a.txt' })
    expect(values('file:///my docs/{name}', 'file:///my%20docs/a.txt')).toEqual({ name: 'a.txt' })
    expect(codes('file:///docs/café/{name}', 'file:///docs/caf%c3%a9/a%62')).toEqual([
      'hex-case',
      'needless-escape',
    ])
  })

  it('wants repeated variables to agree, and a prefix to be one', () => {
    expect(values('x:{a}/{a}', 'x:p/p')).toEqual({ a: 'p' })
    expect(values('x:{a}/{a}', 'x:p/q')).toBeUndefined()
    expect(values('~{user:1}/{user}', '~f/fred')).toEqual({ user: 'fred' })
    expect(values('~{user:1}/{user}', '~g/fred')).toBeUndefined()
    expect(values('{v:3}', 'abc')).toEqual({ v: 'abc' })
    expect(values('{v:3}', 'abcd')).toBeUndefined()
    expect(values('{v:2}', '%F0%9F%98%80%C3%A9')).toEqual({ v: '😀é' })
    expect(values('{a}{b}/{a}', 'xy/x')).toEqual({ a: 'x', b: 'y' })
  })

  it('rebuilds the URI from the raw pieces', () => {
    const uri = 'https://h.x/o/repos/%72/a/b%20c?token=1&ref=m%c3%a4#L5'
    const match = matchTemplate('https://{host}/{org}/repos{/repo}{/path*}{?ref,token}{#line}', uri)
    expect(match?.raw.map(({ text }) => text).join('')).toBe(uri)
    expect(match?.raw.filter(({ name }) => name === 'repo' || name === 'ref')).toEqual([
      { type: 'value', name: 'repo', text: '%72' },
      { type: 'value', name: 'ref', text: 'm%c3%a4' },
    ])
  })

  it('gives names that objects already have as own values only', () => {
    const match = matchTemplate('x:{__proto__}/{constructor}', 'x:a/b')
    expect(Object.entries(match?.values ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
    expect(expandTemplate('x:{__proto__}/{constructor}', match?.values ?? {})).toBe('x:a/b')
  })
})
