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
    // The server would say that it knows no such method.
    expect(await completing).toMatchObject({ value: { completion: { values: [] } } })
  })
})
