import type { Key } from '@truename/tool-registry'
import { describe, expect, it } from 'vitest'
import { checkPolicy } from './check-policy.ts'
import { parsePolicy } from './parse-policy.ts'

const tool = (server: string, name: string): Key => ({ server, kind: 'tool', name })
const keys: readonly Key[] = [
  tool('shop-a', 'search'),
  tool('shop-a', 'buy'),
  tool('shop-b', 'search'),
  { server: 'kb', kind: 'prompt', name: 'summary' },
  { server: 'kb', kind: 'resource', name: 'docs://catalog/{name}' },
]

const check = (rules: unknown) =>
  checkPolicy(parsePolicy(rules), keys)
    .filter((one) => one.code !== 'left-to-default')
    .map((one) => [one.code, one.severity, one.rule?.index])

describe('checking a policy against the lock', () => {
  it('reports a rule that matches nothing, worst where it was to deny', () => {
    const rules = [
      { server: 'shop-c', tool: 'search', decision: 'allow' },
      { server: 'shop-a', tool: 'sell', decision: 'deny' },
      { server: 'kb', prompt: 'summary', decision: 'deny' },
    ]
    expect(check(rules)).toEqual([
      ['matches-nothing', 'warning', 0],
      ['matches-nothing', 'error', 1],
    ])
  })

  it.each(['Search', 'sea_rch', 'search '])('suggests the pair a rule for %j may have meant', (name) => {
    const [finding] = checkPolicy(parsePolicy([{ server: 'shop_a', tool: name, decision: 'deny' }]), keys)
    expect(finding?.similar).toEqual([tool('shop-a', 'search')])
    expect(finding?.message).toContain('shop-a/search')
  })

  it('takes a rule for a URI to match where a listed template could make it', () => {
    const rule = (resource: string) => [{ server: 'kb', resource, decision: 'deny' }]
    expect(check(rule('docs://catalog/x'))).toEqual([])
    expect(check(rule('docs://cat*'))).toEqual([])
    expect(check(rule('docs://other/x'))).toEqual([['matches-nothing', 'error', 0]])
  })

  it('reports rules that can never be reached', () => {
    const wide = { server: 'shop-*', tool: '*', decision: 'ask' }
    expect(
      check([
        { ...wide, server: '*' },
        { server: 'shop-a', tool: 'search', decision: 'deny' },
      ]),
    ).toEqual([
      ['crosses-servers', 'info', 0],
      ['unreachable', 'error', 1],
    ])
    const guarded = { ...wide, decision: 'deny', when: [{ pointer: '/a', exists: true }] }
    expect(check([guarded, wide])).toEqual([
      ['crosses-servers', 'info', 0],
      ['crosses-servers', 'info', 1],
    ])
    expect(
      check([
        { ...wide, profile: 'ci' },
        { ...wide, profile: ['ci', 'me'] },
      ]).filter(([code]) => code === 'unreachable'),
    ).toEqual([])
    expect(
      check([
        { ...wide, profile: ['ci', 'me'] },
        { ...wide, profile: 'ci' },
      ]).at(-1),
    ).toEqual(['unreachable', 'warning', 1])
  })

  it('reports a rule whose pairs are all taken by several earlier rules', () => {
    const rules = [
      { server: 'shop-a', tool: 'search', decision: 'allow' },
      { server: 'shop-b', tool: 'search', decision: 'allow' },
      { server: '*', tool: 'search', decision: 'deny' },
    ]
    const [finding] = checkPolicy(parsePolicy(rules), keys).filter((one) => one.code === 'unreachable')
    expect(finding).toMatchObject({ severity: 'error', rule: { index: 2 } })
    expect(finding?.message).toContain('rules[0], rules[1]')
  })

  it('does not take a rule over URIs to be unreachable because its templates are taken', () => {
    const rules = [
      { server: 'kb', resource: 'docs://catalog/{name}', decision: 'allow' },
      { server: 'kb', resource: 'docs://*', decision: 'deny' },
    ]
    expect(check(rules)).toEqual([])
  })

  it('lists the pairs left to the default, and those left to it in part', () => {
    const rules = [
      { server: 'shop-a', tool: 'search', decision: 'allow' },
      { server: 'shop-a', tool: 'buy', decision: 'deny', profile: 'guest' },
    ]
    const left = checkPolicy(parsePolicy(rules), keys).filter((one) => one.code === 'left-to-default')
    expect(left.map((one) => [one.keys[0]?.server, one.keys[0]?.name, one.verdict])).toEqual([
      ['shop-a', 'buy', 'ask'],
      ['shop-b', 'search', 'ask'],
      ['kb', 'summary', 'allow'],
      ['kb', 'docs://catalog/{name}', 'allow'],
    ])
    expect(left[0]?.message).toContain('rules[1]')
  })

  it('reports a pattern of denials that no tool could answer with', () => {
    const denials = [
      { server: 'shop-*', tool: 'buy', text: 'no' },
      { server: 'shop_a', text: 'no' },
    ]
    const [finding, ...others] = checkPolicy(parsePolicy({ rules: [], denials }), keys).filter(
      (one) => one.code !== 'left-to-default',
    )
    expect(others).toEqual([])
    expect(finding).toMatchObject({ code: 'matches-nothing', message: expect.stringContaining('denials[1]') })
  })

  it('shows rules whole, with hidden characters written out', () => {
    const rule = { server: 'shop\u200b', tool: 'buy', decision: 'deny', profile: ['ci', 'me'] }
    const when = [
      { pointer: '/amount', atMost: 100 },
      { pointer: '/to', like: '*\u202e' },
    ]
    expect(checkPolicy(parsePolicy([{ ...rule, when }]), keys)[0]?.message).toBe(
      'rules[0] (tool shop⟨U+200B⟩/buy for profile ci or me when /amount atMost 100 and /to like "*⟨U+202E⟩") matches nothing in the lock',
    )
  })

  it('says when a URI is looked at in another spelling too', () => {
    expect(check([{ server: 'kb', resource: 'docs://catalog/%7e', decision: 'deny' }])).toEqual([
      ['odd-spelling', 'warning', 0],
    ])
  })

  it('is silent about a policy that speaks of every pair', () => {
    const rules = [
      ...['shop-a', 'shop-b'].map((server) => ({ server, tool: '*', decision: 'ask' })),
      { server: 'kb', prompt: 'summary', decision: 'allow' },
      { server: 'kb', resource: 'docs://catalog/{name}', decision: 'allow' },
    ]
    expect(checkPolicy(parsePolicy(rules), keys)).toEqual([])
  })
})
