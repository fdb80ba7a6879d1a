import { describe, expect, it, onTestFinished } from 'vitest'
import type { ConnectOptions } from './connect-link.ts'
import { connectRemembered } from './connect-remembered.ts'
import { createMemoryPair } from './memory-pair.ts'
import type { Era, Service } from './port.ts'
import { serveConnection } from './serve-connection.ts'
import { createServing } from './serve-options.ts'
import type { ServerConfig } from './server-config.ts'
import { createVerdictStore } from './verdict-store.ts'

const server: ServerConfig = { id: 's', url: 'http://s', kind: 'http', headers: {}, written: {}, options: {} }
const service: Service = {
  declare: () => ({ info: { name: 's', version: '1' }, capabilities: { tools: {} } }),
  accept: (downstream) => downstream.serve(async () => ({ kind: 'result', value: { tools: [] } })),
}
const legacyVersions = ['2025-06-18', '2025-11-25']

/** A server and what is remembered of it from connection to connection. */
function remembering(known?: Era, versions?: readonly string[]) {
  const verdicts = createVerdictStore()
  if (known) verdicts.set(server, { era: known, version: known === 'legacy' ? '2025-11-25' : '2026-07-28' })
  let dials = 0
  const dial = async () => {
    dials += 1
    const [near, far] = createMemoryPair()
    await serveConnection(far, service, { serving: createServing({ versions }), profile: 'p' }).start()
    return { transport: near }
  }
  const connect = async (options: Partial<ConnectOptions> = {}, use = false) => {
    const client = { name: 't', version: '1' }
    const connected = await connectRemembered(server, () => ({ serverId: 's', transport: 'stdio', dial }), {
      client,
      verdicts,
      ...options,
    })
    if (connected.ok) {
      onTestFinished(() => connected.upstream.close())
      if (use) await connected.upstream.request('tools/list', {})
      await connected.upstream.close()
    }
    return { ok: connected.ok, era: connected.ok && connected.upstream.negotiation.era }
  }
  return { connect, known: () => verdicts.get(server)?.prior.era, dials: () => dials }
}

describe('what is remembered of a server of both eras', () => {
  it.each<[string, Partial<ConnectOptions>, Era]>([
    ['the legacy era alone is asked for', { era: 'legacy' }, 'legacy'],
    ['only legacy revisions are offered', { versions: legacyVersions }, 'legacy'],
    ['the modern era is taken for granted', { era: 'modern', discover: false }, 'modern'],
  ])('stays what it was where %s', async (_, options, era) => {
    for (const known of [undefined, 'legacy', 'modern'] as const) {
      const store = remembering(known)
      expect(await store.connect(options)).toEqual({ ok: true, era })
      expect([store.known(), store.dials()]).toEqual([known, 1])
    }
  })

  it('is found again by whoever offers both eras after one that offered the legacy one', async () => {
    const store = remembering()
    await store.connect({ era: 'legacy' })
    expect(await store.connect()).toEqual({ ok: true, era: 'modern' })
    expect(store.known()).toBe('modern')
  })

  it('is the modern era where that was asked for and found: by the probe, or in use', async () => {
    for (const known of [undefined, 'legacy'] as const) {
      const probed = remembering(known)
      await probed.connect({ era: 'modern' })
      expect(probed.known()).toBe('modern')
      const used = remembering(known)
      await used.connect({ era: 'modern', discover: false }, true)
      expect(used.known()).toBe('modern')
    }
  })
})

it('what is remembered of an era that is not offered costs no second attempt where the connection fails', async () => {
  const store = remembering('modern', ['2026-07-28'])
  expect((await store.connect({ era: 'legacy' })).ok).toBe(false)
  expect([store.known(), store.dials()]).toEqual(['modern', 1])
})
