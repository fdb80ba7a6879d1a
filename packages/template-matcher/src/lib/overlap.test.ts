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
