import { describe, expect, it } from 'vitest'
import { openSubscribedProxy, watchingClient } from '../../test/subscribed-proxy.ts'
import { createWatchedServer } from '../../test/watched-server.ts'

/** A proxy that may be made to change while it writes the first record. */
async function changing(era: 'legacy' | 'modern', change: (proxy: Proxied) => void) {
  const server = createWatchedServer(era)
  let isFirst = true
  const proxy: Proxied = openSubscribedProxy(server, {
    async beforeWriting() {
      if (isFirst) change(proxy)
      isFirst = false
    },
  })
  const { upstream } = await watchingClient(proxy.service, era)
  return { server, proxy, read: (uri: string) => upstream.request('resources/read', { uri }) }
}
type Proxied = ReturnType<typeof openSubscribedProxy>

describe.each(['legacy', 'modern'] as const)('what is decided before a %s server is asked', (era) => {
  it.each(['deny', 'ask'] as const)(
    'is not sent where the policy says %s by the time the decision is on record',
    async (verdict) => {
      const { server, proxy, read } = await changing(era, ({ narrow }) =>
        narrow([{ server: 's', resource: '*', decision: verdict }]),
      )
      expect(await read('x://a')).toMatchObject({ kind: 'error' })
      expect(server.reads).toEqual([])
      expect(await proxy.records('decision')).toMatchObject([
        { verdict: 'allow' },
        { verdict, key: { server: 's', kind: 'resource', name: 'x://a' } },
      ])
      expect(await proxy.records('outcome')).toMatchObject([{ outcome: 'refused' }])
    },
  )

  it('is sent where the policy changed for something else', async () => {
    const { server, read } = await changing(era, ({ narrow }) =>
      narrow([{ server: 's', tool: '*', decision: 'deny' }]),
    )
    expect(await read('x://a')).toMatchObject({ kind: 'result' })
    expect(server.reads).toEqual(['x://a'])
  })
})
