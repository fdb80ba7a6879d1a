import { describe, expect, it } from 'vitest'
import { memoryApprovals } from './approvals.ts'
import type { Call } from './call.ts'
import { comparePolicies } from './compare-policies.ts'
import { createGate } from './gate.ts'
import { parsePolicy } from './parse-policy.ts'

const allow = { server: 'kb', tool: 'search', decision: 'allow' }
const deny = { server: 'kb', tool: 'drop', decision: 'deny' }
const askAll = { server: 'kb', tool: '*', decision: 'ask' }
const small = [{ pointer: '/n', atMost: 10 }]

const widenings = (before: unknown, after: unknown) =>
  comparePolicies(parsePolicy(before), parsePolicy(after)).map(
    ({ by, before: held, from, to }) => `${by}: ${held} ${from} → ${to}`,
  )

describe('comparing policies', () => {
  it.each<[string, unknown, unknown]>([
    ['a rule that allows is dropped', [allow, deny], [deny]],
    ['a rule that denies is added', [allow], [deny, allow]],
    ['a rule that denies is added for a part', [askAll], [deny, askAll]],
    ['allow becomes ask', [allow], [{ ...allow, decision: 'ask' }]],
    ['ask becomes deny', [askAll], [{ ...askAll, decision: 'deny' }]],
    ['a condition is put on what is allowed', [allow], [{ ...allow, when: small }]],
    ['what is allowed is kept to a profile', [allow], [{ ...allow, profile: 'ci' }]],
    ['a wildcard becomes a name', [{ ...allow, tool: '*' }], [allow]],
    ['unrelated rules change places', [allow, deny], [deny, allow]],
    ['a default becomes stricter', { rules: [] }, { rules: [], defaults: { tool: 'deny', prompt: 'ask' } }],
    ['a rule repeats the default', [], [askAll]],
    [
      'a profile may no longer answer',
      { rules: [], elicitation: ['a', 'b'] },
      { rules: [], elicitation: ['b'] },
    ],
    ['conditions stay', [{ ...deny, when: small }, askAll], [{ ...deny, when: small }, askAll]],
    ['a denial loses its condition', [{ ...deny, when: small }, askAll], [deny, askAll]],
  ])('finds nothing wider where %s', (_, before, after) => {
    expect(widenings(before, after)).toEqual([])
  })

  it.each<[string, unknown, unknown, string[]]>([
    ['a rule that allows is added', [], [allow], ['rules[0]: default:tool ask → allow']],
    ['a rule that denies is dropped', [deny, askAll], [askAll], ['rules[0]: rules[0] deny → ask']],
    ['deny becomes ask', [deny], [{ ...deny, decision: 'ask' }], ['rules[0]: rules[0] deny → ask']],
    [
      'a name becomes a wildcard',
      [allow],
      [{ ...allow, tool: 'sea*' }],
      ['rules[0]: default:tool ask → allow'],
    ],
    [
      'a server becomes a wildcard',
      [allow],
      [{ ...allow, server: 'kb*' }],
      ['rules[0]: default:tool ask → allow'],
    ],
    [
      'a condition is taken off',
      [{ ...allow, when: small }],
      [allow],
      ['rules[0]: default:tool ask → allow'],
    ],
    [
      'a denial gets a condition',
      [deny, askAll],
      [{ ...deny, when: small }, askAll],
      ['rules[1]: rules[0] deny → ask'],
    ],
    [
      'related rules change places',
      [deny, { ...askAll, decision: 'allow' }],
      [{ ...askAll, decision: 'allow' }, deny],
      ['rules[0]: rules[0] deny → allow'],
    ],
    [
      'a default becomes laxer',
      { rules: [], defaults: { resource: 'ask' } },
      [],
      ['default:resource: default:resource ask → allow'],
    ],
    [
      'a profile may answer',
      [],
      { rules: [], elicitation: ['desktop'] },
      ['elicitation: elicitation deny → allow'],
    ],
    [
      'an undecided ask no longer leads to a denial',
      [{ ...deny, decision: 'ask', when: small }, deny],
      [{ ...deny, decision: 'ask' }],
      ['rules[0]: rules[1] deny → ask'],
    ],
  ])('finds what is wider where %s', (_, before, after, expected) => {
    expect(widenings(before, after)).toEqual(expected)
  })

  it('compares hundreds of rules with hundreds', () => {
    const rules = Array.from({ length: 400 }, (_, at) => ({
      server: `s${at % 20}`,
      tool: `t${at}`,
      decision: at % 3 === 0 ? 'deny' : 'allow',
    }))
    expect(widenings(rules, rules)).toEqual([])
    expect(widenings(rules, rules.toSpliced(300, 1))).toEqual(['default:tool: rules[300] deny → ask'])
  })
})

describe('a changed policy', () => {
  const call = (name: string): Call => ({
    key: { server: 'kb', kind: 'tool', name },
    args: {},
    pin: { state: 'approved', digest: 'd1' },
    caller: { profile: 'default' },
  })
  const gateOf = (policy: unknown) =>
    createGate({ policy: parsePolicy(policy), approvals: memoryApprovals() })

  it('narrows at once', () => {
    const gate = gateOf([allow])
    expect(gate.reload(parsePolicy([]))).toEqual({ state: 'applied', revision: 1, widenings: [] })
    expect(gate.decide(call('search')).verdict).toBe('ask')
  })

  it('narrows at once and widens only when a person confirms', () => {
    const gate = gateOf([allow])
    const reload = gate.reload(parsePolicy([{ ...allow, tool: 'drop' }]))
    expect(reload.state).toBe('narrowed')
    expect(reload.widenings).toMatchObject([{ by: 'rules[0]', from: 'ask', to: 'allow' }])
    expect(gate.decide(call('search')).verdict).toBe('ask')
    expect(gate.decide(call('drop')).verdict).toBe('ask')
    expect(gate.waiting()).toEqual(reload)
    const { revision } = reload
    for (const channel of ['file', 'elicitation'] as const) {
      expect(gate.confirm({ channel, who: 'x', revision })).toMatchObject({
        ok: false,
        code: 'channel-may-not-grant',
      })
    }
    expect(gate.decide(call('drop')).verdict).toBe('ask')
    expect(gate.confirm({ channel: 'terminal', who: 'ada', revision })).toEqual({ ok: true })
    expect(gate.decide(call('drop')).verdict).toBe('allow')
    expect(gate.waiting()).toBeUndefined()
  })

  it('is confirmed as it was shown, not as it is by then', () => {
    const gate = gateOf([])
    const { revision } = gate.reload(parsePolicy([allow]))
    gate.reload(parsePolicy([{ ...allow, tool: '*' }]))
    const word = { channel: 'console', who: 'ada' } as const
    expect(gate.confirm({ ...word, revision })).toMatchObject({ ok: false, code: 'changed-since' })
    expect(gate.decide(call('drop')).verdict).toBe('ask')
    expect(gate.confirm({ ...word, revision: gate.waiting()?.revision ?? -1 })).toEqual({ ok: true })
    expect(gate.decide(call('drop')).verdict).toBe('allow')
  })

  it('does not widen by going back to what held before', () => {
    const gate = gateOf([allow])
    gate.reload(parsePolicy([]))
    expect(gate.reload(parsePolicy([allow])).state).toBe('narrowed')
    expect(gate.decide(call('search')).verdict).toBe('ask')
  })

  it('keeps few policies in force, however often a file changes', () => {
    const gate = gateOf([])
    for (let round = 0; round < 50; round += 1) {
      gate.reload(parsePolicy([allow]))
      gate.reload(parsePolicy([{ ...allow, tool: 'drop' }]))
    }
    expect(gate.policies().length).toBeLessThanOrEqual(3)
  })

  it('takes the word of a client only where every policy in force does', async () => {
    const gate = gateOf({ rules: [], elicitation: ['default'] })
    gate.reload(parsePolicy({ rules: [allow], elicitation: [] }))
    const asked = await gate.admit(call('drop'))
    if (asked.verdict !== 'ask') throw new Error('expected a question')
    const answer = { verdict: 'allow', scope: 'call', channel: 'elicitation', who: 'client' } as const
    expect(await gate.answer(asked.request.id, answer)).toMatchObject({
      ok: false,
      code: 'profile-not-marked',
    })
  })
})
