import { expect, it, onTestFinished } from 'vitest'
import { connectLink } from './connect-link.ts'
import type { JsonObject } from './json.ts'
import { createMemoryPair } from './memory-pair.ts'
import type { WireMessage } from './message.ts'

const discovery = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
const handshake = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'slow', version: '1' },
}
const refusal = { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } }

/** Reads nothing before `initialize` came, and then answers what waited in its order, as a process that starts does. */
async function open(onInitialize: JsonObject) {
  const methods: string[] = []
  const waiting: (() => void)[] = []
  const connected = await connectLink(
    {
      serverId: 's',
      transport: 'stdio',
      async dial() {
        const [near, far] = createMemoryPair()
        const say = (message: object) => void far.send({ jsonrpc: '2.0', ...message } as WireMessage)
        far.onmessage = (({ id, method }: { id?: number; method: string }) => {
          methods.push(method)
          const answers: Record<string, object> = {
            'server/discover': { result: discovery },
            initialize: onInitialize,
            'tools/list': { result: { resultType: 'complete', tools: [] } },
          }
          const answer = answers[method]
          if (id === undefined || answer === undefined) return
          waiting.push(() => say({ id, ...answer }))
          if (method === 'server/discover') return
          for (const give of waiting.splice(0)) give()
        }) as (message: never) => void
        await far.start()
        return { transport: near }
      },
    },
    { client: { name: 't', version: '1' }, timeouts: { probeMs: 5, connectMs: 2_000, requestMs: 2_000 } },
  )
  if (!connected.ok) throw new Error(connected.failure.message)
  const { upstream } = connected
  onTestFinished(() => upstream.close())
  expect(await upstream.request('tools/list', {})).toMatchObject({ kind: 'result' })
  return { upstream, sent: methods.filter((method) => method !== 'notifications/cancelled') }
}

it('a dual-era server that starts slower than the probe waits is initialized to the end, in one era', async () => {
  const { upstream, sent } = await open({ result: handshake })
  expect(sent).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/list'])
  expect([upstream.negotiation.era, upstream.serverInfo?.name]).toEqual(['legacy', 'slow'])
  expect(upstream.negotiation.verdict()).toBeUndefined()
})

it('a modern server that starts slower than the probe waits is a modern one, in the same process', async () => {
  const { upstream, sent } = await open({ error: refusal })
  expect(sent).toEqual(['server/discover', 'initialize', 'tools/list'])
  expect([upstream.negotiation.era, upstream.negotiation.generation]).toEqual(['modern', 1])
})
