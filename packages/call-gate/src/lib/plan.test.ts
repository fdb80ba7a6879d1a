import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holds } from './condition.ts'
import { createDecider } from './decide.ts'
import { globMatches } from './glob.ts'
import { parsePolicy } from './parse-policy.ts'
import { planFrom } from './plan.ts'
import type { Policy, Rule } from './policy.ts'
import { createRuleIndex } from './rule-index.ts'

const scalar = fc.constantFrom<unknown>(1, 2, 'x', 'y', null, true, '/srv/data', '/srv/data/a')
const any = fc.oneof(scalar, fc.constantFrom<unknown>([1], { a: 1 }, {}))
const bound = fc.constantFrom(0, 1, 2, 3)
const patterns = fc.constantFrom('x', '*', 'x*', '*y', '/srv/*', '*data*', '/s*a')
const pointer = fc.constantFrom('/a', '/b', '/c/d')

const condition = fc
  .tuple(
    pointer,
    fc.oneof(
      any.map((equals) => ({ equals })),
      any.map((notEquals) => ({ notEquals })),
      fc.array(any, { minLength: 1, maxLength: 3 }).map((values) => ({ in: values })),
      fc.array(any, { minLength: 1, maxLength: 3 }).map((values) => ({ notIn: values })),
      patterns.map((like) => ({ like })),
      patterns.map((notLike) => ({ notLike })),
      fc.constantFrom('/', '/srv', '/srv/', '/srv/data', 'x').map((under) => ({ under })),
      bound.map((lessThan) => ({ lessThan })),
      bound.map((atMost) => ({ atMost })),
      bound.map((greaterThan) => ({ greaterThan })),
      bound.map((atLeast) => ({ atLeast })),
      fc.boolean().map((exists) => ({ exists })),
    ),
  )
  .map(([at, comparison]) => ({ pointer: at, ...comparison }))

const rule = fc
  .record({
    server: fc.constantFrom('a', '*', 'a*', 'b'),
    tool: fc.constantFrom('s', '*', 's*', '*s', 't'),
    decision: fc.constantFrom('allow', 'ask', 'deny'),
    when: fc.array(condition, { maxLength: 3 }),
    profile: fc.option(fc.subarray(['p', 'q'], { minLength: 1 }), { freq: 3 }),
  })
  .map(({ when, profile, ...rest }) => ({
    ...rest,
    ...(when.length > 0 ? { when } : {}),
    ...(profile ? { profile } : {}),
  }))

const value = fc.oneof(
  any,
  fc.constantFrom<unknown>(
    0,
    -0,
    2.5,
    Number.NaN,
    '',
    '/',
    '/srv',
    '/srv/data/',
    '/srv/../etc',
    '/srv\0x',
    'xy',
  ),
)
const args = fc
  .record({ a: value, b: value, c: fc.record({ d: value }, { requiredKeys: [] }) }, { requiredKeys: [] })
  .map((one) => ({ ...one }))
const call = fc.record({
  server: fc.constantFrom('a', 'ab', 'b'),
  name: fc.constantFrom('s', 'ss', 'st', 't'),
  args,
  profile: fc.constantFrom('p', 'q', 'r'),
})

const usual = fc.constantFrom('allow', 'ask', 'deny')

const matching = (policy: Policy, server: string, name: string): readonly Rule[] =>
  policy.rules.filter((one) => globMatches(one.server, server) && globMatches(one.name, name))

/** The rules one after the other, as the README says. */
function plainly(rules: readonly Rule[], given: unknown, profile: string, usual: string): [string, string] {
  let floor: Rule | undefined
  let found: [string, string] | undefined
  for (const one of rules) {
    if (one.profiles && !one.profiles.includes(profile)) continue
    const truths = one.when.map((each) => holds(each, given))
    if (truths.includes('no')) continue
    const certain = !truths.includes('undecidable')
    if (certain || one.decision === 'deny') {
      found = [one.decision, one.label]
      // What cannot be decided and denies does so whatever was asked about before.
      if (!certain) return found
      break
    }
    if (one.decision === 'ask') floor ??= one
  }
  found ??= [usual, 'default:tool']
  return floor && found[0] === 'allow' ? ['ask', floor.label] : found
}

describe('a long list of rules', () => {
  it('is decided as the rules one after the other are', () => {
    let long = 0
    const rules = fc.array(rule, { minLength: planFrom, maxLength: 150, size: 'max' })
    fc.assert(
      fc.property(rules, fc.array(call, { minLength: 10, maxLength: 20 }), usual, (sources, calls, tool) => {
        const policy = parsePolicy({ rules: sources, defaults: { tool } })
        const decider = createDecider(policy)
        for (const { server, name, args: given, profile } of calls) {
          const candidates = matching(policy, server, name)
          if (candidates.length >= planFrom && candidates[0]?.when.length) long += 1
          const { verdict, rule: by } = decider.byPolicy(
            { server, kind: 'tool', name },
            given,
            profile,
            undefined,
          )
          expect([verdict, by]).toEqual(plainly(candidates, given, profile, tool))
        }
      }),
      { numRuns: 300 },
    )
    expect(long).toBeGreaterThan(300)
  })

  it('has the rules that match a pair, in their order, each once', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 60 }), fc.array(call, { maxLength: 10 }), (sources, calls) => {
        const policy = parsePolicy(sources)
        const index = createRuleIndex(policy)
        for (const { server, name } of [...calls, ...calls])
          expect(index.candidates('tool', server, name).rules).toEqual(matching(policy, server, name))
        const [one, other] = calls.map(({ server, name }) => index.candidates('tool', server, name))
        if (!one || !other) return
        const both = policy.rules.filter((each) => one.rules.includes(each) || other.rules.includes(each))
        expect(one.and(other).rules).toEqual(both)
        expect(one.and(other).rules).toBe(one.and(other).rules)
      }),
      { numRuns: 300 },
    )
  })
})
