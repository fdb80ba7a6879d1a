import type { Key } from '@truename/tool-registry'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Answer } from './approval.ts'
import { memoryApprovals } from './approvals.ts'
import type { Call } from './call.ts'
import { createGate } from './gate.ts'
import { parsePolicy } from './parse-policy.ts'

const tool = (server: string, name: string): Key => ({ server, kind: 'tool', name })
const search = tool('shop-a', 'search')
const call = (more: Partial<Call> = {}): Call => ({
  key: search,
  args: { q: 'tea' },
  pin: { state: 'approved', digest: 'd1' },
  caller: { profile: 'default' },
  endpoint: 'e1',
  ...more,
})
const start = (policy: unknown = []) => {
  const approvals = memoryApprovals()
  return { approvals, gate: createGate({ policy: parsePolicy(policy), approvals }) }
}
const says = (more: Partial<Answer> = {}): Omit<Answer, 'at'> => ({
  verdict: 'allow',
  scope: 'call',
  channel: 'terminal',
  who: 'ada',
  ...more,
})

const ask = async (gate: ReturnType<typeof createGate>, of: Call): Promise<string> => {
  const asked = await gate.admit(of)
  if (asked.verdict !== 'ask') throw new Error(`expected a question, got ${asked.verdict} by ${asked.rule}`)
  return asked.request.id
}

afterEach(() => vi.useRealTimers())

describe('decide', () => {
  const annotated = {
    key: search,
    pin: { state: 'approved', digest: 'd1' },
    caller: { profile: 'default' },
  } as const

  it('has no place for what a server says of itself', () => {
    const { gate } = start()
    const claims = { annotations: { readOnlyHint: true, destructiveHint: false }, readOnlyHint: true }
    expect(gate.decide({ ...annotated, ...claims }).verdict).toBe('ask')
    expect(gate.decide({ ...annotated, args: claims }).verdict).toBe('ask')
  })

  it('takes the server from the key alone, never from the arguments', () => {
    const { gate } = start([{ server: 'shop-b', tool: 'search', decision: 'allow' }])
    expect(gate.decide(call({ args: { server: 'shop-b', tool: 'search' } })).verdict).toBe('ask')
  })

  it('says that a held definition moved, and never shows the new text', () => {
    const { gate } = start()
    const decision = gate.decide(call({ pin: { state: 'held', field: 'description', reason: 'changed' } }))
    expect(decision).toMatchObject({
      verdict: 'deny',
      rule: 'pin',
      reason: expect.stringContaining('description'),
    })
  })

  it('lets a server that the operator excepted from pinning go on by the policy', () => {
    const { gate } = start([{ server: 'shop-a', tool: 'search', decision: 'allow' }])
    expect(gate.decide(call({ pin: { state: 'live' } })).verdict).toBe('allow')
    expect(gate.decide(call({ pin: { state: 'live' }, key: tool('shop-a', 'buy') })).verdict).toBe('ask')
  })
})

describe('admit', () => {
  it('lets through and refuses without asking where the policy says so', async () => {
    const { gate, approvals } = start([
      { server: 'shop-a', tool: 'search', decision: 'allow' },
      { server: 'shop-a', tool: 'buy', decision: 'deny' },
    ])
    expect((await gate.admit(call())).verdict).toBe('allow')
    expect((await gate.admit(call({ key: tool('shop-a', 'buy') }))).verdict).toBe('deny')
    expect(await approvals.pending()).toEqual([])
  })

  it('asks with everything a person needs to decide', async () => {
    const { gate, approvals } = start()
    await ask(gate, call())
    expect(await approvals.pending()).toMatchObject([
      {
        binding: { key: search, pin: 'd1', profile: 'default', endpoint: 'e1' },
        args: { q: 'tea' },
        pin: { state: 'approved', digest: 'd1' },
        rule: 'default:tool',
        reason: expect.stringContaining('no rule matches'),
      },
    ])
  })

  it('records who answered and how', async () => {
    const { gate } = start()
    await gate.answer(await ask(gate, call()), says({ channel: 'console', scope: 'pair', note: 'for today' }))
    expect(await gate.admit(call({ args: {} }))).toMatchObject({
      verdict: 'allow',
      rule: expect.stringMatching(/^approval:/),
      approval: { answer: { who: 'ada', channel: 'console', scope: 'pair', note: 'for today' } },
    })
  })

  it('carries nothing over to a changed tool, a changed endpoint, or another profile', async () => {
    const { gate } = start()
    await gate.answer(await ask(gate, call()), says({ scope: 'pair' }))
    expect((await gate.admit(call())).verdict).toBe('allow')
    for (const other of [
      { pin: { state: 'approved', digest: 'd2' } },
      { endpoint: 'e2' },
      { caller: { profile: 'ci' } },
    ] as const) {
      expect((await gate.admit(call(other))).verdict, JSON.stringify(other)).toBe('ask')
    }
  })

  it('ends an approval of any reach when the configuration under the id changes', async () => {
    const { gate } = start()
    await gate.answer(await ask(gate, call()), says({ scope: 'always' }))
    expect((await gate.admit(call({ pin: { state: 'approved', digest: 'd2' } }))).verdict).toBe('allow')
    expect((await gate.admit(call({ endpoint: 'e2' }))).verdict).toBe('ask')
  })

  it('never lets an approval stand in for a pin or against the policy', async () => {
    const { gate } = start()
    await gate.answer(await ask(gate, call()), says({ scope: 'always' }))
    expect((await gate.admit(call({ pin: { state: 'unknown' } }))).rule).toBe('pin')
    gate.reload(parsePolicy([{ server: 'shop-a', tool: 'search', decision: 'deny' }]))
    expect((await gate.admit(call())).rule).toBe('rules[0]')
  })

  it('takes a marked client at its word for one call, and says whose word it was', async () => {
    const { gate } = start({ rules: [], elicitation: ['desktop'] })
    const mine = call({ caller: { profile: 'desktop' } })
    const id = await ask(gate, mine)
    expect(
      await gate.answer(id, says({ channel: 'elicitation', scope: 'pair', who: 'client' })),
    ).toMatchObject({ ok: false, code: 'scope-too-wide' })
    expect(await gate.answer(id, says({ channel: 'elicitation', who: 'client' }))).toMatchObject({ ok: true })
    expect((await gate.admit(mine)).reason).toContain('the client of "desktop"')
    const other = await ask(gate, call())
    expect(await gate.answer(other, says({ channel: 'elicitation', who: 'client' }))).toMatchObject({
      ok: false,
      code: 'profile-not-marked',
    })
  })

  it('lets a changed file deny, and never allow', async () => {
    const { gate } = start()
    const id = await ask(gate, call())
    for (const scope of ['call', 'arguments', 'pair', 'always'] as const) {
      expect(await gate.answer(id, says({ channel: 'file', scope }))).toMatchObject({
        ok: false,
        code: 'channel-may-not-grant',
      })
    }
    expect(await gate.answer(id, says({ channel: 'file', scope: 'pair', verdict: 'deny' }))).toMatchObject({
      ok: true,
    })
    expect((await gate.admit(call())).verdict).toBe('deny')
  })

  it('refuses arguments that are not JSON, since nobody could approve them', async () => {
    const { gate } = start()
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    expect((await gate.admit(call({ args: cyclic }))).verdict).toBe('deny')
    expect((await gate.admit(call({ args: { n: 1n } }))).verdict).toBe('deny')
  })
})

describe('waiting for a person', () => {
  it('ends with the answer', async () => {
    const { gate } = start()
    const admitted = gate.admit(call(), { wait: 60_000, onAsk: ({ id }) => void gate.answer(id, says()) })
    expect((await admitted).verdict).toBe('allow')
  })

  it('does not let the answer pass what was narrowed in the meantime', async () => {
    const { gate } = start()
    const admitted = await gate.admit(call(), {
      wait: 60_000,
      onAsk: ({ id }) => {
        gate.reload(parsePolicy([{ server: 'shop-a', tool: 'search', decision: 'deny' }]))
        void gate.answer(id, says({ scope: 'always' }))
      },
    })
    expect(admitted).toMatchObject({ verdict: 'deny', rule: 'rules[0]' })
  })

  it.each([
    [{ state: 'held', field: 'description', reason: 'changed' }, 'description'],
    [{ state: 'approved', digest: 'd2' }, 'changed while a person was deciding'],
  ] as const)('does not carry the answer over to a definition that is %j by then', async (pin, why) => {
    const { gate } = start()
    const admitted = await gate.admit(call(), {
      wait: 60_000,
      onAsk: ({ id }) => void gate.answer(id, says({ scope: 'pair' })),
      pinNow: () => pin,
    })
    expect(admitted).toMatchObject({ verdict: 'deny', rule: 'pin', reason: expect.stringContaining(why) })
  })

  it('ends when the time is over, and leaves the question open', async () => {
    vi.useFakeTimers()
    const { gate, approvals } = start()
    const admitted = gate.admit(call(), { wait: 60_000 })
    await vi.advanceTimersByTimeAsync(60_000)
    const { verdict } = await admitted
    expect(verdict).toBe('ask')
    const [open] = await approvals.pending()
    await gate.answer(open?.id as string, says())
    expect((await gate.admit(call())).verdict).toBe('allow')
  })

  it('ends when the question expires, or the signal aborts', async () => {
    vi.useFakeTimers()
    const { gate } = start()
    const stop = new AbortController()
    const [one, other] = [
      gate.admit(call(), { wait: 1e9 }),
      gate.admit(call({ args: {} }), { wait: 1e9, signal: stop.signal }),
    ]
    await vi.advanceTimersByTimeAsync(1000)
    stop.abort()
    expect((await other).verdict).toBe('ask')
    await vi.advanceTimersByTimeAsync(5 * 60_000)
    expect((await one).verdict).toBe('ask')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gives an approval of one call to one of two that wait for it, and asks again for the other', async () => {
    const { gate, approvals } = start()
    const questions: string[] = []
    const options = { wait: 60_000, onAsk: ({ id }: { id: string }) => void questions.push(id) }
    const both = Promise.all([gate.admit(call(), options), gate.admit(call(), options)])
    await expect.poll(() => questions.length).toBe(2)
    expect(new Set(questions).size).toBe(1)
    await gate.answer(questions[0] as string, says())
    await expect.poll(() => questions.length).toBe(3)
    expect(await approvals.pending()).toHaveLength(1)
    await gate.answer(questions[2] as string, says({ verdict: 'deny' }))
    expect((await both).map((one) => one.verdict).sort()).toEqual(['allow', 'deny'])
  })

  it('tells all that wait for a question of its denial', async () => {
    const { gate } = start()
    const ids: string[] = []
    const options = { wait: 60_000, onAsk: ({ id }: { id: string }) => void ids.push(id) }
    const both = Promise.all([gate.admit(call(), options), gate.admit(call(), options)])
    await expect.poll(() => ids.length).toBe(2)
    await gate.answer(ids[0] as string, says({ verdict: 'deny' }))
    expect((await both).map((one) => one.verdict)).toEqual(['deny', 'deny'])
  })

  it('lets a wide answer settle the other open questions it covers', async () => {
    const { gate, approvals } = start()
    const ids: string[] = []
    const options = { wait: 60_000, onAsk: ({ id }: { id: string }) => void ids.push(id) }
    const both = Promise.all([
      gate.admit(call({ args: { n: 1 } }), options),
      gate.admit(call({ args: { n: 2 } }), options),
    ])
    await expect.poll(() => ids.length).toBe(2)
    await gate.answer(ids[0] as string, says({ scope: 'pair' }))
    expect((await both).map((one) => one.verdict)).toEqual(['allow', 'allow'])
    expect(await approvals.pending()).toEqual([])
  })
})
