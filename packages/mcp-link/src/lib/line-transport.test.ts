import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { neverSent, UnsentError } from './failure.ts'
import { createLineTransport } from './line-transport.ts'
import { createPeer } from './peer.ts'

/** An output whose writes the test completes or fails, one by one. */
function held() {
  const waiting: ((error?: Error) => void)[] = []
  const lines: string[] = []
  const output = new Writable({
    write(chunk, _encoding, callback) {
      lines.push(String(chunk))
      waiting.push(callback)
    },
    writev(chunks, callback) {
      lines.push(...chunks.map(({ chunk }) => String(chunk)))
      waiting.push(callback)
    },
  })
  const input = new PassThrough()
  const transport = createLineTransport({ input, output })
  const peer = createPeer(transport, {
    request: async () => undefined,
    notification: () => undefined,
    closed: () => undefined,
  })
  return { peer, lines, waiting, input, output }
}
const ask = ({ peer }: ReturnType<typeof held>, method: string) =>
  peer.request(method, {}, { timeoutMs: 5_000 })
const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })

describe('a line that could not be written', () => {
  it('by itself never arrived, and the request says that it is safe to make again', async () => {
    const link = held()
    await link.peer.start()
    const asked = ask(link, 'm')
    link.waiting[0]?.(broken)
    expect(await asked).toMatchObject({ failure: 'transport', error: { data: { retry: 'safe' } } })
    expect(link.lines).toHaveLength(1)
  })

  it('together with others may have arrived', async () => {
    const link = held()
    await link.peer.start()
    const [first, second, third] = ['a', 'b', 'c'].map((method) => ask(link, method))
    link.waiting[0]?.()
    await new Promise((resolve) => setImmediate(resolve))
    expect(link.lines).toHaveLength(3)
    link.waiting[1]?.(broken)
    for (const outcome of await Promise.all([second, third])) {
      expect(outcome).toMatchObject({ kind: 'error', error: { message: expect.stringContaining('EPIPE') } })
      expect(outcome).not.toHaveProperty('error.data')
    }
    // Written, and never answered: its outcome is unknown.
    const unanswered = await first
    expect(unanswered).toMatchObject({ failure: 'closed' })
    expect(unanswered).not.toHaveProperty('error.data')
  })

  it('to a stream that is gone is not tried', async () => {
    const link = held()
    await link.peer.start()
    link.input.end()
    link.input.resume()
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(await ask(link, 'm')).toMatchObject({ failure: 'closed', error: { data: { retry: 'safe' } } })
    expect(link.lines).toEqual([])
  })
})

describe('a failed fetch', () => {
  const failed = (cause: unknown) => new TypeError('fetch failed', { cause })
  const system = (syscall: string, code: string) => Object.assign(new Error(code), { syscall, code })

  it.each([
    ['a refused connection', failed(system('connect', 'ECONNREFUSED'))],
    ['a name without an address', failed(system('getaddrinfo', 'ENOTFOUND'))],
    ['a connection that took too long', failed({ code: 'UND_ERR_CONNECT_TIMEOUT' })],
    [
      'every address refused',
      failed(new AggregateError([system('connect', 'ECONNREFUSED'), system('connect', 'ENETUNREACH')])),
    ],
    ['what the transport knows', new UnsentError('the stream is closed')],
  ])('for %s sent nothing', (_, thrown) => {
    expect(neverSent(thrown)).toBe(true)
  })

  it.each([
    ['a reset', failed(system('read', 'ECONNRESET'))],
    ['a closed socket', failed({ code: 'UND_ERR_SOCKET' })],
    [
      'a mixture',
      failed(new AggregateError([system('connect', 'ECONNREFUSED'), system('read', 'ECONNRESET')])),
    ],
    ['no address at all', failed(new AggregateError([]))],
    ['no cause', new TypeError('fetch failed')],
    ['no error', 'ECONNREFUSED'],
    ['nothing', undefined],
  ])('for %s may have sent everything', (_, thrown) => {
    expect(neverSent(thrown)).toBe(false)
  })
})
