import { connectInMemory, errorAnswer, type Service, type Upstream } from '@truename/mcp-link'
import { fingerprintEndpoint, type LockedServer, lockServer } from '@truename/tool-registry'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configOf, written } from '../../test/written-server.ts'
import { createUpstreamPool, type PoolMember } from './upstream-pool.ts'

const server = configOf('s')
const key = { server: 's', kind: 'tool', name: 'one' } as const

const toolsOf = (descriptions: Readonly<Record<string, string>>) =>
  Object.entries(descriptions).map(([name, description]) => ({
    name,
    description,
    inputSchema: { type: 'object' },
  }))

/** The entry in which tools of these descriptions were approved. */
const entryOf = (descriptions: Readonly<Record<string, string>>, clientCapabilities = {}): LockedServer => {
  const endpoint = fingerprintEndpoint(written)
  const surface = {
    serverInfo: { name: 's', version: '1' },
    capabilities: { tools: {} },
    era: 'modern',
    version: '2026-07-28',
    instructions: null,
    tools: toolsOf(descriptions),
  } as const
  return lockServer({ id: 's', endpoint, surface, clientCapabilities }).server
}

const memberOf = (locked: LockedServer, more: Partial<PoolMember> = {}): PoolMember => ({
  server,
  locked,
  machine: {},
  endpointProblem: undefined,
  verifyEveryMs: 300_000,
  ...more,
})

/** A pool in front of one server with the tools `one` and `two`; `gate` holds back whoever connects. */
function pooled(first: PoolMember) {
  const service: Service = {
    declare: () => ({ info: { name: 's', version: '1' }, capabilities: { tools: {} } }),
    accept: (client) =>
      client.serve(async (method) =>
        method === 'tools/list'
          ? { kind: 'result', value: { tools: toolsOf({ one: 'One.', two: 'Two.' }) } }
          : errorAnswer(-32601, method),
      ),
  }
  const opened: Upstream[] = []
  const ended = new Set<Upstream>()
  let gate: Promise<void> = Promise.resolve()
  const pool = createUpstreamPool({
    members: [first],
    connect: async (_server, options) => {
      await gate
      const connected = await connectInMemory('s', service, options)
      if (connected.ok) {
        opened.push(connected.upstream)
        connected.upstream.onClose(() => ended.add(connected.upstream))
      }
      return connected
    },
    client: { name: 'pool-test', version: '1' },
    startTimeoutMs: 5000,
    listTimeoutMs: 5000,
    onVerified: () => undefined,
    onResourcesMoved: () => undefined,
    onEvent: () => undefined,
  })
  onTestFinished(() => pool.close())
  return {
    pool,
    opened,
    living: () => opened.filter((upstream) => !ended.has(upstream)),
    /** Returns how to let those through who are held back. */
    hold: (): (() => void) => {
      let open: () => void = () => undefined
      gate = new Promise((resolve) => {
        open = resolve
      })
      return open
    },
    approved: () => pool.peek('s')?.verification.approval(key).approved,
  }
}

const both = { one: 'One.', two: 'Two.' }

describe('a pool that takes other entries of the lock', () => {
  it('judges a connection that goes on by its new entry in the same step', async () => {
    const { pool, opened, approved } = pooled(memberOf(entryOf(both)))
    expect(await pool.acquire('s')).toMatchObject({ ok: true })
    expect(approved()).toBe(true)
    pool.update([memberOf(entryOf({ two: 'Two.' }))])
    expect(approved()).toBe(false)
    pool.update([memberOf(entryOf({ ...both, one: 'Another.' }))])
    expect([approved(), pool.held()]).toMatchObject([false, [{ key, field: 'description' }]])
    pool.update([memberOf(entryOf(both))])
    expect([approved(), pool.held()]).toEqual([true, []])
    expect(opened).toHaveLength(1)
  })

  it('ends a connection whose server is away, refused, or was told something else of this side', async () => {
    const { pool, opened, living } = pooled(memberOf(entryOf(both)))
    const generations: number[] = []
    for (const away of [
      [],
      [memberOf(entryOf(both), { endpointProblem: 'It changed.' })],
      [memberOf(entryOf(both, { sampling: {} }))],
      [memberOf(entryOf(both), { server: { ...server } })],
    ]) {
      pool.update([memberOf(entryOf(both))])
      const acquired = await pool.acquire('s')
      if (acquired.ok) generations.push(acquired.verified.upstream.generation)
      expect(living()).toHaveLength(1)
      pool.update(away)
      expect([pool.peek('s'), living()]).toEqual([undefined, []])
    }
    expect(generations).toEqual([1, 2, 3, 4])
    expect(opened).toHaveLength(4)
    pool.update([memberOf(entryOf(both), { endpointProblem: 'It changed.' })])
    expect(await pool.acquire('s')).toMatchObject({ unavailable: { message: 'It changed.' } })
    pool.update([])
    expect(await pool.acquire('s')).toMatchObject({ unavailable: { code: 'not-locked' } })
  })

  it('judges what was still being started by the entry there is when it is there', async () => {
    const { pool, hold, approved } = pooled(memberOf(entryOf(both)))
    const open = hold()
    const acquiring = pool.acquire('s')
    pool.update([memberOf(entryOf({ two: 'Two.' }))])
    open()
    expect(await acquiring).toMatchObject({ ok: true })
    expect(approved()).toBe(false)
  })

  it('gives up what was being started and is not to be used any more, and leaves nothing behind', async () => {
    const { pool, hold, living, opened } = pooled(memberOf(entryOf(both)))
    for (const next of [[], [memberOf(entryOf(both), { endpointProblem: 'It changed.' })]]) {
      pool.update([memberOf(entryOf(both))])
      const open = hold()
      const acquiring = pool.acquire('s')
      pool.update(next)
      open()
      expect(await acquiring).toMatchObject({ ok: false, unavailable: { code: 'closed' } })
      expect([pool.peek('s'), living()]).toEqual([undefined, []])
    }
    pool.update([memberOf(entryOf(both))])
    expect(await pool.acquire('s')).toMatchObject({ ok: true })
    expect(opened.map(({ generation }) => generation)).toEqual([1, 2, 3])
    await pool.close()
    expect(living()).toEqual([])
  })
})
