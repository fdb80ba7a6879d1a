import type { Key } from '@truename/tool-registry'
import { describe, expect, it } from 'vitest'
import { createDecider } from './decide.ts'
import { parsePolicy } from './parse-policy.ts'

const tool = (server: string, name: string): Key => ({ server, kind: 'tool', name })
const prompt = (server: string, name: string): Key => ({ server, kind: 'prompt', name })
const resource = (server: string, name: string): Key => ({ server, kind: 'resource', name })

interface Row {
  readonly form: string
  readonly rule: object
  /** Calls the rule decides, and calls it leaves to the default. */
  readonly matches: readonly Key[]
  readonly leaves: readonly Key[]
}

const rows: readonly Row[] = [
  {
    form: 'an exact tool',
    rule: { server: 'shop-a', tool: 'search' },
    matches: [tool('shop-a', 'search')],
    leaves: [
      tool('shop-a', 'Search'),
      tool('Shop-a', 'search'),
      tool('shop-b', 'search'),
      tool('shop-a', 'search '),
      tool('shop-a', 'searc'),
      tool('shop-a', 'ｓearch'),
      tool('shop_a', 'search'),
      tool('shop', 'a/search'),
      prompt('shop-a', 'search'),
      resource('shop-a', 'search'),
    ],
  },
  {
    form: 'a name with separators other programs use',
    rule: { server: 'a.b', tool: 'read' },
    matches: [tool('a.b', 'read')],
    leaves: [tool('a_b', 'read'), tool('a', 'b__read'), tool('a__b', 'read'), tool('ab', 'read')],
  },
  {
    form: 'all tools of a server',
    rule: { server: 'srv', tool: '*' },
    matches: [tool('srv', 'a'), tool('srv', ''), tool('srv', 'a/b\nc'), tool('srv', '*')],
    leaves: [tool('srv2', 'a'), tool('SRV', 'a'), prompt('srv', 'a')],
  },
  {
    form: 'a wildcard inside a tool name',
    rule: { server: 'srv', tool: 'get_*_by_*' },
    matches: [tool('srv', 'get_user_by_id'), tool('srv', 'get__by_'), tool('srv', 'get_a_by_b_by_c')],
    leaves: [tool('srv', 'get_user_by'), tool('srv', 'get_by_id'), tool('srv', 'forget_user_by_id')],
  },
  {
    form: 'a wildcard over servers, as written',
    rule: { server: 'shop-*', tool: 'search' },
    matches: [tool('shop-', 'search'), tool('shop-a', 'search'), tool('shop-*', 'search')],
    leaves: [tool('shop', 'search'), tool('workshop-a', 'search'), tool('shop-a', 'buy')],
  },
  {
    form: 'a literal asterisk',
    rule: { server: 'srv', tool: 'a\\*b' },
    matches: [tool('srv', 'a*b')],
    leaves: [tool('srv', 'axb'), tool('srv', 'a\\*b')],
  },
  {
    form: 'a literal backslash',
    rule: { server: 'srv', tool: 'a\\\\*' },
    matches: [tool('srv', 'a\\b'), tool('srv', 'a\\')],
    leaves: [tool('srv', 'a'), tool('srv', 'a*')],
  },
  {
    form: 'names of members every object has',
    rule: { server: 'constructor', tool: '__proto__' },
    matches: [tool('constructor', '__proto__')],
    leaves: [tool('toString', '__proto__'), tool('constructor', 'constructor')],
  },
  {
    form: 'a prompt',
    rule: { server: 'kb', prompt: 'summary' },
    matches: [prompt('kb', 'summary')],
    leaves: [prompt('kb', 'Summary'), tool('kb', 'summary'), prompt('kb2', 'summary')],
  },
  {
    form: 'an exact URI',
    rule: { server: 'kb', resource: 'docs://catalog/a%20b' },
    matches: [resource('kb', 'docs://catalog/a%20b')],
    leaves: [
      resource('kb', 'docs://catalog/a b'),
      resource('kb', 'docs://catalog/A%20b'),
      resource('kb', 'docs://catalog/a+b'),
      resource('kb2', 'docs://catalog/a%20b'),
    ],
  },
  {
    form: 'a template whose expression holds an asterisk',
    rule: { server: 'kb', resource: 'file://{/path*}' },
    matches: [resource('kb', 'file://{/path*}')],
    leaves: [
      resource('kb', 'file://{/path}'),
      resource('kb', 'file://{/pathology}'),
      resource('kb', 'file:///a'),
    ],
  },
  {
    form: 'a wildcard over URIs',
    rule: { server: 'kb', resource: 'docs://catalog/*' },
    matches: [
      resource('kb', 'docs://catalog/a'),
      resource('kb', 'docs://catalog/a/b?c#d'),
      resource('kb', 'docs://catalog/{name}'),
    ],
    leaves: [resource('kb', 'docs://other/a'), resource('kb', 'DOCS://catalog/a')],
  },
]

const opposite = { allow: 'deny', deny: 'allow', ask: 'deny' } as const

describe('every form of a rule', () => {
  for (const { form, rule, matches, leaves } of rows) {
    for (const decision of ['allow', 'ask', 'deny'] as const) {
      it(`${decision}s ${form} and nothing else`, () => {
        const word = opposite[decision]
        const defaults = { tool: word, prompt: word, resource: word }
        const decider = createDecider(parsePolicy({ rules: [{ ...rule, decision }], defaults }))
        const verdict = (key: Key) => decider.byPolicy(key, {}, 'default', undefined)
        for (const key of matches)
          expect(verdict(key), JSON.stringify(key)).toMatchObject({ verdict: decision, rule: 'rules[0]' })
        for (const key of leaves)
          expect(verdict(key), JSON.stringify(key)).toMatchObject({
            verdict: word,
            rule: `default:${key.kind}`,
          })
      })
    }
  }

  it.each([
    ['a tool', tool('kb', 'x'), 'ask'],
    ['a prompt', prompt('kb', 'x'), 'allow'],
    ['a resource', resource('kb', 'x:/y'), 'allow'],
  ] as const)('leaves %s without a rule to the usual default', (_, key, verdict) => {
    const decision = createDecider(parsePolicy([])).byPolicy(key, {}, 'default', undefined)
    expect(decision).toMatchObject({ verdict, rule: `default:${key.kind}` })
  })

  it('takes the first rule that matches, narrow or wide', () => {
    const wide = { server: '*', tool: '*', decision: 'deny' }
    const narrow = { server: 'kb', tool: 'search', decision: 'allow' }
    const first = (rules: unknown) =>
      createDecider(parsePolicy(rules)).byPolicy(tool('kb', 'search'), {}, 'default', undefined)
    expect(first([narrow, wide])).toMatchObject({ verdict: 'allow', rule: 'rules[0]' })
    expect(first([wide, narrow])).toMatchObject({ verdict: 'deny', rule: 'rules[0]' })
    expect(first([{ ...narrow, tool: 'Search' }, wide, narrow])).toMatchObject({ rule: 'rules[1]' })
  })

  it('looks at the profile of the caller, exactly', () => {
    const policy = parsePolicy([
      { server: 'kb', tool: 'search', decision: 'allow', profile: ['ci', 'desktop'] },
      { server: 'kb', tool: 'search', decision: 'deny', profile: 'guest' },
    ])
    const verdict = (profile: string) =>
      createDecider(policy).byPolicy(tool('kb', 'search'), {}, profile, undefined).verdict
    expect(['ci', 'desktop', 'guest', 'CI', 'default', ''].map(verdict)).toEqual([
      'allow',
      'allow',
      'deny',
      'ask',
      'ask',
      'ask',
    ])
  })

  it("repeats the operator's reason", () => {
    const policy = parsePolicy([{ server: 'kb', tool: 'drop', decision: 'deny', reason: 'ask Ada first' }])
    expect(createDecider(policy).byPolicy(tool('kb', 'drop'), {}, 'default', undefined).reason).toBe(
      'ask Ada first',
    )
  })
})

describe('a reading', () => {
  const template = 'docs://catalog/{name}'
  const verdict = (rules: unknown, uri: string, from: string | undefined = template) =>
    createDecider(parsePolicy(rules)).byPolicy(resource('kb', uri), undefined, 'default', from).verdict

  it('is decided on its template and on its URI, whichever rule comes first', () => {
    const rules = [
      { server: 'kb', resource: 'docs://catalog/secret', decision: 'deny' },
      { server: 'kb', resource: template, decision: 'ask' },
    ]
    expect(verdict(rules, 'docs://catalog/secret')).toBe('deny')
    expect(verdict([...rules].reverse(), 'docs://catalog/secret')).toBe('ask')
    expect(verdict(rules, 'docs://catalog/open')).toBe('ask')
    expect(verdict(rules, 'docs://catalog/open', undefined)).toBe('ask')
    expect(
      createDecider(parsePolicy(rules)).byPolicy(
        resource('kb', 'docs://catalog/open'),
        undefined,
        'default',
        undefined,
      ).verdict,
    ).toBe('allow')
  })

  it.each([
    'docs://private/%61',
    'docs://%70rivate/a',
    'docs://x/../private/a',
    'docs://private/./a',
    'docs://private/b/%2E%2e/a',
  ])('is held by a rule for the plain spelling of %s', (uri) => {
    const rules = [
      { server: 'kb', resource: 'docs://public/*', decision: 'allow' },
      { server: 'kb', resource: 'docs://private/*', decision: 'deny' },
      { server: 'kb', resource: 'docs://x/private/*', decision: 'deny' },
    ]
    expect(verdict(rules, uri, undefined)).toBe('deny')
  })

  it('is never let through by a needless escape or a dot segment', () => {
    const rules = [{ server: 'kb', resource: 'docs://h/public/*', decision: 'allow' }]
    const policy = { rules, defaults: { resource: 'deny' } }
    expect(verdict(policy, 'docs://h/public/a', undefined)).toBe('allow')
    expect(verdict(policy, 'docs://h/public/../private/a', undefined)).toBe('deny')
    expect(verdict(policy, 'docs://h/public/%2e%2e/private/a', undefined)).toBe('deny')
  })
})
