import { describe, expect, it } from 'vitest'
import { memoryApprovals } from './approvals.ts'
import type { Call } from './call.ts'
import { createGate } from './gate.ts'
import { createLoopBreaker } from './loop-breaker.ts'
import { parsePolicy } from './parse-policy.ts'
import { refusalResult } from './refusal.ts'

const call = (args: unknown = {}, more: Partial<Call> = {}): Call => ({
  key: { server: 'shop-a', kind: 'tool', name: 'buy' },
  args,
  pin: { state: 'approved', digest: 'd1' },
  caller: { profile: 'default', id: 'session-1' },
  ...more,
})

const start = (policy: unknown) => {
  let time = 0
  const clock = () => time
  const approvals = memoryApprovals({ clock })
  const gate = createGate({ policy: parsePolicy(policy), approvals, loop: { refusals: 3, within: 1000 } })
  return { gate, approvals, pass: (ms: number) => (time += ms) }
}

const allow = [{ server: 'shop-a', tool: '*', decision: 'allow' }]
const deny = [{ server: 'shop-a', tool: '*', decision: 'deny' }]
const denied = { kind: 'result', value: { content: [{ type: 'text', text: 'Permission denied' }] } } as const

describe('a call that is refused again and again', () => {
  it('is cut short, and the model is told to stop', async () => {
    const { gate } = start(deny)
    const rules: string[] = []
    for (let round = 0; round < 5; round += 1) rules.push((await gate.admit(call({ n: 1 }))).rule)
    expect(rules).toEqual(['rules[0]', 'rules[0]', 'rules[0]', 'loop', 'loop'])
    const last = await gate.admit(call({ n: 1 }))
    expect(last).toMatchObject({ verdict: 'deny', repeated: 5 })
    expect(last.reason).toContain('the policy refuses shop-a/*')
    expect(refusalResult(call().key, last).content[0]?.text).toContain('Do not make this call again')
  })

  it.each<[string, Call]>([
    ['arguments', call({ n: 2 })],
    ['session', call({ n: 1 }, { caller: { profile: 'default', id: 'session-2' } })],
    ['profile', call({ n: 1 }, { caller: { profile: 'ci', id: 'session-1' } })],
    ['tool', call({ n: 1 }, { key: { server: 'shop-a', kind: 'tool', name: 'Buy' } })],
  ])('is not taken for one with another %s', async (_, other) => {
    const { gate } = start(deny)
    for (let round = 0; round < 4; round += 1) await gate.admit(call({ n: 1 }))
    expect((await gate.admit(other)).rule).toBe('rules[0]')
  })

  it('is the same call however its arguments are spelled', async () => {
    const { gate } = start(deny)
    for (const args of [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { b: 2.0, a: 1 },
    ])
      await gate.admit(call(args))
    expect((await gate.admit(call({ a: 1, b: 2 }))).rule).toBe('loop')
  })

  it('may be tried again after a while', async () => {
    const { gate, pass } = start(deny)
    for (let round = 0; round < 4; round += 1) await gate.admit(call())
    pass(1000)
    expect((await gate.admit(call())).rule).toBe('rules[0]')
  })

  it('may be tried again at once where a person changed what it is decided by', async () => {
    const { gate } = start(deny)
    for (let round = 0; round < 4; round += 1) await gate.admit(call())
    gate.forgetRefusals()
    expect((await gate.admit(call())).rule).toBe('rules[0]')
  })

  it('is not put before a person again, until one allows it', async () => {
    const { gate } = start([])
    const no = { verdict: 'deny', scope: 'call', channel: 'console', who: 'ada' } as const
    for (let round = 0; round < 3; round += 1) {
      const asked = await gate.admit(call())
      if (asked.verdict !== 'ask') throw new Error('expected a question')
      await gate.answer(asked.request.id, no)
      expect((await gate.admit(call())).verdict).toBe('deny')
    }
    expect(await gate.admit(call())).toMatchObject({ verdict: 'deny', rule: 'loop' })
    const other = await gate.admit(call({ n: 2 }))
    if (other.verdict !== 'ask') throw new Error('expected a question')
    await gate.answer(other.request.id, { ...no, verdict: 'allow', scope: 'pair' })
    expect((await gate.admit(call())).verdict).toBe('allow')
  })

  it('goes through once a person allowed it in another process', async () => {
    const { gate, approvals } = start([])
    const no = { verdict: 'deny', scope: 'call', channel: 'terminal', who: 'ada' } as const
    for (let round = 0; round < 3; round += 1) {
      const asked = await gate.admit(call())
      if (asked.verdict !== 'ask') throw new Error('expected a question')
      await approvals.answer(asked.request.id, no)
      await gate.admit(call())
    }
    const other = await gate.admit(call({ n: 2 }))
    if (other.verdict !== 'ask') throw new Error('expected a question')
    await approvals.answer(other.request.id, { ...no, verdict: 'allow', scope: 'pair' })
    expect(gate.decide(call()).verdict).toBe('ask')
    expect((await gate.admit(call())).verdict).toBe('allow')
  })

  it('counts where the server refuses in plain content, and no longer goes there', () => {
    const { gate } = start({ rules: allow, denials: [{ server: 'shop-a', text: 'permission denied' }] })
    for (let round = 0; round < 3; round += 1) {
      expect(gate.decide(call()).verdict).toBe('allow')
      expect(gate.settle(call(), denied)).toMatchObject({
        class: 'refused',
        by: 'server',
        denial: 'Permission denied',
      })
    }
    expect(gate.decide(call())).toMatchObject({ verdict: 'deny', rule: 'loop', repeated: 3 })
    expect(gate.decide(call({ other: true })).verdict).toBe('allow')
  })

  it('is forgotten when it goes through', () => {
    const { gate } = start({ rules: allow, denials: [{ server: 'shop-a', text: 'permission denied' }] })
    gate.settle(call(), denied)
    gate.settle(call(), denied)
    gate.settle(call(), { kind: 'result', value: { content: [] } })
    gate.settle(call(), denied)
    expect(gate.decide(call()).verdict).toBe('allow')
  })

  it('does not fill the memory, whatever a caller sends', () => {
    const breaker = createLoopBreaker(() => 0, { refusals: 1 })
    for (let at = 0; at < 3000; at += 1) {
      breaker.refused(call({}, { caller: { profile: 'p', id: `session-${at}` } }))
      breaker.refused(call({ at }))
    }
    expect(breaker.repeated(call({}, { caller: { profile: 'p', id: 'session-0' } }))).toBeUndefined()
    expect(breaker.repeated(call({}, { caller: { profile: 'p', id: 'session-2999' } }))).toBe(1)
    expect(breaker.repeated(call({ at: 0 }))).toBeUndefined()
    expect(breaker.repeated(call({ at: 2999 }))).toBe(1)
  })
})
