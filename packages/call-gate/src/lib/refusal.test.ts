import type { Key } from '@truename/tool-registry'
import { describe, expect, it } from 'vitest'
import { memoryApprovals } from './approvals.ts'
import type { Call } from './call.ts'
import { createGate } from './gate.ts'
import { parsePolicy } from './parse-policy.ts'
import { refusalError, refusalResult, refusalText } from './refusal.ts'

const tool = (server: string, name: string): Key => ({ server, kind: 'tool', name })
const search = tool('shop-a', 'search')
const call = (more: Partial<Call> = {}): Call => ({
  key: search,
  args: { q: 'tea' },
  pin: { state: 'approved', digest: 'd1' },
  caller: { profile: 'default' },
  ...more,
})
const start = (policy: unknown = []) => ({
  gate: createGate({ policy: parsePolicy(policy), approvals: memoryApprovals() }),
})

describe('a refusal', () => {
  const hidden: Key = tool('shop\u200b', 'a\u001b[2J\n  forged line')

  it('is a tool error for a model, in one line, with no text of the server', async () => {
    const { gate } = start()
    const admitted = await gate.admit(
      call({ key: hidden, pin: { state: 'held', field: 'inputSchema', reason: 'changed' } }),
    )
    const { content, isError } = refusalResult(hidden, admitted)
    expect(isError).toBe(true)
    expect(content[0]?.text).toContain('inputSchema')
    expect(content[0]?.text).toContain('Nothing was sent to the server')
    expect(content[0]?.text).not.toMatch(/[\u200b\u001b\n]/)
  })

  it('names the open question where a person was asked', async () => {
    const { gate } = start()
    const admitted = await gate.admit(call())
    if (admitted.verdict !== 'ask') throw new Error('expected a question')
    expect(refusalText(search, admitted)).toContain(admitted.request.id)
  })

  it('is a JSON-RPC error for prompts and readings', () => {
    const key: Key = { server: 'kb', kind: 'prompt', name: 'summary' }
    const { gate } = start([{ server: 'kb', prompt: '*', decision: 'deny' }])
    const decision = gate.decide(call({ key }))
    expect(refusalError(key, decision)).toMatchObject({
      code: -32000,
      data: { verdict: 'deny', rule: 'rules[0]' },
    })
  })
})
