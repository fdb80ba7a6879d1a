import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { JsonObject } from './json.ts'
import { createMemoryPair } from './memory-pair.ts'
import type { WireMessage } from './message.ts'
import type { Outcome } from './outcome.ts'
import { createPeer, type IncomingRequest, type Peer } from './peer.ts'
import type { Transport } from './transport.ts'

/** A peer whose other end is in the hands of the test. */
async function against(handle?: (request: IncomingRequest) => Promise<Outcome>) {
  const [near, far] = createMemoryPair()
  const sent: WireMessage[] = []
  const notices: string[] = []
  const events: string[] = []
  far.onmessage = ((message: WireMessage) => sent.push(message)) as (message: never) => void
  await far.start()
  const peer = createPeer(near, {
    request: handle ?? (async () => ({ kind: 'result', value: {} })),
    notification: ({ method }) => notices.push(method),
    closed: () => undefined,
    event: ({ message }) => events.push(message),
  })
  await peer.start()
  const say = async (message: unknown): Promise<void> => {
    await far.send(message as WireMessage)
    await turn()
  }
  return { peer, sent, notices, events, say, near, far: far as Transport }
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const ask = (peer: Peer, options: Partial<Parameters<Peer['request']>[2]> = {}) =>
  peer.request('m', {}, { timeoutMs: 10_000, ...options })

describe('a peer', () => {
  it('answers its requests only with what carries their id, whatever arrives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 8 }), fc.jsonValue(), async (noise, value) => {
        const { peer, sent, say } = await against()
        const answer = ask(peer)
        await turn()
        const { id } = sent[0] as { id: number }
        for (const item of noise) await say(item)
        await say({ jsonrpc: '2.0', id: id + 1, result: {} })
        await say({ jsonrpc: '2.0', id, result: value })
        const outcome = await answer
        const legal = typeof value === 'object' && value !== null && !Array.isArray(value)
        if (legal) expect(outcome).toEqual({ kind: 'result', value: JSON.parse(JSON.stringify(value)) })
        else expect(outcome).toMatchObject({ kind: 'error' })
        await peer.close()
      }),
      { numRuns: 60 },
    )
  })

  it('takes an error without an id for the answer on whose exchange it came, and for no other one', async () => {
    const { peer, near } = await against()
    const error = { code: -32600, message: 'not understood' }
    const arrived = (via: number) =>
      near.onmessage?.({ jsonrpc: '2.0', id: null, error } as never, { via } as never)
    const first = ask(peer)
    arrived(1)
    expect(await first).toEqual({ kind: 'error', error })
    const second = ask(peer, { timeoutMs: 30 })
    arrived(1)
    expect(await second).toMatchObject({ failure: 'timeout' })
  })

  it('takes arbitrary JSON as errors, notifications, requests and progress without a throw or a hang', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (one, two) => {
        const { peer, sent, say } = await against()
        const answer = ask(peer, { progress: () => undefined })
        await turn()
        for (const method of ['notifications/progress', 'notifications/cancelled', 'x']) {
          await say({ jsonrpc: '2.0', method, params: one })
          await say({ jsonrpc: '2.0', method, params: { progressToken: one, requestId: one, progress: two } })
          await say({ jsonrpc: '2.0', id: two, method, params: one })
        }
        await say({ jsonrpc: '2.0', id: (sent[0] as { id: number }).id, error: one })
        expect((await answer).kind).toBe('error')
        await peer.close()
      }),
      { numRuns: 60 },
    )
  })

  it('remembers nothing of requests that are over', async () => {
    const { peer, sent, say, events } = await against()
    const first = ask(peer)
    await turn()
    const { id } = sent[0] as { id: number }
    await say({ jsonrpc: '2.0', id, result: { a: 1 } })
    await first
    await say({ jsonrpc: '2.0', id, result: { a: 2 } })
    await say({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: id, progress: 1 },
    })
    expect(events).toEqual(['an answer to no open request', 'progress for no open request'])
  })

  it('hands on all progress before the answer that came with it', async () => {
    const { peer, sent, far } = await against()
    const order: (number | string)[] = []
    const answer = ask(peer, { progress: ({ progress }) => order.push(progress) }).then(() =>
      order.push('answer'),
    )
    await turn()
    const { id } = sent[0] as { id: number }
    expect((sent[0] as { params: JsonObject }).params).toEqual({ _meta: { progressToken: id } })
    for (const progress of [1, 2, 3]) {
      void far.send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: id, progress },
      })
    }
    void far.send({ jsonrpc: '2.0', id, result: {} })
    await answer
    expect(order).toEqual([1, 2, 3, 'answer'])
  })

  it('cancels under its own id, once, and never what is finished', async () => {
    const { peer, sent, say } = await against()
    const abort = new AbortController()
    const [cancelled, finished] = [ask(peer, { signal: abort.signal }), ask(peer, { signal: abort.signal })]
    await turn()
    const [first, second] = sent as { id: number }[]
    await say({ jsonrpc: '2.0', id: second?.id, result: {} })
    abort.abort(new Error('enough'))
    abort.abort(new Error('again'))
    await turn()
    expect(await finished).toMatchObject({ kind: 'result' })
    expect(await cancelled).toMatchObject({
      kind: 'error',
      failure: 'cancelled',
      error: { message: 'enough' },
    })
    expect(sent.slice(2)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: first?.id, reason: 'enough' },
      },
    ])
  })

  it('takes 101 and "101" for two requests, and does not answer what was cancelled', async () => {
    const release: (() => void)[] = []
    const seen: unknown[] = []
    const { sent, say } = await against(async ({ id, signal }) => {
      await new Promise<void>((resolve) => release.push(resolve))
      seen.push([id, signal.aborted])
      return { kind: 'result', value: { id } }
    })
    await say({ jsonrpc: '2.0', id: 101, method: 'slow' })
    await say({ jsonrpc: '2.0', id: '101', method: 'slow' })
    await say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '101' } })
    await say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
    for (const go of release) go()
    await turn()
    expect(seen).toEqual([
      [101, false],
      ['101', true],
    ])
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 101, result: { id: 101 } }])
  })

  it('lets the first of two live requests with one id finish, and the second not start', async () => {
    let calls = 0
    let release: () => void = () => undefined
    const { sent, say, events } = await against(async () => {
      calls += 1
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return { kind: 'result', value: { calls } }
    })
    await say({ jsonrpc: '2.0', id: 1, method: 'a' })
    await say({ jsonrpc: '2.0', id: 1, method: 'b' })
    release()
    await turn()
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, result: { calls: 1 } }])
    expect(events).toEqual(['a second live request with the same id was ignored'])
  })

  it('reads a batch as the messages in it, in their order, and answers each by itself', async () => {
    const { peer, sent, notices, events, say } = await against()
    const answers = [ask(peer), ask(peer), ask(peer)]
    await turn()
    const ids = sent.splice(0).map((message) => ('id' in message ? message.id : undefined))
    await say([
      { jsonrpc: '2.0', id: ids[1], result: { n: 1 } },
      { jsonrpc: '2.0', method: 'notifications/message', params: {} },
      { jsonrpc: '2.0', id: 7, method: 'a' },
      [{ jsonrpc: '2.0', id: ids[2], result: {} }],
      1,
      { jsonrpc: '2.0', id: 8, method: 'b' },
      { jsonrpc: '2.0', id: ids[0], error: { code: -32000, message: 'no' } },
    ])
    await say([])
    await peer.close('over')
    expect(await Promise.all(answers)).toMatchObject([
      { kind: 'error', error: { code: -32000 } },
      { kind: 'result', value: { n: 1 } },
      { failure: 'closed' },
    ])
    expect(sent.map((message) => ('id' in message ? message.id : undefined))).toEqual([7, 8])
    expect(notices).toEqual(['notifications/message'])
    expect(events.filter((event) => event.includes('not a JSON object'))).toHaveLength(3)
  })

  it('answers a request it cannot read, under its id where it has one', async () => {
    const { sent, say } = await against()
    await say({ jsonrpc: '2.0', id: 9, method: 'm', params: [1] })
    await say({ jsonrpc: '2.0', id: 1.5, method: 'm' })
    expect(sent).toMatchObject([{ id: 9, error: { code: -32600 } }, { error: { code: -32600 } }])
  })

  it('does not let a handler that throws take anything with it', async () => {
    const { sent, say } = await against(async () => {
      throw new Error('secret path /etc')
    })
    await say({ jsonrpc: '2.0', id: 1, method: 'm' })
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }])
  })

  it('takes an error without an id for the only open request, and for none of several', async () => {
    const { peer, say } = await against()
    const only = ask(peer)
    await turn()
    await say({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid Request' } })
    expect(await only).toMatchObject({ kind: 'error', error: { code: -32600 } })
    const several = [ask(peer), ask(peer)]
    await turn()
    await say({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid Request' } })
    await peer.close('over')
    expect(await Promise.all(several)).toMatchObject([{ failure: 'closed' }, { failure: 'closed' }])
  })

  it('takes an error without an id for a request whose time was up, until one sent after that was answered', async () => {
    const error = { code: -32600, message: 'Invalid Request' }
    const anonymous = { jsonrpc: '2.0', id: null, error }
    for (const answered of [false, true]) {
      const { peer, sent, say } = await against()
      const late: unknown[] = []
      await ask(peer, { timeoutMs: 1, cancelBy: 'nothing', onLate: (outcome) => late.push(outcome) })
      const second = ask(peer)
      await turn()
      if (answered) await say({ jsonrpc: '2.0', id: (sent[1] as { id: number }).id, result: {} })
      const third = answered ? ask(peer) : second
      await turn()
      await say(anonymous)
      expect(late).toEqual(answered ? [] : [{ kind: 'error', error }])
      if (!answered) await say(anonymous)
      expect(await third).toEqual({ kind: 'error', error })
      await peer.close()
    }
  })

  it('refuses more than 1024 requests at once, and works on the others', async () => {
    let release: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const { sent, far } = await against(async () => {
      await gate
      return { kind: 'result', value: {} }
    })
    for (let id = 0; id < 1030; id += 1) void far.send({ jsonrpc: '2.0', id, method: 'm' })
    await turn()
    await turn()
    expect(sent).toHaveLength(6)
    release()
    await turn()
    await turn()
    expect(sent).toHaveLength(1030)
  })

  it('waits as long as progress comes, up to its limit in all, and gives up at the peer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { peer, sent, say } = await against()
    const [steady, silent] = [
      ask(peer, { timeoutMs: 100, maxTimeoutMs: 350, askProgress: true }),
      ask(peer, { timeoutMs: 100, maxTimeoutMs: 350 }),
    ]
    await turn()
    const [{ id: one }, { id: two }] = sent as unknown as [{ id: number }, { id: number }]
    for (let at = 0; at < 4; at += 1) {
      await vi.advanceTimersByTimeAsync(80)
      await say({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: one, progress: at },
      })
    }
    expect(await silent).toMatchObject({
      failure: 'timeout',
      error: { message: 'No answer to m within 100 ms' },
    })
    await vi.advanceTimersByTimeAsync(40)
    expect(await steady).toMatchObject({
      failure: 'timeout',
      error: { message: 'No answer to m within 350 ms in all' },
    })
    await turn()
    const cancelled = sent.flatMap((message) => ('method' in message && message.params?.requestId) || [])
    expect(cancelled).toEqual([two, one])
  })

  it('answers with an error where an answer cannot be written, instead of leaving its client to wait', async () => {
    const { sent, say } = await against(async () => {
      let deep: JsonObject = {}
      for (let depth = 0; depth < 200_000; depth += 1) deep = { deep }
      return { kind: 'result', value: deep }
    })
    await say({ jsonrpc: '2.0', id: 5, method: 'm' })
    await turn()
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 5, error: { code: -32603, message: 'The answer could not be sent' } },
    ])
  })

  it('answers whatever is open when the connection goes', async () => {
    const { peer, far } = await against()
    const open = ask(peer)
    await turn()
    await far.close()
    expect(await open).toMatchObject({ kind: 'error', failure: 'closed' })
    expect(await ask(peer)).toMatchObject({ kind: 'error', failure: 'closed' })
  })
})
