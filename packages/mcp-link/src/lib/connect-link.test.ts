import { describe, expect, it, onTestFinished } from 'vitest'
import { type ConnectOptions, connectLink, type Dialled } from './connect-link.ts'
import type { JsonObject } from './json.ts'
import type { WireMessage } from './message.ts'
import type { Transport } from './transport.ts'

const never = () => new Promise<never>(() => undefined)
const timeouts = { probeMs: 30, connectMs: 30, requestMs: 5_000, graceMs: 30 }

/** A legacy server over a transport like HTTP: what is sent returns once it is answered. */
function legacy(more: Partial<Transport> = {}, version = '2025-11-25') {
  const sent: string[] = []
  const state = { closed: 0 }
  const transport: Transport = {
    start: async () => undefined,
    async send(message: WireMessage) {
      const { id, method } = message as { id?: number; method: string }
      sent.push(method)
      const result: JsonObject = { protocolVersion: version, capabilities: { tools: {} }, serverInfo: {} }
      if (method === 'initialize') transport.onmessage?.({ jsonrpc: '2.0', id, result } as never)
      await more.send?.(message)
    },
    close: async () => {
      state.closed += 1
    },
    ...(more.start ? { start: more.start } : {}),
  }
  return { transport, sent, state }
}
const connect = (dial: () => Promise<Dialled>, options: Partial<ConnectOptions> = {}) =>
  connectLink(
    { serverId: 's', transport: 'http', dial },
    { client: { name: 't', version: '1' }, era: 'legacy', timeouts, ...options },
  )

describe('connecting ends when its time is up, and when it is given up, though', () => {
  const silent: Record<string, () => ReturnType<typeof legacy> & { dial?: () => Promise<Dialled> }> = {
    'nothing is reached': () => ({ ...legacy(), dial: never }),
    'the transport never opens': () => legacy({ start: never }),
    'the last notification is never taken': () =>
      legacy({ send: (message) => ('id' in message ? Promise.resolve() : never()) }),
  }
  it.each(Object.keys(silent))('%s', async (name) => {
    for (const byCaller of [false, true]) {
      const server = (silent[name] as (typeof silent)[string])()
      const signal = byCaller ? AbortSignal.timeout(20) : undefined
      const limits = byCaller ? { ...timeouts, connectMs: 60_000 } : timeouts
      const dial = server.dial ?? (async () => ({ transport: server.transport }))
      const connected = await connect(dial, { signal, timeouts: limits })
      const code = byCaller ? 'aborted' : 'timeout'
      expect(connected).toMatchObject({ ok: false, failure: { code, retry: true } })
      expect(server.state.closed).toBe(server.dial ? 0 : 1)
    }
  })

  it('what is reached too late is closed again', async () => {
    const { transport, state, sent } = legacy()
    let reach: (dialled: Dialled) => void = () => undefined
    const connected = await connect(() => new Promise((resolve) => (reach = resolve)))
    expect(connected.ok).toBe(false)
    reach({ transport })
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect([state.closed, sent]).toEqual([1, []])
  })

  it('nothing is dialled for a caller who gave up before', async () => {
    let dials = 0
    const dial = async () => {
      dials += 1
      return { transport: legacy().transport }
    }
    expect(await connect(dial, { signal: AbortSignal.abort() })).toMatchObject({
      failure: { code: 'aborted' },
    })
    expect(dials).toBe(0)
  })
})

describe('a farewell that is never answered', () => {
  it('keeps neither an open call waiting nor the closing for longer than its grace', async () => {
    const { transport, state } = legacy()
    const order: string[] = []
    const farewell = () => {
      order.push('farewell')
      return never()
    }
    const connected = await connect(async () => ({ transport, farewell }))
    if (!connected.ok) throw new Error(connected.failure.message)
    const call = connected.upstream.request('tools/call', { name: 'x' })
    void call.then(({ kind }) => order.push(kind))
    await new Promise((resolve) => setTimeout(resolve, 1))
    const closed = connected.upstream.close().then(() => order.push('closed'))
    expect(await call).toMatchObject({ kind: 'error', failure: 'closed' })
    expect(order).not.toContain('closed')
    await closed
    expect([order.at(-1), state.closed]).toEqual(['closed', 1])
  })

  it('is not said at all after a negotiation that came to nothing', async () => {
    const { transport, sent, state } = legacy({}, '2099-01-01')
    let farewells = 0
    const farewell = async () => {
      farewells += 1
    }
    const connected = await connect(async () => ({ transport, farewell }))
    onTestFinished(async () => (connected.ok ? connected.upstream.close() : undefined))
    expect(connected).toMatchObject({ ok: false, failure: { code: 'version-mismatch' } })
    expect([sent, farewells, state.closed]).toEqual([['initialize'], 0, 1])
  })
})

it('a notification that is never taken is reported as not sent', async () => {
  const quiet = { ...timeouts, requestMs: 20 }
  let taken = true
  const server = legacy({ send: () => (taken ? Promise.resolve() : never()) })
  const messages: string[] = []
  const connected = await connect(async () => ({ transport: server.transport }), {
    timeouts: quiet,
    capabilities: { roots: { listChanged: true } },
    onEvent: ({ message }) => messages.push(message),
  })
  if (!connected.ok) throw new Error(connected.failure.message)
  taken = false
  await connected.upstream.notify('notifications/roots/list_changed')
  expect(messages.at(-1)).toContain('was not sent')
  await connected.upstream.close()
})

it('a listener of the end that throws keeps nothing from the others, nor from whoever closes', async () => {
  const messages: string[] = []
  const connected = await connect(async () => ({ transport: legacy().transport }), {
    onEvent: ({ message }) => messages.push(message),
  })
  if (!connected.ok) throw new Error(connected.failure.message)
  const { upstream } = connected
  const heard: string[] = []
  const faulty = () => {
    throw new Error('a fault of the listener')
  }
  upstream.onClose(faulty)
  upstream.onClose((reason) => heard.push(reason))
  await upstream.close()
  upstream.onClose(faulty)
  upstream.onClose((reason) => heard.push(reason))
  await new Promise((resolve) => setTimeout(resolve, 1))
  expect(heard).toEqual(['closed by this side', 'closed by this side'])
  expect(messages.filter((message) => message.includes('a fault of the listener'))).toHaveLength(2)
})

it('a request without a time limit waits for its answer', async () => {
  let answer: (() => void) | undefined
  const server = legacy({
    async send(message) {
      const { id, method } = message as { id?: number; method: string }
      if (method !== 'tools/list') return
      answer = () => server.transport.onmessage?.({ jsonrpc: '2.0', id, result: { tools: [] } } as never)
    },
  })
  const connected = await connect(async () => ({ transport: server.transport }))
  if (!connected.ok) throw new Error(connected.failure.message)
  const forever = { timeoutMs: Number.POSITIVE_INFINITY, maxTimeoutMs: 3_000_000_000 }
  const listed = connected.upstream.request('tools/list', {}, forever)
  await new Promise((resolve) => setTimeout(resolve, 10))
  answer?.()
  expect(await listed).toEqual({ kind: 'result', value: { tools: [] } })
  await connected.upstream.close()
})
