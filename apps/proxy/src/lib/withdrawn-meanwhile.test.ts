import { describe, expect, it } from 'vitest'
import { lockedServer, openSubscribedProxy, watchingClient } from '../../test/subscribed-proxy.ts'
import { createWatchedServer } from '../../test/watched-server.ts'

const capabilities = { resources: { subscribe: true }, completions: {} }
const ref = { type: 'ref/resource', uri: 'x://a' }
const completion = { ref, argument: { name: 'path', value: 'a' } }

/** A proxy whose server is started once it may, and a client of it. */
async function starting(era: 'legacy' | 'modern') {
  const server = createWatchedServer(era, capabilities)
  const signal = () => {
    let give: () => void = () => undefined
    const given = new Promise<void>((resolve) => {
      give = resolve
    })
    return { give, given }
  }
  const [begun, allowed] = [signal(), signal()]
  const connect: typeof server.connect = async (options) => {
    begun.give()
    await allowed.given
    return server.connect(options)
  }
  const held = Object.create(server, { connect: { value: connect } }) as typeof server
  const proxy = openSubscribedProxy(held, { servers: [lockedServer(capabilities)] })
  const { upstream } = await watchingClient(proxy.service, era)
  const asking = (uri: string) => upstream.request('resources/read', { uri })
  return { server, proxy, start: allowed.give, waits: begun.given, upstream, asking }
}

describe.each(['legacy', 'modern'] as const)('what is taken out while a %s server is started', (era) => {
  it('is not read, on record, and what stays is', async () => {
    const { server, proxy, start, waits, asking } = await starting(era)
    const reading = [asking('x://a'), asking('x://b/1')]
    await waits
    proxy.reload([lockedServer(capabilities, { template: 'x://b{+path}' })])
    start()
    const [gone, stays] = await Promise.all(reading)
    expect(gone).toMatchObject({ kind: 'error' })
    expect(stays).toMatchObject({ kind: 'result' })
    expect(server.reads).toEqual(['x://b/1'])
    const decisions = await proxy.records('decision')
    expect(decisions).toHaveLength(2)
    for (const [name, decision] of [
      ['x://a', { verdict: 'deny', rule: 'pin' }],
      ['x://b/1', { verdict: 'allow' }],
    ] as const)
      expect(decisions).toContainEqual(
        expect.objectContaining({ ...decision, key: { server: 's', kind: 'resource', name } }),
      )
  })

  it('is not completed', async () => {
    const { proxy, start, waits, upstream } = await starting(era)
    const completing = upstream.request('completion/complete', completion)
    await waits
    proxy.reload([lockedServer(capabilities, { template: 'x://b{+path}' })])
    start()
    expect(await completing).toMatchObject({ value: { completion: { values: [] } } })
  })
})

describe.each(['legacy', 'modern'] as const)('what is taken out while a %s server answers', (era) => {
  /** A proxy with a connection to its server, which takes out all but `x://b…` as soon as the server is asked. */
  async function answering() {
    const server = createWatchedServer(era, capabilities)
    const proxy = openSubscribedProxy(server, {
      servers: [lockedServer(capabilities, { resources: ['x://a', 'x://b'] })],
    })
    const { upstream } = await watchingClient(proxy.service, era)
    await upstream.request('resources/read', { uri: 'x://a' })
    server.behaviour.thinks = async () => {
      server.behaviour.thinks = undefined
      proxy.reload([lockedServer(capabilities, { template: 'x://b{+path}', resources: ['x://b'] })])
    }
    return upstream
  }

  it('is not listed', async () => {
    const upstream = await answering()
    const listed = await upstream.request('resources/list', {})
    expect(listed).toMatchObject({ kind: 'result', value: { resources: [{ uri: 'x://b' }] } })
  })

  it('is not completed', async () => {
    const upstream = await answering()
    expect(await upstream.request('completion/complete', completion)).toMatchObject({
      value: { completion: { values: [] } },
    })
  })

  it('is completed where it stays', async () => {
    const upstream = await answering()
    const staying = { ...completion, ref: { type: 'ref/resource', uri: 'x://b' } }
    expect(await upstream.request('completion/complete', staying)).toMatchObject({
      value: { completion: { values: ['a'] } },
    })
  })
})
