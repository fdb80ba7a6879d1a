import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Era, JsonObject, Outcome, ServerConfig, Upstream } from '@truename/mcp-link'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { heapInUse, said } from './arbitrary-json.ts'
import { adapters, call, capabilities, connectFor } from './links.ts'
import { httpConfig, stdioConfig } from './programs.ts'
import { type Script, scriptedHttp, type WireRequest } from './scripted-http.ts'

const file = join(import.meta.dirname, 'programs', 'says.mjs')
const timeouts = { probeMs: 120, connectMs: 240, requestMs: 60, maxRequestMs: 400, graceMs: 100 }
const options = { client: { name: 't', version: '1' }, capabilities, timeouts, onEvent: () => undefined }

interface Way {
  readonly line: keyof typeof adapters
  readonly era: Era
}
const ways: readonly Way[] = [
  { line: 'v1', era: 'legacy' },
  { line: 'v2', era: 'legacy' },
  { line: 'v2', era: 'modern' },
]

/** What an outcome is, as one word; it can be written down, whatever it holds. */
function wordFor(outcome: Outcome): string {
  expect(JSON.stringify(outcome).length).toBeGreaterThan(0)
  return outcome.kind === 'error' ? (outcome.failure ?? 'error') : outcome.kind
}
const words = ['result', 'input_required', 'error', 'timeout', 'closed', 'transport', 'invalid']

/** The connection there is, or a new one where the last thing that was said ended it. */
function reconnecting(way: Way, server: ServerConfig): () => Promise<Upstream> {
  let upstream: Upstream | undefined
  return async () => {
    if (upstream?.negotiation.state === 'ready') return upstream
    // What is honest gets the time that a busy machine may need.
    const patient = { ...timeouts, probeMs: 5_000, connectMs: 10_000 }
    upstream = (await connectFor(way.line, server, { ...options, era: way.era, timeouts: patient })).upstream
    return upstream
  }
}

/** Says things over HTTP: as one JSON body or as an event stream, with a status. */
function sayOverHttp(response: ServerResponse, request: WireRequest, how: Said): true {
  const id = JSON.stringify(request.body.id ?? null)
  const texts = how.lines.map((line) => line.replaceAll('"$ID"', id))
  if (how.stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(texts.map((text) => `event: message\ndata: ${text}\n\n`).join(''))
  } else {
    response.writeHead(how.status, { 'content-type': 'application/json' }).end(texts.join(''))
  }
  return true
}
interface Said {
  readonly lines: readonly string[]
  readonly stream: boolean
  readonly status: number
}
const anything: fc.Arbitrary<Said> = fc.record({
  lines: fc.array(said, { minLength: 1, maxLength: 4 }),
  stream: fc.boolean(),
  status: fc.constantFrom(200, 200, 200, 202, 400, 404, 500),
})
const discovery = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
}

describe.each(ways)('whatever a server says in JSON, on the $line line in the $era era,', (way) => {
  it('in answer to a call over stdio: it has an outcome, and the next call has its own', async () => {
    const connection = reconnecting(way, stdioConfig('says', [file]))
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(said, { maxLength: 4 }), async (lines) => {
        const upstream = await connection()
        seen.add(wordFor(await call(upstream, 'say', { lines }, { ask: async () => answered })))
        if (upstream.negotiation.state !== 'ready') return
        // An error without an id may be late, and be taken for the answer to the only call there is.
        await call(upstream, 'say', { answers: true }, { timeoutMs: 10_000 })
        const next = await call(upstream, 'say', { answers: true }, { timeoutMs: 10_000 })
        expect(next).toMatchObject({ kind: 'result', value: { content: [] } })
      }),
      { numRuns: 100 },
    )
    // Everything that can happen did: the generator says enough of what matters.
    expect([...seen]).toEqual(expect.arrayContaining(['result', 'error', 'invalid', 'timeout']))
    expect([...seen].filter((word) => !words.includes(word))).toEqual([])
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('in answer to a call over HTTP: it has an outcome, and the connection works or says that it is gone', async () => {
    let how: Said | undefined
    const script: Script = (request, response) => {
      const { method, body } = request
      if (how !== undefined && method === 'tools/call') return sayOverHttp(response, request, how)
      const honest = (result: JsonObject) =>
        sayOverHttp(response, request, {
          lines: [JSON.stringify({ jsonrpc: '2.0', id: body.id ?? null, result })],
          stream: false,
          status: 200,
        })
      if (method === 'server/discover' && way.era === 'modern') return honest(discovery)
      if (method === 'tools/call') return honest({ resultType: 'complete', content: [] })
      return undefined
    }
    const { url } = await scriptedHttp(script)
    const connection = reconnecting(way, httpConfig('says', url))
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(anything, async (next) => {
        const upstream = await connection()
        how = next
        seen.add(wordFor(await call(upstream, 'say', {}, { ask: async () => answered })))
        how = undefined
        if (upstream.negotiation.state !== 'ready') return
        const good = await call(upstream, 'say', {}, { timeoutMs: 10_000 })
        expect(good, JSON.stringify(good)).toMatchObject({ kind: 'result' })
      }),
      { numRuns: 150 },
    )
    expect([...seen]).toEqual(expect.arrayContaining(['result', 'error', 'invalid', 'transport']))
    expect([...seen].filter((word) => !words.includes(word))).toEqual([])
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('in answer to the handshake over HTTP: there is a connection or a failure that says why', async () => {
    let how: readonly Said[] = []
    const { url } = await scriptedHttp((request, response) => {
      const [next, ...rest] = how
      how = rest
      return next && request.verb === 'POST' ? sayOverHttp(response, request, next) : undefined
    })
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { minLength: 1, maxLength: 3 }), async (handshake) => {
        how = handshake
        await connectsOrSaysWhy(way, httpConfig('says', url))
      }),
      { numRuns: 60 },
    )
  })

  it('in answer to the handshake over stdio: there is a connection or a failure, and no process is left', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(said, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        async (handshake) => {
          const script = handshake.map((lines) => JSON.stringify(lines))
          await connectsOrSaysWhy(way, stdioConfig('says', [file, ...script]))
        },
      ),
      { numRuns: 12 },
    )
  })

  it('a hundred thousand times over stdio, nothing of it is kept', async () => {
    const { upstream } = await connectFor(way.line, stdioConfig('says', [file]), {
      ...options,
      era: way.era,
      timeouts: { requestMs: 60_000 },
    })
    let heard = 0
    upstream.onNotification(() => {
      heard += 1
    })
    const flood = (times: number) => call(upstream, 'say', { lines: floodOf, times, answers: true })
    await flood(500)
    const before = heapInUse()
    const outcome = await flood(100_000 / floodOf.length)
    expect(outcome).toMatchObject({ kind: 'result' })
    expect(heapInUse() - before).toBeLessThan(8 * 1024 * 1024)
    expect(heard).toBeGreaterThan(1_000)
  })

  it('a hundred thousand times over HTTP, nothing of it is kept', async () => {
    let times = 500
    const script: Script = async (request, response) => {
      const { method, body } = request
      const id = JSON.stringify(body.id ?? null)
      const done = (result: JsonObject) => JSON.stringify({ jsonrpc: '2.0', id: body.id ?? null, result })
      if (method === 'server/discover' && way.era === 'modern')
        return sayOverHttp(response, request, { lines: [done(discovery)], stream: false, status: 200 })
      if (method !== 'tools/call') return undefined
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const burst = floodOf.map((line) => `data: ${line.replaceAll('"$ID"', id)}\n\n`).join('')
      for (let time = 0; time < times; time += 1) {
        if (!response.write(burst)) await new Promise((resolve) => response.once('drain', resolve))
      }
      response.end(`data: ${done({ resultType: 'complete', content: [] })}\n\n`)
      return true
    }
    const { url } = await scriptedHttp(script)
    const { upstream } = await connectFor(way.line, httpConfig('says', url), {
      ...options,
      era: way.era,
      timeouts: { requestMs: 60_000 },
    })
    expect(await call(upstream, 'say')).toMatchObject({ kind: 'result' })
    const before = heapInUse()
    times = 100_000 / floodOf.length
    expect(await call(upstream, 'say')).toMatchObject({ kind: 'result' })
    expect(heapInUse() - before).toBeLessThan(8 * 1024 * 1024)
  })
})

const answered: Outcome = { kind: 'result', value: {} }

/** Answers to nothing, progress for nobody, changes nobody listens to, cancellations, log messages, and noise. */
const floodOf = [
  '{"jsonrpc":"2.0","id":999999,"result":{"content":[]}}',
  '{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"no"}}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"$ID","progress":1}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}',
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"text"}}',
  '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"docs://a"}}',
  '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}',
  '{"__proto__":{"polluted":true}}',
  '[1,2,3]',
]

async function connectsOrSaysWhy({ line, era }: Way, server: ServerConfig): Promise<void> {
  const connected = await adapters[line].connect(server, { ...options, era: era === 'modern' ? 'auto' : era })
  if (!connected.ok) {
    expect(connected.failure.message).toMatch(/^Server "says": \S/)
    expect(connected.failure.message.length).toBeLessThan(3_000)
    return
  }
  onTestFinished(() => connected.upstream.close())
  const { era: found, version, state } = connected.upstream.negotiation
  expect([typeof found, typeof version, state]).toEqual(['string', 'string', 'ready'])
  await connected.upstream.close()
}
