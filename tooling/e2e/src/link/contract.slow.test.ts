import {
  type Era,
  isJsonObject,
  type JsonObject,
  listSurface,
  type Outcome,
  type Upstream,
} from '@truename/mcp-link'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adapters, call, callAnswering, connectFor, textOf, until } from './links.ts'
import { httpConfig, program, stdioConfig } from './programs.ts'
import { sampleService } from './sample-service.ts'

type Line = keyof typeof adapters

interface Link {
  readonly client: Line
  readonly server: Line
  readonly transport: 'stdio' | 'http'
  readonly era: Era
}

/** Every way our own two halves can meet. */
const links: readonly Link[] = (['v1', 'v2'] as const).flatMap((client) =>
  (['v1', 'v2'] as const).flatMap((server) =>
    (['stdio', 'http'] as const).flatMap((transport) =>
      (client === 'v2' && server === 'v2' ? (['legacy', 'modern'] as const) : (['legacy'] as const)).map(
        (era): Link => ({ client, server, transport, era }),
      ),
    ),
  ),
)

async function open(link: Link, more: Parameters<typeof connectFor>[2] = {}): Promise<Upstream> {
  const options = { era: link.era, ...more }
  if (link.transport === 'stdio') {
    const file = await program(link.server === 'v1' ? 'sample-server-v1' : 'sample-server')
    return (await connectFor(link.client, stdioConfig('sample', [file]), options)).upstream
  }
  const endpoint = await adapters[link.server].serveHttp(sampleService().service)
  onTestFinished(() => endpoint.close())
  return (await connectFor(link.client, httpConfig('sample', endpoint.url), options)).upstream
}

const report = async (upstream: Upstream): Promise<JsonObject> => {
  const outcome = await call(upstream, 'report')
  return outcome.kind === 'result' && isJsonObject(outcome.value.structuredContent)
    ? outcome.value.structuredContent
    : {}
}

describe.each(links)('a $client client on a $server server over $transport in the $era era', (link) => {
  it('negotiates, lists, relays and reports in one connection', async () => {
    const upstream = await open(link)
    expect(upstream.negotiation.era).toBe(link.era)
    expect(upstream.negotiation.version).toBe(link.era === 'modern' ? '2026-07-28' : '2025-11-25')
    expect(upstream.serverInfo).toEqual({ name: 'sample', version: '1.0.0' })
    expect(upstream.instructions).toBe('Be kind.')

    const surface = await listSurface(upstream)
    expect(surface.tools).toMatchObject({ state: 'complete', pages: 1, warnings: [] })
    expect(surface.tools.items.map(({ name }) => name)).toContain('strange')
    expect(surface.prompts).toMatchObject({ state: 'complete', items: [] })
    expect(surface.resources.items).toEqual([{ uri: 'docs://a', name: 'a' }])
    expect(surface.resourceTemplates.items).toEqual([{ uriTemplate: 'docs://{name}', name: 'doc' }])

    const strange = await call(upstream, 'strange')
    const added = link.era === 'modern' ? { resultType: 'complete' } : {}
    const meta =
      link.era === 'modern'
        ? { 'io.modelcontextprotocol/serverInfo': { name: 'sample', version: '1.0.0' } }
        : {}
    expect(strange).toEqual({
      kind: 'result',
      value: {
        ...added,
        isError: true,
        structuredContent: { list: [1, 'two', null] },
        unknownMember: { deep: { '': 0 } },
        _meta: { 'example.org/kept': [true], ...meta },
        content: [
          { type: 'hologram', data: 'x', extra: 1 },
          { type: 'resource_link', uri: 'docs://a', name: 'a', more: {} },
        ],
      },
    })
    expect(await call(upstream, 'fail')).toEqual({
      kind: 'error',
      error: { code: -31999, message: 'Отказ', data: { why: ['x'] } },
    })
    expect(await call(upstream, 'nothing')).toMatchObject({ kind: 'error', error: { code: -32602 } })

    const refused = await upstream.request('logging/setLevel', { level: 'debug' })
    expect(refused).toMatchObject({ kind: 'error', failure: 'refused' })
    const seen = await report(upstream)
    expect(seen.methods).not.toContain('logging/setLevel')
    const calls = (seen.params as JsonObject[]).filter(({ name }) => name === 'strange')
    expect(calls).toEqual([{ name: 'strange', arguments: {} }])
  })

  it('keeps every step of progress with its own call, also those that come with the answer', async () => {
    const upstream = await open(link)
    const run = async (count: number): Promise<readonly number[]> => {
      const steps: number[] = []
      const outcome = await call(
        upstream,
        'steps',
        { count },
        { progress: (step) => steps.push(step.progress) },
      )
      steps.push(textOf(outcome) === 'done' ? 0 : -1)
      return steps
    }
    expect(await Promise.all([run(3), run(5), run(1)])).toEqual([
      [1, 2, 3, 0],
      [1, 2, 3, 4, 5, 0],
      [1, 0],
    ])
  })

  it('answers many calls at once, each with its own answer', async () => {
    const upstream = await open(link)
    const texts = Array.from({ length: 40 }, (_, index) => `текст ${index}`)
    const answers = await Promise.all(texts.map((text) => call(upstream, 'echo', { text })))
    expect(answers.map(textOf)).toEqual(texts)
  })

  it('takes a call back at the server when it is aborted or its time is up, and no other one', async () => {
    const upstream = await open(link)
    const abort = new AbortController()
    const aborted = call(upstream, 'wait', { label: 'aborted' }, { signal: abort.signal })
    const late = call(upstream, 'wait', { label: 'late' }, { timeoutMs: 300 })
    const steady = call(upstream, 'steps', { count: 6, pauseMs: 150 }, { timeoutMs: 600 })
    const endless = call(
      upstream,
      'steps',
      { count: 1000, pauseMs: 50 },
      { timeoutMs: 5000, maxTimeoutMs: 400 },
    )
    setTimeout(() => abort.abort(new Error('not needed any more')), 100)
    expect(await aborted).toMatchObject({
      kind: 'error',
      failure: 'cancelled',
      error: { message: 'not needed any more' },
    })
    expect(await late).toMatchObject({ kind: 'error', failure: 'timeout' })
    expect(await endless).toMatchObject({
      kind: 'error',
      failure: 'timeout',
      error: { message: expect.stringContaining('in all') },
    })
    expect(textOf(await steady)).toBe('done')
    await until(async () => ((await report(upstream)).cancelled as string[]).length === 2)
    expect((await report(upstream)).cancelled).toEqual(['aborted', 'late'])
  })

  it('carries what a call asks of its client, once and twice', async () => {
    const upstream = await open(link)
    const asked: string[] = []
    const answer = (method: string): JsonObject => {
      asked.push(method)
      return method === 'elicitation/create'
        ? { action: 'accept', content: { pick: 'красный' } }
        : { role: 'assistant', model: 'm-1', content: { type: 'text', text: '' } }
    }
    const once = await callAnswering(upstream, 'ask', {}, answer)
    expect(textOf(once.outcome)).toBe('{"pick":"красный"}')
    const twice = await callAnswering(upstream, 'ask', { twice: true }, answer)
    expect(textOf(twice.outcome)).toBe('[{"pick":"красный"},"m-1"]')
    expect(asked).toEqual(['elicitation/create', 'elicitation/create', 'sampling/createMessage'])
    expect([once.rounds, twice.rounds]).toEqual(link.era === 'modern' ? [2, 3] : [1, 1])
  })

  it('does not ask a client for what it did not declare', async () => {
    const upstream = await open(link, { capabilities: {} })
    const { outcome } = await callAnswering(upstream, 'ask', {}, () => ({ action: 'cancel' }))
    expect(textOf(outcome)).toContain('not asked: ')
  })

  it('hears of the changes it listens for, and of no others', async () => {
    const upstream = await open(link)
    const heard: string[] = []
    upstream.onNotification(({ method, params }) => heard.push(`${method} ${params?.uri ?? ''}`.trim()))
    const subscription = await upstream.listen({
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['docs://a'],
    })
    expect(subscription.honoured).toEqual({ toolsListChanged: true, resourceSubscriptions: ['docs://a'] })
    await call(upstream, 'touch', { uri: 'docs://a' })
    await call(upstream, 'touch', { uri: 'docs://b' })
    await until(() => heard.length >= 3)
    await subscription.close()
    const tools = 'notifications/tools/list_changed'
    expect(heard.toSorted()).toEqual(['notifications/resources/updated docs://a', tools, tools])
    await until(async () => {
      const { listening } = await report(upstream)
      return JSON.stringify((listening as JsonObject[]).at(-1)?.resourceSubscriptions ?? []) === '[]'
    })
    await call(upstream, 'touch', { uri: 'docs://a' })
    await call(upstream, 'echo')
    expect(heard.filter((line) => line.includes('updated'))).toHaveLength(1)
  })

  it('is asked outside any call only in the legacy era, and answers for itself', async () => {
    const upstream = await open(link)
    upstream.onRequest(async (method): Promise<Outcome> => ({ kind: 'result', value: { roots: [], method } }))
    await call(upstream, 'later')
    await until(async () => ((await report(upstream)).later as string[]).length === 1)
    const [later] = (await report(upstream)).later as string[]
    if (link.era === 'legacy') expect(later).toBe('{"roots":[],"method":"roots/list"}')
    else expect(later).toContain('the modern era has no requests of servers')
  })

  it('says that the connection is gone, and answers nothing more', async () => {
    const upstream = await open(link)
    const reasons: string[] = []
    upstream.onClose((reason) => reasons.push(reason))
    const open_ = call(upstream, 'wait')
    await upstream.close()
    expect(await open_).toMatchObject({ kind: 'error', failure: 'closed' })
    expect(await call(upstream, 'echo')).toMatchObject({ kind: 'error' })
    expect(reasons).toEqual(['closed by this side'])
  })
})
