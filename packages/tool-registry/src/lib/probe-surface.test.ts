import { describe, expect, it, vi } from 'vitest'
import { type ProbeConnection, probeSurface } from './probe-surface.ts'
import type { Surface } from './surface.ts'

const tool = (name: string, more: object = {}): object => ({ name, inputSchema: { type: 'object' }, ...more })
const [a, b] = [tool('a'), tool('b')]
const key = (name: string) => ({ server: 's', kind: 'tool', name }) as const

/** A server whose surface depends on the number of the connection, of the listing in it, and of the calls so far. */
function server(surface: (connection: number, listing: number, calls: number) => Surface) {
  const close = vi.fn(async () => {})
  let connections = 0
  const connect = async (): Promise<ProbeConnection> => {
    const connection = connections++
    let [listing, calls] = [0, 0]
    return {
      list: async () => surface(connection, listing++, calls),
      call: async () => {
        calls += 1
      },
      close,
    }
  }
  return { connect, close }
}

describe('probeSurface', () => {
  it('finds a steady server steady, in another spelling too', async () => {
    const respelled = JSON.parse('{"inputSchema":{"type":"\\u006fbject"},"name":"a"}') as object
    const { connect, close } = server((connection) => ({
      tools: [connection === 1 ? respelled : a, b],
      prompts: [{ name: 'p' }],
    }))
    const report = await probeSurface('s', connect)
    expect(report).toMatchObject({ connections: 3, calls: 0, steady: true, sameInstructions: true })
    expect(report.lists[0]).toEqual({
      list: 'tools',
      samePerConnection: true,
      sameAfterCalls: undefined,
      stableOrder: true,
      varying: [],
    })
    expect(close).toHaveBeenCalledTimes(3)
  })

  it('names what varies per connection, by definition and member', async () => {
    const { connect } = server((connection) => ({
      tools: [tool('a', { description: `token ${connection}` }), b],
    }))
    const report = await probeSurface('s', connect)
    expect(report.steady).toBe(false)
    expect(report.lists[0]).toMatchObject({
      samePerConnection: false,
      varying: [{ key: key('a'), fields: ['description'] }],
    })
  })

  it('tells a side effect of calls from a variation per connection', async () => {
    const { connect } = server((_, __, calls) => ({ tools: calls > 0 ? [a, b] : [a] }))
    const report = await probeSurface('s', connect, { calls: [key('a')] })
    expect(report).toMatchObject({ calls: 3, steady: false })
    expect(report.lists[0]).toMatchObject({
      samePerConnection: true,
      sameAfterCalls: false,
      varying: [{ key: key('b'), fields: [] }],
    })
    const quiet = await probeSurface('s', server(() => ({ tools: [a] })).connect, { calls: [key('a')] })
    expect(quiet).toMatchObject({ steady: true, lists: [{ sameAfterCalls: true }, {}, {}] })
  })

  it('calls nothing unless it is told what', async () => {
    const call = vi.fn(async () => {})
    await probeSurface('s', async () => ({ list: async () => ({ tools: [a] }), call, close: async () => {} }))
    expect(call).not.toHaveBeenCalled()
  })

  it('measures whether a server keeps its own order', async () => {
    const { connect } = server((connection) => ({ tools: connection === 1 ? [b, a] : [a, b] }))
    const report = await probeSurface('s', connect)
    expect(report).toMatchObject({
      steady: false,
      lists: [{ samePerConnection: true, stableOrder: false }, {}, {}],
    })
  })

  it('closes its connections whatever happens, and stops when told', async () => {
    const close = vi.fn(async () => {})
    const failing = async () => ({ list: async () => Promise.reject(new Error('gone')), close })
    await expect(probeSurface('s', failing)).rejects.toThrow('gone')
    expect(close).toHaveBeenCalledTimes(1)
    await expect(probeSurface('s', failing, { signal: AbortSignal.abort() })).rejects.toThrow()
    expect(close).toHaveBeenCalledTimes(1)
  })

  it('notices instructions that vary', async () => {
    const { connect } = server((connection) => ({ instructions: `session ${connection}` }))
    expect(await probeSurface('s', connect, { connections: 2 })).toMatchObject({
      sameInstructions: false,
      steady: false,
      connections: 2,
    })
  })
})
