import type { JsonObject } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { call, connectFor } from './links.ts'
import { httpConfig } from './programs.ts'
import { scriptedHttp, type WireRequest } from './scripted-http.ts'

const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } }
const result = (id: unknown, text: string) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }] },
})
const answered = (text: string) => ({ kind: 'result', value: { content: [{ text }] } })
const event = (data: unknown, id?: string): string =>
  `${id === undefined ? '' : `retry: 5\nid: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
const nameOf = ({ body }: WireRequest): unknown => (body.params as JsonObject | undefined)?.name

/** A server of 2025-03-26 that answers a call with these events and ends the stream, and a resumed one with others. */
async function server(events: (request: WireRequest) => string, resumed: () => string = () => '') {
  return await scriptedHttp(
    (request, response) => {
      const resumes = request.headers['last-event-id'] !== undefined
      if (request.method !== 'tools/call' && !resumes) return undefined
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(resumes ? resumed() : events(request))
      return true
    },
    { version: '2025-03-26' },
  )
}

describe.each(['v1', 'v2'] as const)('several messages in one event, on the %s line,', (line) => {
  const options = { era: 'legacy' as const, timeouts: { requestMs: 60_000 } }

  it.each([
    ['an answer behind a notification', (id: unknown) => [note, result(id, 'done')]],
    ['an answer in front of one', (id: unknown) => [result(id, 'done'), note]],
    ['an answer alone', (id: unknown) => [result(id, 'done')]],
  ])('%s are taken for the answer, and the stream is not taken up again', async (_name, batch) => {
    const { url, seen } = await server(({ body }) => event(batch(body.id), 'e-1'))
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    for (let times = 0; times < 2; times += 1)
      expect(await call(upstream, 'one')).toMatchObject(answered('done'))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(seen.filter(({ headers }) => headers['last-event-id'] !== undefined)).toEqual([])
  })

  it('that answer nothing leave the call unanswered: it fails at once, or is taken up again where it can be', async () => {
    let open: unknown
    const { url } = await server(
      (request) => {
        open = request.body.id
        return event([note, note], nameOf(request) === 'resumable' ? 'e-1' : undefined)
      },
      () => event([note, result(open, 'resumed')]),
    )
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    expect(await call(upstream, 'plain')).toMatchObject({ kind: 'error', failure: 'transport' })
    expect(await call(upstream, 'resumable')).toMatchObject(answered('resumed'))
  })

  it('that answer another call too answer both', async () => {
    let waiting: unknown
    const both = await scriptedHttp(
      (request, response) => {
        if (request.method !== 'tools/call') return undefined
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        if (nameOf(request) === 'first') {
          waiting = request.body.id
          response.write(': waits\n\n')
          return true
        }
        response.end(event([result(waiting, 'first'), note, result(request.body.id, 'second')]))
        return true
      },
      { version: '2025-03-26' },
    )
    const { upstream } = await connectFor(line, httpConfig('s', both.url), options)
    const first = call(upstream, 'first')
    while (waiting === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await call(upstream, 'second')).toMatchObject(answered('second'))
    expect(await first).toMatchObject(answered('first'))
  })

  it('that answer another call alone leave this one unanswered', async () => {
    const { url } = await server(() => event([result(4711, 'other'), note]))
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    expect(await call(upstream, 'one')).toMatchObject({ kind: 'error', failure: 'transport' })
  })

  it('with an error under no id fail the call on whose stream they came', async () => {
    const error = { code: -32099, message: 'no' }
    const { url, seen } = await server(() => event([note, { jsonrpc: '2.0', id: null, error }], 'e-1'))
    const { upstream } = await connectFor(line, httpConfig('s', url), options)
    expect(await call(upstream, 'one')).toMatchObject({ kind: 'error', error })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(seen.filter(({ headers }) => headers['last-event-id'] !== undefined)).toEqual([])
  })
})
