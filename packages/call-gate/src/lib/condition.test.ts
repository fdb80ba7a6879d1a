import { describe, expect, it } from 'vitest'
import { holds, type Truth } from './condition.ts'
import { createDecider } from './decide.ts'
import { parsePolicy } from './parse-policy.ts'

const truth = (condition: object, args: unknown): Truth => {
  const policy = parsePolicy([{ server: 'kb', tool: 'x', decision: 'allow', when: [condition] }])
  const [read] = policy.rules[0]?.when ?? []
  if (!read) throw new Error('no condition')
  return holds(read, args)
}

const at = (pointer: string, comparison: object) => ({ pointer, ...comparison })

describe('a condition', () => {
  it.each<[object, unknown, Truth]>([
    [at('/a', { equals: 1 }), { a: 1 }, 'yes'],
    [at('/a', { equals: 1 }), { a: '1' }, 'no'],
    [at('/a', { equals: 1 }), {}, 'undecidable'],
    [at('/a', { equals: null }), { a: null }, 'yes'],
    [at('/a', { equals: null }), {}, 'undecidable'],
    [at('/a', { equals: { x: [1, { y: 2 }], z: 0 } }), { a: { z: -0, x: [1, { y: 2 }] } }, 'yes'],
    [at('/a', { equals: { x: 1 } }), { a: { x: 1, y: 1 } }, 'no'],
    [at('/a', { equals: {} }), { a: [] }, 'no'],
    [at('/a', { notEquals: 'prod' }), { a: 'test' }, 'yes'],
    [at('/a', { notEquals: 'prod' }), { a: 'prod' }, 'no'],
    [at('/a', { notEquals: 'prod' }), {}, 'undecidable'],
    [at('/a', { in: ['x', 'y'] }), { a: 'y' }, 'yes'],
    [at('/a', { in: ['x', 'y'] }), { a: 'Y' }, 'no'],
    [at('/a', { notIn: ['x'] }), { a: 'y' }, 'yes'],
    [at('/a', { notIn: ['x'] }), { a: 'x' }, 'no'],
    [at('/a', { like: '*.md' }), { a: 'b.md' }, 'yes'],
    [at('/a', { like: '*.md' }), { a: 'b.MD' }, 'no'],
    [at('/a', { like: '*.md' }), { a: ['b.md'] }, 'undecidable'],
    [at('/a', { notLike: '*.md' }), { a: 'b.txt' }, 'yes'],
    [at('/a', { notLike: '*.md' }), { a: 7 }, 'undecidable'],
    [at('/a', { under: '/srv/data' }), { a: '/srv/data/x' }, 'yes'],
    [at('/a', { under: '/srv/data/' }), { a: '/srv/data' }, 'yes'],
    [at('/a', { under: '/srv/data' }), { a: '/srv/database' }, 'no'],
    [at('/a', { under: '/srv/data' }), { a: '/srv/data/../../etc/passwd' }, 'undecidable'],
    [at('/a', { under: '/srv/data' }), { a: '/srv/data\\..\\..\\x' }, 'undecidable'],
    [at('/a', { under: '/srv/data' }), { a: '/srv/data/x\0/../y' }, 'undecidable'],
    [at('/a', { under: '/srv' }), { a: '/srv/v1..v2/.env' }, 'yes'],
    [at('/a', { lessThan: 10 }), { a: 9.5 }, 'yes'],
    [at('/a', { lessThan: 10 }), { a: 10 }, 'no'],
    [at('/a', { atMost: 10 }), { a: 10 }, 'yes'],
    [at('/a', { atMost: 10 }), { a: '10' }, 'undecidable'],
    [at('/a', { greaterThan: 10 }), { a: 10 }, 'no'],
    [at('/a', { atLeast: 10 }), { a: 10 }, 'yes'],
    [at('/a', { exists: true }), { a: null }, 'yes'],
    [at('/a', { exists: true }), {}, 'no'],
    [at('/a', { exists: false }), {}, 'yes'],
    [at('/toString', { exists: true }), {}, 'no'],
    [at('/a/0/b~1c~0', { equals: 1 }), { a: [{ 'b/c~': 1 }] }, 'yes'],
    [at('/a/00', { exists: true }), { a: [1] }, 'no'],
    [at('/a/-', { exists: true }), { a: [1] }, 'no'],
    [at('/a/length', { exists: true }), { a: [1] }, 'no'],
    [at('', { equals: {} }), {}, 'yes'],
    [at('/', { equals: 1 }), { '': 1 }, 'yes'],
    [at('/a', { exists: true }), undefined, 'no'],
  ])('%j on %j: %s', (condition, args, expected) => {
    expect(truth(condition, args)).toBe(expected)
  })
})

describe('a rule whose condition cannot be decided', () => {
  const key = { server: 'pay', kind: 'tool', name: 'send' } as const
  const decide = (rules: readonly object[], args: unknown) =>
    createDecider(parsePolicy(rules.map((rule) => ({ server: 'pay', tool: 'send', ...rule })))).byPolicy(
      key,
      args,
      'default',
      undefined,
    )
  const small = { when: [{ pointer: '/amount', atMost: 100 }] }
  const large = { when: [{ pointer: '/amount', greaterThan: 100 }] }

  it.each([{ amount: '1000' }, {}, { amount: null }, { amount: [5] }])(
    'never allows, always restricts: %j',
    (args) => {
      expect(decide([{ decision: 'allow', ...small }, { decision: 'deny' }], args).verdict).toBe('deny')
      expect(decide([{ decision: 'deny', ...large }, { decision: 'allow' }], args).verdict).toBe('deny')
      expect(decide([{ decision: 'ask', ...large }, { decision: 'allow' }], args).verdict).toBe('ask')
    },
  )

  it('does not soften a later rule that denies', () => {
    const rules = [{ decision: 'ask', ...small }, { decision: 'deny' }]
    expect(decide(rules, { amount: 50 }).verdict).toBe('ask')
    expect(decide(rules, { amount: '50' }).verdict).toBe('deny')
  })

  it('says which argument it could not decide on', () => {
    const { rule, reason } = decide([{ decision: 'deny', ...large }], {})
    expect(rule).toBe('rules[0]')
    expect(reason).toContain('/amount')
  })

  it('lets an absent argument pass where the rule asks for its presence too', () => {
    const careful = { decision: 'deny', when: [{ pointer: '/amount', exists: true }, ...large.when] }
    expect(decide([careful, { decision: 'allow' }], {}).verdict).toBe('allow')
    expect(decide([careful, { decision: 'allow' }], { amount: 500 }).verdict).toBe('deny')
  })
})
