import { expandTemplate } from '@truename/uri-codec'
import { describe, expect, it } from 'vitest'
import { guardPath } from './guard-path.ts'
import { matchTemplate } from './match-template.ts'
import { createTemplateSet } from './template-set.ts'

const values = (template: string, uri: string) => matchTemplate(template, uri)?.values

describe('faults that were reported elsewhere', () => {
  it('a plus sign read in a name is a plus sign, where it is read at all', () => {
    expect(matchTemplate('note://{title}', 'note://a+b', { mode: 'tolerant' })?.values).toEqual({
      title: 'a+b',
    })
    expect(values('note://{title}', 'note://a%2Bb')).toEqual({ title: 'a+b' })
  })

  it('absent query parameters stay absent, so that the URI can be made again', () => {
    const match = matchTemplate('list://goods{?page,limit}', 'list://goods')
    expect(expandTemplate('list://goods{?page,limit}', match?.values ?? {})).toBe('list://goods')
  })

  it('a template whose literal has an accent or a space can be read', () => {
    const set = createTemplateSet<number>()
    set.add('file:///docs/café/{name}', 1)
    set.add('file:///my docs/{name}', 2)
    for (const uri of [
      'file:///docs/caf%C3%A9/a.txt',
      'file:///docs/caf%c3%a9/a.txt',
      'file:///docs/café/a.txt',
    ])
      expect(set.match(uri)).toMatchObject({ data: 1, values: { name: 'a.txt' } })
    expect(set.match('file:///my%20docs/a.txt')).toMatchObject({ data: 2, values: { name: 'a.txt' } })
  })

  it('a name decodes to a path that is guarded before it is looked up', () => {
    const guarded = (uri: string) => guardPath(String(values('doc://{name}', uri)?.name))
    for (const uri of ['doc://..%2F..%2Fetc%2Fhosts', 'doc://%2e%2e%2Fx', 'doc://..%5Cx'])
      expect(guarded(uri)).toMatchObject({ ok: false, code: 'traversal' })
    for (const name of ['v1..v2', '.env']) expect(guarded(`doc://${name}`)).toEqual({ ok: true, path: name })
  })

  it('what stands after a namespace is the URI itself, never the template', () => {
    const match = matchTemplate('kb+{+uri}', 'kb+ruling://court/2024/12')
    expect(match?.raw).toEqual([
      { type: 'literal', text: 'kb+' },
      { type: 'value', name: 'uri', text: 'ruling://court/2024/12' },
    ])
    const encoded = matchTemplate('kb+{+uri}', 'kb+ruling://a%2Fb%20c')
    expect(encoded?.raw.at(-1)?.text).toBe('ruling://a%2Fb%20c')
  })

  it('crafted URIs are refused at once', () => {
    for (const [template, uri] of [
      ['/u{/id*}', `/u/${'a,'.repeat(40)}b/x/`],
      ['x://{+a}/{+b}/{+c}/{+d}', `x://${'a/'.repeat(400)}\n`],
      ['x://{a}{b}!', `x://${'a'.repeat(60_000)}`],
    ] as const)
      expect(matchTemplate(template, uri, { limits: { steps: 10_000_000 } })).toBeUndefined()
  })
})

describe('no input', () => {
  it('throws anything', () => {
    const odd = [
      '',
      '%',
      '%%',
      '\ud800',
      'x:\udfff',
      '\0',
      'x:{v}',
      '?',
      '&',
      '?&',
      '?=',
      ';',
      '%f',
      '%c3',
      '💥',
      'x:%ED%A0%80',
    ]
    const templates = [
      '',
      '{v}',
      '{+v}',
      '{?v*}',
      '{;v*,w}',
      'x:{#v,w}',
      '{v:3}{w*}',
      '{/v*}{.w}',
      '{?a,a}',
      '💥{v}',
    ]
    for (const mode of ['strict', 'tolerant'] as const)
      for (const template of templates) {
        const set = createTemplateSet<number>({ mode })
        set.add(template, 1)
        for (const uri of odd) {
          expect(() => matchTemplate(template, uri, { mode })).not.toThrow()
          expect(() => [set.match(uri), set.matchAll(uri), set.explain(uri)]).not.toThrow()
        }
      }
  })
})
