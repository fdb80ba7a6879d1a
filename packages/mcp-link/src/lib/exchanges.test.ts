import type { Prior } from '@truename/capability-negotiator'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ConnectOptions, connectLink } from './connect-link.ts'
import { connectRemembered } from './connect-remembered.ts'
import type { JsonObject } from './json.ts'
import { createMemoryPair } from './memory-pair.ts'
import type { WireMessage } from './message.ts'
import type { ServerConfig } from './server-config.ts'
import { listSurface } from './surface.ts'
import type { Transport } from './transport.ts'
import { createVerdictStore } from './verdict-store.ts'

interface Asked {
  readonly id?: number
  readonly method: string
  readonly params: JsonObject
}
type Say = (message: object) => void
/** What the other end does with a message; `false` leaves it to an honest legacy server. */
type Script = (asked: Asked, say: Say, hangUp: () => void) => unknown

const modern: Prior = { era: 'modern', version: '2026-07-28' }
const noMethod = { code: -32601, message: 'Method not found' }

/** A legacy server over a transport like stdio, as far as the script leaves it to itself. */
function scripted(script: Script = () => false) {
  const methods: string[] = []
  const messages: Asked[] = []
  const dial = async (): Promise<{ transport: Transport }> => {
    const [near, far] = createMemoryPair()
    const say: Say = (message) =>
      void far.send({ jsonrpc: '2.0', ...message } as WireMessage).catch(() => undefined)
    far.onmessage = ((asked: Asked) => {
      methods.push(asked.method)
      messages.push(asked)
      if (script(asked, say, () => void far.close()) !== false) return
      const { id, method } = asked
      if (id === undefined) return
      if (method === 'initialize') {
        const serverInfo = { name: 'old', version: '1' }
        const capabilities = { tools: {} }
        return say({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } })
      }
      if (method === 'tools/list') return say({ id, result: { tools: [{ name: 'one' }] } })
      if (method === 'tools/call') return say({ id, result: { content: [] } })
      say({ id, error: noMethod })
    }) as (message: never) => void
    await far.start()
    return { transport: near }
  }
  return { methods, messages, dialler: { serverId: 's', transport: 'stdio' as const, dial } }
}

async function open(server: ReturnType<typeof scripted>, options: Partial<ConnectOptions> = {}) {
  const connected = await connectLink(server.dialler, {
    client: { name: 't', version: '1' },
    timeouts: { probeMs: 500, connectMs: 2_000, requestMs: 2_000 },
    ...options,
  })
  if (!connected.ok) throw new Error(connected.failure.message)
  onTestFinished(() => connected.upstream.close())
  return connected.upstream
}
const turn = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('a server that was only remembered to be modern', () => {
  it('is asked in use when its first answer shows nothing of it, and initialized where it is', async () => {
    const server = scripted()
    const upstream = await open(server, { prior: modern })
    expect([server.methods, upstream.negotiation.era]).toEqual([[], 'modern'])
    expect(await upstream.request('tools/call', { name: 'one' })).toMatchObject({ kind: 'result' })
    expect(upstream.negotiation.doubtful).toBe(true)
    await upstream.discover()
    const second = await upstream.request('tools/call', { name: 'one' })
    expect(second).toEqual({ kind: 'result', value: { content: [] } })
    expect(server.methods).toEqual([
      'tools/call',
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ])
    expect(server.messages.at(-1)?.params._meta).not.toHaveProperty('io.modelcontextprotocol/protocolVersion')
    const { negotiation, serverInfo, capabilities } = upstream
    expect([negotiation.era, negotiation.version, serverInfo?.name]).toEqual(['legacy', '2025-11-25', 'old'])
    expect(capabilities).toEqual({ tools: {} })
  })

  it('holds what comes while it is initialized, and sends it afterwards, in order', async () => {
    let initialize: (() => void) | undefined
    const server = scripted(({ id, method }, say) => {
      if (method !== 'initialize') return false
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} }
      initialize = () => say({ id, result })
    })
    const upstream = await open(server, { prior: modern })
    await upstream.request('tools/call', { name: 'one' })
    await turn()
    expect(upstream.negotiation.state).toBe('negotiating')
    const held = ['a', 'b', 'c'].map((name) => upstream.request('tools/call', { name }))
    const notice = upstream.notify('notifications/roots/list_changed')
    await turn()
    expect(server.methods.at(-1)).toBe('initialize')
    initialize?.()
    expect((await Promise.all(held)).map(({ kind }) => kind)).toEqual(['result', 'result', 'result'])
    await notice
    const [, ...calls] = server.messages.filter(({ method }) => method === 'tools/call')
    expect(calls.map(({ params }) => params.name)).toEqual(['a', 'b', 'c'])
    expect(server.methods).not.toContain('notifications/roots/list_changed')
  })

  it('refuses what it held where the handshake fails, and lets go of what was taken back', async () => {
    const server = scripted(({ method }) => method === 'initialize')
    const upstream = await open(server, { prior: modern, timeouts: { probeMs: 500, connectMs: 150 } })
    const reasons: string[] = []
    upstream.onClose((reason) => reasons.push(reason))
    await upstream.request('tools/call', { name: 'one' })
    await turn()
    const abort = new AbortController()
    const aborted = upstream.request('tools/call', { name: 'aborted' }, { signal: abort.signal })
    const before = upstream.request(
      'tools/call',
      { name: 'before' },
      { signal: AbortSignal.abort('not now') },
    )
    const short = upstream.request('tools/call', { name: 'short' }, { timeoutMs: 20 })
    const held = upstream.request('tools/call', { name: 'held' })
    abort.abort(new Error('enough'))
    const error = (message: string) => ({ message: expect.stringContaining(message) })
    expect(await aborted).toMatchObject({ failure: 'cancelled', error: error('enough') })
    expect(await before).toMatchObject({ failure: 'cancelled', error: error('not now') })
    expect(await short).toMatchObject({ failure: 'timeout', error: { data: { retry: 'safe' } } })
    expect(await held).toMatchObject({ failure: 'closed', error: { data: { retry: 'safe' } } })
    expect(reasons).toHaveLength(1)
    expect(server.messages.map(({ params }) => params?.name).filter(Boolean)).toEqual(['one'])
  })

  it('is asked what it has before anything is listed, so that nothing is asked in vain', async () => {
    const capabilities = { tools: {} }
    const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'new', version: '2' } }
    const server = scripted(({ id, method }, say) => {
      if (method === 'server/discover')
        return say({
          id,
          result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities, _meta },
        })
      return say({ id, result: { resultType: 'complete', tools: [] } })
    })
    const upstream = await open(server, { prior: modern })
    expect([upstream.capabilities, upstream.negotiation.capabilities]).toEqual([{}, undefined])
    const surface = await listSurface(upstream)
    expect(server.methods).toEqual(['server/discover', 'tools/list'])
    expect([surface.tools.state, surface.prompts.state]).toEqual(['complete', 'unsupported'])
    expect([upstream.capabilities, upstream.serverInfo?.name]).toEqual([capabilities, 'new'])
    await Promise.all([listSurface(upstream), upstream.discover(), upstream.discover()])
    expect(server.methods.filter((method) => method === 'server/discover')).toHaveLength(2)
  })

  it('is listened to in the legacy way where it turns out to be a legacy server', async () => {
    const server = scripted(({ id, method }, say) => {
      if (method === 'resources/subscribe' || method === 'resources/unsubscribe')
        return say({ id, result: {} })
      if (method !== 'initialize') return false
      const capabilities = { resources: { subscribe: true } }
      return say({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo: {} } })
    })
    const events: string[] = []
    const upstream = await open(server, { prior: modern, onEvent: ({ message }) => events.push(message) })
    const filter = { toolsListChanged: true, resourceSubscriptions: ['docs://a'] }
    const subscription = await upstream.listen(filter)
    expect(subscription.honoured).toEqual({ resourceSubscriptions: ['docs://a'] })
    await subscription.close()
    expect(server.methods).toEqual([
      'subscriptions/listen',
      'server/discover',
      'initialize',
      'notifications/initialized',
      'resources/subscribe',
      'resources/unsubscribe',
    ])
    expect(events.filter((event) => event.includes('let us listen'))).toEqual([])
  })

  it('costs no round trip where the caller asks for none', async () => {
    const server = scripted(({ id }, say) => say({ id, result: { resultType: 'complete', content: [] } }))
    const upstream = await open(server, { era: 'modern', discover: false })
    expect(await upstream.request('tools/call', { name: 'one' })).toMatchObject({ kind: 'result' })
    expect([server.methods, upstream.negotiation.roundTrips]).toEqual([['tools/call'], 0])
  })
})

describe('no ordinary message', () => {
  type Reply = 'honest' | 'error' | 'silence' | 'modern' | 'nonsense' | 'end'
  const replies = fc.constantFrom<Reply>('honest', 'honest', 'error', 'silence', 'modern', 'nonsense', 'end')
  const handshake = ['server/discover', 'initialize', 'notifications/initialized', 'notifications/cancelled']

  it('leaves while a handshake is open, or after one that failed, whatever the server does', async () => {
    const plan = fc.record({
      first: replies,
      discover: replies,
      initialize: replies,
      calls: fc.array(fc.nat(3), { maxLength: 5 }),
      beforeReady: fc.constantFrom('wait' as const, 'refuse' as const),
    })
    const found = new Set<string>()
    await fc.assert(
      fc.asyncProperty(plan, async ({ first, discover, initialize, calls, beforeReady }) => {
        let asked = 0
        const server = scripted(({ id, method }, say, hangUp) => {
          if (id === undefined) return true
          if (method === 'tools/call') asked += 1
          const reply =
            method === 'server/discover'
              ? discover
              : method === 'initialize'
                ? initialize
                : asked === 1
                  ? first
                  : 'honest'
          if (reply === 'honest') return false
          if (reply === 'error') say({ id, error: noMethod })
          if (reply === 'nonsense') say({ id, result: { protocolVersion: 7 } })
          if (reply === 'modern')
            say({ id, result: { resultType: 'complete', supportedVersions: ['2026-07-28'], content: [] } })
          if (reply === 'end') hangUp()
          return true
        })
        const upstream = await open(server, {
          prior: modern,
          beforeReady,
          timeouts: { probeMs: 8, connectMs: 8, requestMs: 20 },
        })
        const outcomes = [upstream.request('tools/call', { name: 'first' })]
        for (const pause of calls) {
          for (let turns = 0; turns < pause; turns += 1) await new Promise((done) => setImmediate(done))
          outcomes.push(upstream.request('tools/call', { name: 'more' }))
        }
        await Promise.all(outcomes)
        await upstream.discover()
        outcomes.push(upstream.request('tools/call', { name: 'last' }))
        for (const outcome of await Promise.all(outcomes))
          found.add(outcome.kind === 'error' ? (outcome.failure ?? 'error') : outcome.kind)

        const opened = server.methods.indexOf('initialize')
        if (opened < 0) return
        const confirmed = server.methods.indexOf('notifications/initialized')
        const between = server.methods.slice(opened, confirmed < 0 ? undefined : confirmed)
        expect(between.filter((method) => !handshake.includes(method))).toEqual([])
        if (confirmed < 0) expect(upstream.negotiation.state).toBe('closed')
      }),
      { numRuns: 120 },
    )
    expect([...found]).toEqual(expect.arrayContaining(['result', 'error', 'refused', 'timeout']))
  })

  it('waits where it is to be refused instead', async () => {
    const server = scripted(({ method }) => method === 'initialize')
    const upstream = await open(server, { prior: modern, beforeReady: 'refuse' })
    await upstream.request('tools/call', { name: 'one' })
    await turn()
    expect(await upstream.request('tools/call', { name: 'two' })).toMatchObject({
      failure: 'refused',
      error: { data: { why: 'not-ready' } },
    })
  })
})

it('what is malformed in a declaration is told, and counts as not declared', async () => {
  const events: string[] = []
  const server = scripted(({ id, method }, say) => {
    if (method !== 'initialize') return false
    const capabilities = { tools: {}, prompts: true, resources: { subscribe: 'yes' } }
    return say({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo: {} } })
  })
  const onEvent = ({ level, message }: { level: string; message: string }) =>
    events.push(`${level} ${message}`)
  const upstream = await open(server, { era: 'legacy', onEvent })
  expect(events.filter((event) => event.startsWith('warn'))).toEqual([
    expect.stringContaining('prompts'),
    expect.stringContaining('resources.subscribe'),
  ])
  expect(await upstream.request('prompts/list', {})).toMatchObject({ failure: 'refused' })
})

describe('a remembered verdict', () => {
  const server: ServerConfig = {
    id: 's',
    written: {},
    options: {},
    kind: 'stdio',
    command: 'none',
    args: [],
    env: {},
    cwd: '/',
  }

  async function remembered(script: Script, prior: Prior | undefined) {
    const verdicts = createVerdictStore()
    if (prior) verdicts.set(server, prior)
    const { dialler } = scripted(script)
    const connected = await connectRemembered(server, () => dialler, {
      client: { name: 't', version: '1' },
      verdicts,
      timeouts: { probeMs: 200, requestMs: 2_000 },
    })
    if (!connected.ok) throw new Error(connected.failure.message)
    onTestFinished(() => connected.upstream.close())
    return { upstream: connected.upstream, verdict: () => verdicts.get(server)?.prior }
  }

  it('is forgotten when the server ends before it showed that it still holds', async () => {
    const { upstream, verdict } = await remembered((_, __, hangUp) => hangUp(), modern)
    expect(verdict()?.era).toBe('modern')
    expect(await upstream.request('tools/call', { name: 'one' })).toMatchObject({ failure: 'closed' })
    expect(verdict()).toBeUndefined()
  })

  it('is replaced when the server turns out in use to be of the other era', async () => {
    const { upstream, verdict } = await remembered(() => false, modern)
    await upstream.request('tools/call', { name: 'one' })
    await upstream.discover()
    await upstream.close()
    expect(verdict()).toEqual({ era: 'legacy', version: '2025-11-25' })
  })

  it('is forgotten while it is in doubt', async () => {
    const { upstream, verdict } = await remembered(({ method }) => method === 'server/discover', modern)
    await upstream.request('tools/call', { name: 'one' })
    await upstream.close()
    expect(verdict()).toBeUndefined()
  })

  it('outlives a connection that ends as it should', async () => {
    const { upstream, verdict } = await remembered(() => false, undefined)
    expect(verdict()).toEqual({ era: 'legacy', version: '2025-11-25' })
    await upstream.close()
    expect(verdict()?.era).toBe('legacy')
  })
})

describe('what a server asks of its client', () => {
  it('is refused where the client never said it could: the method, or this form of it', async () => {
    const answers: object[] = []
    const server = scripted((asked, say) => {
      const { id, method } = asked
      if (method === undefined) return answers.push((asked as { error?: object }).error ?? {})
      if (method !== 'tools/call') return false
      say({ id: 'q1', method: 'sampling/createMessage', params: { messages: [] } })
      say({ id: 'q2', method: 'elicitation/create', params: { mode: 'url', url: 'https://x.example' } })
      say({ id: 'q3', method: 'roots/list' })
      say({ id, result: { content: [] } })
    })
    const upstream = await open(server, { capabilities: { elicitation: {}, roots: {} }, era: 'legacy' })
    upstream.onRequest(async () => ({ kind: 'result', value: { roots: [] } }))
    await upstream.request('tools/call', { name: 'one' })
    await turn()
    expect(answers).toMatchObject([{ code: -32601 }, { code: -32602 }, {}])
  })
})
