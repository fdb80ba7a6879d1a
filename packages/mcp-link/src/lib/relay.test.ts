import { describe, expect, it, onTestFinished } from 'vitest'
import { errorAnswer } from './failure.ts'
import type { JsonObject } from './json.ts'
import { connectInMemory, type InMemoryOptions } from './memory-link.ts'
import { createMemoryPair } from './memory-pair.ts'
import { isJsonObject } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { CallContext, Downstream, DownstreamContext, Era, Service, Upstream } from './port.ts'
import { serveConnection } from './serve-connection.ts'
import { createServing } from './serve-options.ts'

type Handle = (method: string, params: JsonObject, context: DownstreamContext) => Promise<Outcome>

const text = (value: unknown): Outcome => ({ kind: 'result', value: { text: JSON.stringify(value) } })
const serving = (handle: Handle, clients: Downstream[] = []): Service => ({
  declare: () => ({
    info: { name: 'x', version: '1' },
    capabilities: { tools: {}, resources: { subscribe: true } },
  }),
  accept(downstream) {
    clients.push(downstream)
    downstream.serve(handle)
  },
})
const connect = async (
  service: Service,
  era: Era,
  options: Partial<InMemoryOptions> = {},
): Promise<Upstream> => {
  const connected = await connectInMemory('x', service, {
    client: { name: 't', version: '1' },
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    era,
    ...options,
  })
  if (!connected.ok) throw new Error(connected.failure.message)
  onTestFinished(() => connected.upstream.close())
  return connected.upstream
}
/** What a proxy does with a call, at its smallest. */
const relay = (upstream: Upstream): Service =>
  serving((method, params, context) => upstream.request(method, params, context))
const tool = (name: string, args: JsonObject = {}): JsonObject => ({ name, arguments: args })

const eras = ['legacy', 'modern'] as const
const chains = eras.flatMap((client) => eras.map((server) => ({ client, server })))

/** Calls a tool and answers what it asks, in whichever way it is asked. */
async function answering(
  upstream: Upstream,
  name: string,
  answer: (method: string) => JsonObject,
  more: CallContext = {},
) {
  let retry: CallContext['retry']
  const states: unknown[] = []
  for (;;) {
    const outcome = await upstream.request('tools/call', tool(name), {
      ...more,
      retry,
      ask: async (method) => ({ kind: 'result', value: answer(method) }),
    })
    if (outcome.kind !== 'input_required') return { outcome, states }
    const { inputRequests, requestState } = outcome.value
    states.push(requestState)
    const asked = Object.entries(isJsonObject(inputRequests) ? inputRequests : {})
    retry = {
      inputResponses: Object.fromEntries(
        asked.map(([key, request]) => [key, answer((request as { method: string }).method)]),
      ),
      ...(typeof requestState === 'string' ? { requestState } : {}),
    }
  }
}
const form = { message: 'm', requestedSchema: { type: 'object', properties: {} } }

describe.each(chains)('a $client client, a relay, and a $server server', ({ client, server }) => {
  it('carry questions and answers of a call, whichever way each side asks', async () => {
    const upstream = await connect(
      serving(async (_method, _params, { ask }) => {
        const [one, two] = [
          await ask?.('elicitation/create', form),
          await ask?.('sampling/createMessage', { messages: [], maxTokens: 1 }),
        ]
        return text([one?.kind === 'result' && one.value.n, two?.kind === 'result' && two.value.n])
      }),
      server,
    )
    const end = await connect(relay(upstream), client)
    const { outcome } = await answering(end, 'ask', (method) => ({ n: method }))
    expect(outcome).toMatchObject({
      kind: 'result',
      value: { text: '["elicitation/create","sampling/createMessage"]' },
    })
  })

  it('carry the state of a server that asks by itself, byte for byte, and not to other requests', async () => {
    const seen: unknown[] = []
    const upstream = await connect(
      serving(async (_method, _params, { retry }) => {
        seen.push(retry?.requestState)
        if (!retry)
          return {
            kind: 'input_required',
            value: {
              inputRequests: { k: { method: 'elicitation/create', params: form } },
              requestState: ' ✓\u0000 ',
            },
          }
        return text(retry.inputResponses)
      }),
      server,
    )
    const end = await connect(relay(upstream), client)
    const { outcome } = await answering(end, 't', () => ({ action: 'accept' }))
    expect(outcome).toMatchObject({ kind: 'result', value: { text: '{"k":{"action":"accept"}}' } })
    expect(seen).toEqual([undefined, ' ✓\u0000 '])
  })

  it('carry progress under each hop’s own token, and a cancellation to the server', async () => {
    const tokens: unknown[] = []
    let cancelled: unknown
    const upstream = await connect(
      serving(async (_method, params, { progress, signal }) => {
        tokens.push(isJsonObject(params._meta) ? params._meta.progressToken : undefined)
        for (const step of [1, 2, 3]) progress?.({ progress: step, message: 'шаг' })
        if (params.name === 'wait') {
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
          cancelled = signal.reason instanceof Error ? signal.reason.message : signal.reason
        }
        return text('done')
      }),
      server,
    )
    const end = await connect(relay(upstream), client)
    const run = async () => {
      const steps: number[] = []
      await end.request('tools/call', tool('t'), { progress: ({ progress }) => steps.push(progress) })
      return steps
    }
    expect(await Promise.all([run(), run(), run()])).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ])
    expect(tokens).toEqual([undefined, undefined, undefined])
    const abort = new AbortController()
    const waiting = end.request('tools/call', tool('wait'), { signal: abort.signal })
    setTimeout(() => abort.abort(new Error('enough')), 20)
    expect(await waiting).toMatchObject({ failure: 'cancelled' })
    while (cancelled === undefined) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(cancelled).toContain('enough')
  })

  it('carry errors, unknown members and trace context, and no hop’s name for another’s', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const traces: unknown[] = []
    const upstream = await connect(
      serving(async (_method, params, { trace }) => {
        traces.push(trace)
        if (params.name === 'fail') return errorAnswer(-32050, 'no', { n: 1 })
        return { kind: 'result', value: { odd: { '': null }, _meta: { 'a.b/c': 1 } } }
      }),
      server,
    )
    const end = await connect(relay(upstream), client)
    expect(await end.request('tools/call', tool('fail'))).toEqual({
      kind: 'error',
      error: { code: -32050, message: 'no', data: { n: 1 } },
    })
    const outcome = await end.request('tools/call', tool('t'), { trace: { traceparent } })
    expect(outcome).toMatchObject({ kind: 'result', value: { odd: { '': null }, _meta: { 'a.b/c': 1 } } })
    const names =
      outcome.kind === 'result' && isJsonObject(outcome.value._meta) ? Object.keys(outcome.value._meta) : []
    expect(names).toEqual(client === 'modern' ? ['a.b/c', 'io.modelcontextprotocol/serverInfo'] : ['a.b/c'])
    expect(traces).toEqual([undefined, { traceparent }])
  })
})

describe('a modern server', () => {
  const asking = serving(async (_method, _params, { ask, retry }) => {
    const answer = await ask?.('elicitation/create', form)
    return text(answer?.kind === 'result' ? answer.value : (retry ?? answer))
  })
  it('continues a call only for the same request, client and arguments, and only once', async () => {
    const upstream = await connect(asking, 'modern')
    const call = (name: string, requestState: string, args: JsonObject = {}) =>
      upstream.request('tools/call', tool(name, args), {
        retry: { inputResponses: { 'ask-1': { ok: true } }, requestState },
      })
    const begin = async (): Promise<string> => {
      const outcome = await upstream.request('tools/call', tool('a'), {})
      return outcome.kind === 'input_required' ? String(outcome.value.requestState) : ''
    }
    const refused = { kind: 'error', error: { code: -32602 } }
    const state = await begin()
    expect(await call('b', state)).toMatchObject(refused)
    expect(await call('a', state, { x: 1 })).toMatchObject(refused)
    expect(await call('a', `${state.slice(0, -2)}xx`)).toMatchObject(refused)
    expect(await call('a', 'made up')).toMatchObject(refused)
    expect(await call('a', state)).toMatchObject({ kind: 'result', value: { text: '{"ok":true}' } })
    expect(await call('a', state)).toMatchObject(refused)
  })
  it('does not ask a client for what this very request does not declare', async () => {
    const upstream = await connect(asking, 'modern')
    const outcome = await upstream.request('tools/call', tool('a'), { capabilities: { sampling: {} } })
    expect(outcome).toMatchObject({ kind: 'result', value: { text: expect.stringContaining('-32601') } })
    const relayed = await connect(
      serving(async () => ({
        kind: 'input_required',
        value: { inputRequests: { k: { method: 'elicitation/create', params: form } } },
      })),
      'modern',
    )
    expect(await relayed.request('tools/call', tool('a'), { capabilities: {} })).toMatchObject({
      kind: 'error',
      error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
    })
  })
  it('that answers with a result of an unknown type is not understood; a legacy one is, whatever it calls its results', async () => {
    const odd = serving(async () => ({ kind: 'result', value: { resultType: 'x' } }))
    const modern = await connect(odd, 'modern')
    expect(await modern.request('tools/call', tool('a'))).toMatchObject({ kind: 'error', failure: 'invalid' })
    const legacy = await connect(odd, 'legacy')
    expect(await legacy.request('tools/call', tool('a'))).toEqual({
      kind: 'result',
      value: { resultType: 'x' },
    })
  })
  it('does not ask within requests that may not be answered so', async () => {
    const upstream = await connect(asking, 'modern')
    expect(await upstream.request('tools/list', {})).toMatchObject({
      value: { text: expect.stringContaining('may not ask') },
    })
  })
})

describe('what a legacy server asks', () => {
  const poke = (clients: Downstream[]): Service => {
    let release: () => void = () => undefined
    return serving(async (_method, params) => {
      if (params.name === 'hold')
        await new Promise<void>((resolve) => {
          release = resolve
        })
      if (params.name === 'ask') return text(await clients[0]?.request('elicitation/create', form))
      if (params.name === 'free') release()
      return text('')
    }, clients)
  }
  const ask = (label: string): CallContext => ({ ask: async () => ({ kind: 'result', value: { label } }) })

  it('on a shared connection goes to the one call in flight, and to nobody while there are several', async () => {
    const upstream = await connect(poke([]), 'legacy', { isolation: 'shared' })
    expect(await upstream.request('tools/call', tool('ask'), ask('a'))).toMatchObject({
      value: { text: expect.stringContaining('"label":"a"') },
    })
    const held = upstream.request('tools/call', tool('hold'), ask('b'))
    const outcome = await upstream.request('tools/call', tool('ask'), ask('c'))
    expect(outcome).toMatchObject({ value: { text: expect.stringContaining('2 calls are in flight') } })
    await upstream.request('tools/call', tool('free'))
    await held
  })
  it('on a connection of one session goes to that session’s client, however many calls are in flight', async () => {
    const upstream = await connect(poke([]), 'legacy', { isolation: 'session' })
    const held = upstream.request('tools/call', tool('hold'), ask('mine'))
    const outcome = await upstream.request('tools/call', tool('ask'), ask('mine'))
    expect(outcome).toMatchObject({ value: { text: expect.stringContaining('"label":"mine"') } })
    await upstream.request('tools/call', tool('free'))
    await held
  })
  it('outside any call goes to the handler, or is answered with -32601', async () => {
    const clients: Downstream[] = []
    const upstream = await connect(poke(clients), 'legacy', { isolation: 'shared' })
    expect(await clients[0]?.request('roots/list', {})).toMatchObject({
      kind: 'error',
      error: { code: -32601 },
    })
    const off = upstream.onRequest(async (method) => ({ kind: 'result', value: { method } }))
    expect(await clients[0]?.request('roots/list', {})).toEqual({
      kind: 'result',
      value: { method: 'roots/list' },
    })
    off()
    expect(await clients[0]?.request('roots/list', {})).toMatchObject({
      kind: 'error',
      error: { code: -32601 },
    })
  })
})

describe('serving', () => {
  it('keeps both eras open after a probe, and neither after the first accepted message', async () => {
    const clients: Downstream[] = []
    const [near, far] = createMemoryPair()
    const answers: JsonObject[] = []
    near.onmessage = ((message: JsonObject) => answers.push(message)) as (message: never) => void
    await near.start()
    const options = { serving: createServing(), profile: 'default' }
    await serveConnection(
      far,
      serving(async () => text(''), clients),
      options,
    ).start()
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const say = async (id: number, method: string, params: JsonObject) => {
      await near.send({ jsonrpc: '2.0', id, method, params })
      while (!answers.some((answer) => answer.id === id))
        await new Promise((resolve) => setTimeout(resolve, 1))
      return answers.find((answer) => answer.id === id)
    }
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    expect(await say(1, 'tools/list', {})).toMatchObject({ error: { code: -32600 } })
    expect(await say(2, 'server/discover', {})).toMatchObject({ error: { code: -32602 } })
    expect(await say(3, 'server/discover', { _meta: meta })).toMatchObject({
      result: { supportedVersions: ['2026-07-28'] },
    })
    expect(clients).toHaveLength(0)
    expect(await say(4, 'initialize', hello)).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    expect(await say(5, 'initialize', hello)).toMatchObject({ error: { code: -32600 } })
    expect(await say(6, 'server/discover', { _meta: meta })).toMatchObject({ error: { code: -32601 } })
    expect(clients).toHaveLength(1)
    const modern = await connect(
      serving(async () => text('')),
      'modern',
    )
    expect(await modern.request('tools/list', {})).toMatchObject({ kind: 'result' })
  })
  it.each<[string, InMemoryOptions['serving'], Era]>([
    ['legacy alone', { versions: ['2025-06-18'] }, 'legacy'],
    ['modern alone', { versions: ['2026-07-28'] }, 'modern'],
  ])('%s is found by a client that tries both', async (_name, options, era) => {
    const connected = await connectInMemory(
      'x',
      serving(async () => text('')),
      { client: { name: 't', version: '1' }, serving: options },
    )
    expect(connected.ok && connected.upstream.negotiation.era).toBe(era)
    if (connected.ok) await connected.upstream.close()
  })
  it('tells of changes only what was declared', async () => {
    const clients: Downstream[] = []
    const upstream = await connect(
      serving(async () => text(''), clients),
      'legacy',
    )
    const heard: string[] = []
    upstream.onNotification(({ method }) => heard.push(method))
    await clients[0]?.notify('notifications/tools/list_changed')
    await clients[0]?.notify('notifications/resources/updated', { uri: 'a' })
    await upstream.listen({ resourceSubscriptions: ['a'] })
    await clients[0]?.notify('notifications/resources/updated', { uri: 'a/b' })
    await clients[0]?.notify('notifications/resources/updated', { uri: 'ab' })
    await upstream.request('tools/list', {})
    expect(heard).toEqual(['notifications/resources/updated'])
  })
  it('subscribes once for many and unsubscribes after the last', async () => {
    const filters: unknown[] = []
    const service: Service = {
      ...serving(async () => text('')),
      listening: (_downstream, filter) => void filters.push(filter.resourceSubscriptions),
    }
    const upstream = await connect(service, 'legacy')
    const [one, two] = [
      await upstream.listen({ resourceSubscriptions: ['a'] }),
      await upstream.listen({ resourceSubscriptions: ['a', 'b'] }),
    ]
    await one.close()
    await one.close()
    await two.close()
    expect(filters).toEqual([['a'], ['a', 'b'], ['b'], []])
  })
})

describe.each(eras)('a %s client that declares nonsense', (era) => {
  it('is told of, and is not asked what it did not declare', async () => {
    const events: string[] = []
    const upstream = await connect(
      serving(async (_method, _params, { ask }) => text(await ask?.('elicitation/create', form))),
      era,
      {
        capabilities: { elicitation: { form: false } },
        serving: { onEvent: ({ message }) => events.push(message) },
      },
    )
    expect(await upstream.request('tools/call', tool('t'))).toMatchObject({
      value: { text: expect.stringContaining('-32601') },
    })
    expect(events).toEqual([expect.stringContaining('elicitation.form is boolean')])
  })
})
