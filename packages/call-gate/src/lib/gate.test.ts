import type { Key } from '@truename/tool-registry'
import { describe, expect, it } from 'vitest'
import { memoryApprovals } from './approvals.ts'
import type { Call } from './call.ts'
import { createGate } from './gate.ts'
import { parsePolicy } from './parse-policy.ts'

const tool = (server: string, name: string): Key => ({ server, kind: 'tool', name })
const call = (key: Key, more: Partial<Call> = {}): Call => ({
  key,
  args: {},
  pin: { state: 'approved', digest: 'd1' },
  caller: { profile: 'default' },
  ...more,
})
const gateOf = (policy: unknown) => createGate({ policy: parsePolicy(policy), approvals: memoryApprovals() })

describe('decide', () => {
  it('decides on the pair, by the first rule that matches', () => {
    const gate = gateOf([
      { server: 'shop-a', tool: 'search', decision: 'allow' },
      { server: 'shop-a', tool: '*', decision: 'deny' },
    ])
    expect(gate.decide(call(tool('shop-a', 'search')))).toMatchObject({ verdict: 'allow', rule: 'rules[0]' })
    expect(gate.decide(call(tool('shop-a', 'Search')))).toMatchObject({ verdict: 'deny', rule: 'rules[1]' })
    expect(gate.decide(call(tool('shop-b', 'search')))).toMatchObject({
      verdict: 'ask',
      rule: 'default:tool',
    })
  })

  it('refuses what is not approved, whatever the policy says', () => {
    const gate = gateOf([{ server: '*', tool: '*', decision: 'allow' }])
    const key = tool('shop-a', 'search')
    expect(gate.decide(call(key, { pin: { state: 'unknown' } }))).toMatchObject({
      verdict: 'deny',
      rule: 'pin',
    })
    const held = gate.decide(call(key, { pin: { state: 'held', field: 'description', reason: 'changed' } }))
    expect(held).toMatchObject({ verdict: 'deny', rule: 'pin' })
    expect(held.reason).toContain('description')
  })

  it('decides a reading on its template and on its exact URI', () => {
    const gate = gateOf([
      { server: 'kb', resource: 'docs://catalog/secret', decision: 'deny' },
      { server: 'kb', resource: 'docs://catalog/{name}', decision: 'ask' },
    ])
    const read = (name: string) =>
      gate.decide(call({ server: 'kb', kind: 'resource', name }, { template: 'docs://catalog/{name}' }))
        .verdict
    expect(read('docs://catalog/secret')).toBe('deny')
    expect(read('docs://catalog/%73ecret')).toBe('deny')
    expect(read('docs://catalog/open')).toBe('ask')
  })
})

describe('admit', () => {
  it('asks a person, and uses an answer for one call once', async () => {
    const gate = gateOf([])
    const one = call(tool('shop-a', 'search'), { args: { q: 'tea' } })
    const asked = await gate.admit(one)
    if (asked.verdict !== 'ask') throw new Error('expected a question')
    const answer = { verdict: 'allow', scope: 'call', channel: 'terminal', who: 'ada' } as const
    expect((await gate.answer(asked.request.id, answer)).ok).toBe(true)
    expect(await gate.admit(one)).toMatchObject({ verdict: 'allow', approval: { answer: { who: 'ada' } } })
    expect((await gate.admit(one)).verdict).toBe('ask')
  })

  it('waits for the answer where it is told to', async () => {
    const gate = gateOf([])
    const admitted = await gate.admit(call(tool('shop-a', 'search')), {
      wait: 10_000,
      onAsk: ({ id }) =>
        void gate.answer(id, { verdict: 'deny', scope: 'call', channel: 'console', who: 'ada' }),
    })
    expect(admitted).toMatchObject({ verdict: 'deny', approval: { answer: { channel: 'console' } } })
  })
})
