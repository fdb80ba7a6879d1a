import { describe, expect, it } from 'vitest'
import { matchTemplate } from './match-template.ts'
import { overlap } from './overlap.ts'

const witness = (first: string, second: string, mode: 'strict' | 'tolerant' = 'strict') => {
  const found = overlap(first, second, { mode })
  return typeof found === 'object' ? found.uri : found
}

describe('overlap', () => {
  it('finds that a path and a pair of names meet, with both readings', () => {
    const found = overlap('file:///{+path}', 'file:///{dir}/{file}')
    expect(found).toMatchObject({
      uri: 'file:////',
      first: { values: { path: '/' } },
      second: { values: {} },
    })
    expect(matchTemplate('file:///{+path}', 'file:///a/b')).toBeDefined()
    expect(matchTemplate('file:///{dir}/{file}', 'file:///a/b')).toBeDefined()
  })

  it('tells what overlaps only where clients do not encode', () => {
    expect(witness('file:///{path}', 'file:///{dir}/{file}')).toBeUndefined()
    expect(witness('file:///{path}', 'file:///{dir}/{file}', 'tolerant')).toBe('file:////')
    for (const mode of ['strict', 'tolerant'] as const)
      expect(witness('tree:///{dir}/{file}', 'file:///{path}', mode)).toBeUndefined()
  })

  it('looks at no more than their ends where these keep templates apart', () => {
    const limits = { steps: 0 }
    for (const [first, second] of [
      ['{name}.t1', '{name}.t11'],
      ['x:{name}.t1{?q}', 'x:{name}.t2{?q}{#f}'],
      ['x:{name}.t1{?q}', 'x:{name}.t2?q={q}'],
      ['repo://{+path}/rev/r1', 'repo://{+path}/rev/r2'],
    ] as const)
      for (const mode of ['strict', 'tolerant'] as const)
        expect(overlap(first, second, { mode, limits }), first).toBeUndefined()
    for (const [first, second] of [
      ['x://{name}.t1/{id}', 'x://{name}.t2/{id}'],
      ['x://{name}/{id}', 'x://{name}/{id}/{more}'],
      ['x://{a}/r{b}/{c}{?q}', 'x://{a}/s{b}/{c}{?q}'],
    ] as const)
      expect(overlap(first, second, { limits }), first).toBeUndefined()
  })

  it('finds what meets though its literals end otherwise', () => {
    for (const [first, second] of [
      ['x:{name}.t1{?q}', 'x:{name}.t1?q=2'],
      ['x:a{#v}b', 'x:a#b'],
      ['x:a{#v}b', 'x:ab'],
      ['x:a{?q}b', 'x:a{b}'],
      ['x:{v}a{&q}', 'x:{v}a&q={w}'],
      ['x:{+v}a', 'x:b?a'],
      ['x:{+v}a{?q}', 'x:b?c#a'],
      ['x:{v}é', 'x:%C3%A9'],
      ['x:a{/v}', 'x:a/b'],
      ['x:{a}/{b}', 'x:{c}{/d}'],
      ['x:a{#v}', 'x:a#/b/c'],
      ['x:{a}t1/{b}', 'x:{a}1/{b}c'],
    ] as const)
      expect(overlap(first, second), `${first} ${second}`).toMatchObject({ uri: expect.any(String) })
  })

  it('counts what it has to remember as work', () => {
    const meeting = (size: number) =>
      overlap(`x:${'a'.repeat(size)}{v}b`, `x:{v}${'a'.repeat(size)}c`, { limits: { steps: 30_000_000 } })
    const chained = (size: number) =>
      overlap(`x:${'a'.repeat(size)}{v}bc`, `x:{v}${'a'.repeat(size)}{w}c`, { limits: { steps: 3_000_000 } })
    expect(meeting(3000)).toBeUndefined()
    expect(() => chained(300)).toThrow('too many steps')
  })

  it('sees queries in any order, and keys that come once', () => {
    expect(witness('s{?q,page}', 's?page={y}&q={x}')).toBe('s?page=&q=')
    expect(witness('s{?a}', 's?a=1&a=2')).toBeUndefined()
    expect(witness('s{?m*}', 's?k=1&k=2')).toBeUndefined()
    expect(witness('s{?v*}', 's?v=1&v=2')).toBe('s?v=1&v=2')
    expect(witness('s{?v*}', 's?v=1&v=2&k=3')).toBeUndefined()
  })

  it('sees which queries start with "&", and what may stand in them', () => {
    expect(witness('x:{?w*}{&x*}', 'x:&k=a')).toBe('x:&k=a')
    expect(witness('x:{?v}{&w*}', 'x:&v={z}')).toBe('x:&v=')
    expect(witness('x:{?w}{&x}', 'x:&w={z}')).toBeUndefined()
    expect(witness('{?v*}', '{?v}&v=,', 'tolerant')).toBe('?v=&v=,')
  })

  it('counts keys that ";" writes without a "="', () => {
    expect(witness('x:{;y*}', 'x:;v;v={z}')).toBeUndefined()
    expect(witness('x:{;y*}', 'x:;v;vv={z}')).toBe('x:;v;vv=a')
  })

  it('finds what one variable leaves and the other writes as a triplet', () => {
    expect(witness('x:{v}?', 'x:{w:1}{+w:1}')).toBe('x:%3F?')
  })

  it('does not try each of the orders and subsets of many parameters', () => {
    const names = Array.from({ length: 40 }, (_, at) => `p${at}`)
    expect(witness(`s{?${names.join(',')}}!`, `s{?${names.reverse().join(',')}}~`)).toBeUndefined()
  })

  it('counts prefixes', () => {
    expect(witness('x{a:3}', 'xabcd')).toBeUndefined()
    expect(witness('x{a:4}', 'xabcd')).toBe('xabcd')
    expect(witness('x{a:9999}!', 'x{b:9999}*')).toBeUndefined()
  })

  it('sees maps whose members must differ', () => {
    expect(witness('x{m*}', 'xk=1,k=2')).toBeUndefined()
    expect(witness('x{m*}', 'xk=1,l=2')).toBe('xk=1,l=2')
  })

  it('confirms candidates where a variable is repeated, and looks on', () => {
    expect(witness('x:{a}/{a}', 'x:p{b}/{c}q')).toBe('x:pq/pq')
    expect(witness('x:{a}/{a}', 'x:p/q')).toBeUndefined()
  })
})
