import { describe, expect, it } from 'vitest'
import { errorAnswer } from './failure.ts'
import { createHeldCalls, startHeldCall } from './held-call.ts'
import type { JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'

const never = new AbortController().signal
const result = (value: unknown): Outcome => ({ kind: 'result', value: { value: value as string } })

describe('a held call', () => {
  it('asks together what is asked at once, keeps what is not answered yet, and runs its handler once', async () => {
    let runs = 0
    const call = startHeldCall(async ({ ask }) => {
      runs += 1
      const answers = await Promise.all([ask('a', { n: 1 }), ask('b', { n: 2 })])
      return result(answers.map((answer) => (answer.kind === 'result' ? answer.value.x : null)).join())
    })
    const first = await call.attempt({ signal: never })
    expect(first).toEqual({
      kind: 'asks',
      inputRequests: {
        'ask-1': { method: 'a', params: { n: 1 } },
        'ask-2': { method: 'b', params: { n: 2 } },
      },
    })
    const second = await call.attempt({
      signal: never,
      inputResponses: { 'ask-2': { x: 'two' }, 'ask-9': { x: 'nobody' } },
    })
    expect(second).toEqual({ kind: 'asks', inputRequests: { 'ask-1': { method: 'a', params: { n: 1 } } } })
    const third = await call.attempt({ signal: never, inputResponses: { 'ask-1': { x: 'one' } } })
    expect(third).toEqual({ kind: 'done', outcome: result('one,two') })
    expect(runs).toBe(1)
  })

  it('keeps an end that came while nobody waited', async () => {
    const call = startHeldCall(async () => result('early'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(await call.attempt({ signal: never })).toEqual({ kind: 'done', outcome: result('early') })
  })

  it('tells its client in the attempt there is, and in the next one what it had to say between two', async () => {
    let go: () => void = () => undefined
    const call = startHeldCall(async ({ ask, notify, progress }) => {
      await notify('log', { n: 1 })
      const answer = ask('a', {})
      await new Promise<void>((resolve) => {
        go = resolve
      })
      for (let n = 0; n < 258; n += 1) await notify('between', { n })
      await answer
      progress({ progress: 1 })
      await notify('log', { n: 2 })
      return result('done')
    })
    const attempt = async (inputResponses?: JsonObject) => {
      const said: unknown[] = []
      const turn = await call.attempt({
        signal: never,
        inputResponses,
        progress: () => said.push('progress'),
        notify: async (method, params) => void said.push(method === 'log' ? params : params?.n),
      })
      return { said, kind: turn.kind }
    }
    expect(await attempt()).toEqual({ said: [{ n: 1 }], kind: 'asks' })
    go()
    await new Promise((resolve) => setImmediate(resolve))
    const between = Array.from({ length: 256 }, (_, at) => at + 2)
    expect(await attempt({ 'ask-1': {} })).toEqual({
      said: [...between, 'progress', { n: 2 }],
      kind: 'done',
    })
  })

  it('asks only what the client of the present attempt can be asked', async () => {
    const call = startHeldCall(async ({ ask }) => {
      await ask('a', {})
      const outcome = await ask('b', {})
      return outcome
    })
    const refusal = errorAnswer(-32601, 'not this one')
    await call.attempt({ signal: never, refuses: () => undefined })
    const turn = await call.attempt({
      signal: never,
      inputResponses: { 'ask-1': {} },
      refuses: (method) => (method === 'b' ? refusal : undefined),
    })
    expect(turn).toEqual({ kind: 'done', outcome: refusal })
  })

  it('is given up when the client goes away in an attempt, not between two', async () => {
    let aborted = false
    const call = startHeldCall(async ({ ask, signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true
      })
      await ask('a', {})
      await new Promise(() => undefined)
      return result('never')
    })
    const first = new AbortController()
    await call.attempt({ signal: first.signal })
    first.abort()
    expect(aborted).toBe(false)
    const second = new AbortController()
    const turn = call.attempt({ signal: second.signal, inputResponses: { 'ask-1': {} } })
    second.abort(new Error('gone'))
    expect(await turn).toMatchObject({ kind: 'done', outcome: { kind: 'error' } })
    expect(aborted).toBe(true)
  })

  it('turns an answer that is no object into an error, and a handler that throws too', async () => {
    const call = startHeldCall(async ({ ask }) => result((await ask('a', {})).kind))
    await call.attempt({ signal: never })
    expect(await call.attempt({ signal: never, inputResponses: { 'ask-1': 5 } })).toEqual({
      kind: 'done',
      outcome: result('error'),
    })
    const broken = startHeldCall(async () => {
      throw new Error('x')
    })
    expect(await broken.attempt({ signal: never })).toMatchObject({
      kind: 'done',
      outcome: { error: { code: -32603 } },
    })
  })
})

describe('the calls that wait', () => {
  it('are taken out once, are given up after their time, and the oldest where there are too many', async () => {
    const reasons: string[] = []
    const waiting = () => {
      const call = startHeldCall(async ({ signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        reasons.push((signal.reason as Error).message)
        return result('')
      })
      return call
    }
    const held = createHeldCalls({ lifetimeMs: 30, max: 2 })
    const first = held.hold(waiting())
    await new Promise((resolve) => setImmediate(resolve))
    const second = held.hold(waiting())
    held.hold(waiting())
    expect(held.take(first)).toBeUndefined()
    expect(held.take(second)).toBeDefined()
    expect(held.take(second)).toBeUndefined()
    expect(held.size).toBe(1)
    while (held.size > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setImmediate(resolve))
    expect(reasons).toEqual(['too many calls wait for answers', 'the client did not answer in time'])
  })
})
