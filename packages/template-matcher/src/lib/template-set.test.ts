import { describe, expect, it } from 'vitest'
import { createTemplateSet } from './template-set.ts'

const filled = (entries: readonly string[], exact: readonly string[] = []) => {
  const set = createTemplateSet<string>()
  for (const entry of entries) set.add(entry, entry)
  for (const uri of exact) set.addExact(uri, `exact ${uri}`)
  return set
}

describe('createTemplateSet', () => {
  it('gives a URI to the exact resource, then to the template with more literal text, in any order', () => {
    const templates = ['shop://items/{section}/{slug}', 'shop://items/{section}/stats', 'shop://{kind}/{id}']
    for (const order of [templates, [...templates].reverse()]) {
      const set = filled(order, ['shop://items/all'])
      expect(set.match('shop://items/toys/stats')?.data).toBe('shop://items/{section}/stats')
      expect(set.match('shop://items/toys/bear')?.data).toBe('shop://items/{section}/{slug}')
      expect(set.match('shop://items/all')?.data).toBe('exact shop://items/all')
      expect(set.match('shop://items/other')?.data).toBe('shop://{kind}/{id}')
      expect(set.matchAll('shop://items/all').map(({ data }) => data)).toEqual([
        'exact shop://items/all',
        'shop://{kind}/{id}',
      ])
    }
  })

  it('finds an exact URI whose scheme is spelled in another case, and says so', () => {
    const set = filled([], ['KBase://Item/1'])
    expect(set.match('KBase://Item/1')?.deviations).toEqual([])
    expect(set.match('kbase://Item/1')).toMatchObject({
      registered: 'KBase://Item/1',
      deviations: [{ code: 'scheme-case' }],
    })
    expect(set.match('kbase://item/1')).toBeUndefined()
  })

  it('explains a substituted path in three lines, with the URI and a template that keeps the slash', () => {
    const { step, lines } = filled(['file:///{path}']).explain('file:///季度报告/2025 Q1 财务.pdf')
    expect(step).toBe('expansion')
    expect(lines).toEqual([
      'expansion: the client put the value of {path} into file:///{path} as it is, instead of expanding the template (not-encoded, raw-slash)',
      'it should have sent file:///%E5%AD%A3%E5%BA%A6%E6%8A%A5%E5%91%8A%2F2025%20Q1%20%E8%B4%A2%E5%8A%A1.pdf',
      'a template that keeps the slash: file:///{+path} expands to file:///%E5%AD%A3%E5%BA%A6%E6%8A%A5%E5%91%8A/2025%20Q1%20%E8%B4%A2%E5%8A%A1.pdf',
    ])
  })
})
