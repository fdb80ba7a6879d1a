import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { listSurface } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { type HonestPeer, honestPeers } from './honest-peers.ts'
import { adapters, call, callAnswering, connectFor, textOf, until } from './links.ts'

/** How many processes have this mark in their environment; `undefined` where this system does not tell. */
function marked(mark: string): number | undefined {
  let pids: string[]
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return undefined
  }
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)
    } catch {
      return false
    }
  }).length
}

describe.each(Object.keys(honestPeers))('%s', (name) => {
  const peer = honestPeers[name] as HonestPeer

  it.each(['v1', 'v2'] as const)('keeps the contract with our %s line', { timeout: 90_000 }, async (line) => {
    const mark = randomUUID()
    const server = await peer.config({ TRUENAME_MARK: mark, NO_COLOR: '1' })
    const timeouts = { probeMs: 20_000, connectMs: 60_000 }
    const era = peer[line]
    if (era === undefined) {
      const connected = await adapters[line].connect(server, {
        client: { name: 't', version: '1' },
        timeouts,
      })
      expect(connected).toMatchObject({ ok: false, failure: { retry: false } })
      if (!connected.ok) expect(connected.failure.message).toContain('2026-07-28')
      await until(() => (marked(mark) ?? 0) === 0)
      return
    }
    const { upstream, events } = await connectFor(line, server, { timeouts })
    const { negotiation } = upstream

    // Negotiated in as many round trips as the specification needs, in the newest era both sides speak.
    expect([negotiation.state, negotiation.era]).toEqual(['ready', era])
    const probed = line === 'v2' ? 1 : 0
    expect(negotiation.roundTrips).toBe(era === 'modern' ? 1 : probed + 1)
    // What was not probed is not known better than before.
    expect(negotiation.verdict()?.era).toBe(line === 'v2' ? era : undefined)
    if (server.kind === 'stdio') expect(marked(mark) ?? 1).toBeGreaterThan(0)

    // Listed in whole, and the same the second time: what a lock is compared with.
    const surface = await listSurface(upstream)
    expect(surface.tools.state, JSON.stringify([surface.tools, events])).toBe('complete')
    expect(surface.tools.items.length).toBeGreaterThan(0)
    expect(surface.tools.items.map((tool) => tool.name)).toEqual(expect.arrayContaining([...peer.tools]))
    for (const family of [surface.prompts, surface.resources, surface.resourceTemplates])
      expect(['complete', 'unsupported', 'failed']).toContain(family.state)
    const again = await listSurface(upstream)
    expect(again.tools).toEqual(surface.tools)
    expect(again.prompts.items).toEqual(surface.prompts.items)

    // What was not declared is not asked for, and a tool that is not there is an error and no end.
    for (const [method, family] of [
      ['prompts/list', 'prompts'],
      ['resources/list', 'resources'],
    ] as const) {
      if (Object.hasOwn(upstream.capabilities, family)) continue
      expect(await upstream.request(method, {})).toMatchObject({ failure: 'refused' })
    }
    const unknown = await call(upstream, 'no-such-tool-at-all')
    expect(unknown.kind === 'error' || (unknown.kind === 'result' && unknown.value.isError === true)).toBe(
      true,
    )

    const { call: answers } = peer
    if (answers) {
      // Each of many calls has its own answer, and the one that is taken back has none.
      const texts = ['a: Отчёт май/июнь', 'b: 季度报告', 'c: 100%', 'a', 'bb', 'ccc']
      const taken = AbortSignal.abort(new Error('not needed'))
      const [cancelled, ...outcomes] = await Promise.all([
        call(upstream, answers.name, answers.args('a'), { signal: taken }),
        ...texts.map((text) => call(upstream, answers.name, answers.args(text))),
      ])
      expect(outcomes.map((outcome) => textOf(outcome).trim())).toEqual(texts.map(answers.text))
      expect(cancelled).toMatchObject({ failure: 'cancelled' })
    }
    if (peer.asks?.[era]) {
      const answer = { action: 'accept', content: { pick: 'б' } }
      const { outcome, rounds } = await callAnswering(upstream, 'ask', {}, () => answer)
      expect(textOf(outcome)).toBe('{"pick":"б"}')
      expect(rounds).toBe(era === 'modern' ? 2 : 1)
    }

    await upstream.close()
    expect(await call(upstream, 'x')).toMatchObject({ failure: expect.stringMatching(/refused|closed/) })
    if (server.kind === 'stdio') expect(marked(mark) ?? 0).toBe(0)
  })
})
