import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVerdictStore, listSurface } from '@truename/mcp-link'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { adapters, call, connectFor, until } from './links.ts'
import { stdioConfig } from './programs.ts'

const file = join(import.meta.dirname, 'programs', 'misbehaving.mjs')
const timeouts = { probeMs: 1000, connectMs: 3000, requestMs: 2000, graceMs: 300 }

const config = (mode: string) => {
  const record = join(temporaryFolder(), 'record')
  const notes = (): string[] => readFileSync(record, 'utf8').trim().split('\n')
  const lives = (): number[] =>
    notes().flatMap((line) => {
      const pid = /^started (\d+)$/.exec(line)?.[1]
      if (pid === undefined) return []
      try {
        process.kill(Number(pid), 0)
        return [Number(pid)]
      } catch {
        return []
      }
    })
  return { server: stdioConfig('odd', [file, mode, record]), notes, lives }
}

const fails = async (line: keyof typeof adapters, mode: string) => {
  const { server, lives, notes } = config(mode)
  const connected = await adapters[line].connect(server, { client: { name: 't', version: '1' }, timeouts })
  if (connected.ok) throw new Error('it connected')
  expect(lives()).toEqual([])
  return { ...connected.failure, notes: notes() }
}

describe('the probe of a legacy server over stdio', () => {
  it.each([
    ['probe-exit', 2],
    ['probe-silent', 1],
    ['probe-method', 1],
    ['probe-params', 1],
    ['probe-server', 1],
    ['probe-null', 1],
    ['probe-text', 1],
    ['probe-result', 1],
  ])(
    'that reacts with %s ends in a working session with %i process(es), none left behind',
    async (mode, starts) => {
      const { server, notes, lives } = config(mode)
      const { upstream } = await connectFor('v2', server, { timeouts })
      expect(upstream.negotiation.era).toBe('legacy')
      expect((await listSurface(upstream)).tools.items).toEqual([{ name: 'one' }])
      expect(notes().filter((line) => line.startsWith('started'))).toHaveLength(starts)
      expect(notes().filter((line) => line === 'initialize')).toHaveLength(1)
      expect(lives()).toHaveLength(1)
      await upstream.close()
      expect(lives()).toEqual([])
    },
  )

  it.each([
    ['v1', 'auto', []],
    ['v2', 'legacy', []],
    ['v2', 'auto', ['server/discover']],
  ] as const)('is the one thing that the %s line adds in mode %s: %j', async (line, era, probe) => {
    const { server, notes } = config('counts')
    const { upstream } = await connectFor(line, server, { timeouts, era })
    await call(upstream, 'one')
    expect(notes().slice(1)).toEqual([...probe, 'initialize', 'notifications/initialized', 'tools/call'])
    expect(upstream.negotiation.roundTrips).toBe(probe.length + 1)
  })

  it('is made in use where the server was remembered as modern and does not answer like one', async () => {
    const { server, notes, lives } = config('counts')
    const verdicts = createVerdictStore()
    verdicts.set(server, { era: 'modern', version: '2026-07-28' })
    const { upstream } = await connectFor('v2', server, { timeouts, verdicts })
    expect((await listSurface(upstream)).tools.items).toHaveLength(4)
    expect(upstream.negotiation.era).toBe('legacy')
    const handshake = ['server/discover', 'initialize', 'notifications/initialized']
    expect(notes().slice(1, 4)).toEqual(handshake)
    expect(lives()).toHaveLength(1)
    await upstream.close()
    expect(verdicts.get(server)?.prior.era).toBe('legacy')
  })

  it('is asked for again where the server ended on what a modern one takes', async () => {
    const { server, notes } = config('exits')
    const verdicts = createVerdictStore()
    verdicts.set(server, { era: 'modern', version: '2026-07-28' })
    const { upstream } = await connectFor('v2', server, { timeouts, verdicts })
    expect(await call(upstream, 'one')).toMatchObject({ failure: 'closed' })
    expect(notes().slice(1)).toEqual(['tools/call'])
    expect(verdicts.get(server)).toBeUndefined()
  })

  it('is not made where the verdict is known, nor by the v1 line', async () => {
    const known = config('probe-silent')
    const { upstream } = await connectFor('v2', known.server, {
      timeouts,
      prior: { era: 'legacy', version: '2025-11-25' },
    })
    expect(known.notes()).not.toContain('server/discover')
    expect(upstream.negotiation.roundTrips).toBe(1)
    const v1 = config('probe-silent')
    await connectFor('v1', v1.server, { timeouts })
    expect(v1.notes()).not.toContain('server/discover')
  })
})

describe.each(['v1', 'v2'] as const)('a misbehaving server over stdio, on the %s line,', (line) => {
  const ok = async (mode: string) => {
    const made = config(mode)
    return { ...made, ...(await connectFor(line, made.server, { timeouts })) }
  }

  it('that answers initialize late is waited for, and asked nothing meanwhile', async () => {
    const { upstream, notes } = await ok('late')
    expect((await listSurface(upstream)).tools.state).toBe('complete')
    const order = notes().filter((method) => !method.startsWith('started') && method !== 'server/discover')
    expect(order.slice(0, 3)).toEqual(['initialize', 'notifications/initialized', 'tools/list'])
  })
  it('that never answers initialize is given up in time', async () => {
    const failure = await fails(line, 'never')
    expect(failure).toMatchObject({ code: 'timeout', retry: true })
    expect(failure.notes).not.toContain('notifications/cancelled')
  })
  it('that answers a version of another world is refused, naming both, and asked nothing more', async () => {
    const failure = await fails(line, 'wrong-version')
    expect(failure.code).toBe('version-mismatch')
    expect(failure.message).toMatch(/2025-11-25.*2099-01-01/)
    expect(failure.notes.at(-1)).toBe('initialize')
  })
  it('that answers an older version is used at that version', async () => {
    const { upstream } = await ok('old-version')
    expect(upstream.negotiation.version).toBe('2024-11-05')
  })
  it('that exits says so with its exit code and its last words', async () => {
    const failure = await fails(line, 'exits')
    expect(failure.code).toBe('exited')
    expect(failure.message).toContain('fatal: it cannot work like this')
    expect(failure.stderr).toContain('fatal: it cannot work like this')
    expect(failure.message).toContain('exit code 3')
  })
  it('that prints a banner, or text, JSON and blanks between messages, goes on working', async () => {
    await ok('banner')
    const { upstream, events } = await ok('noise')
    expect((await listSurface(upstream)).tools).toMatchObject({ state: 'complete', items: [] })
    expect(events.filter(({ level }) => level === 'warn').length).toBeGreaterThan(5)
  })
  it('that glues text to an answer loses that answer visibly, not for ever', async () => {
    const made = config('glued')
    const connected = await adapters[line].connect(made.server, {
      client: { name: 't', version: '1' },
      timeouts,
    })
    expect(connected).toMatchObject({ ok: false, failure: { code: 'timeout' } })
  })
  it('that dies in a call fails the call at once and says how it ended', async () => {
    const { upstream, lives } = await ok('dies')
    const reasons: string[] = []
    upstream.onClose((reason) => reasons.push(reason))
    expect(await upstream.request('tools/list', {})).toMatchObject({
      kind: 'error',
      failure: 'closed',
      error: { message: expect.stringContaining('exit code 7') },
    })
    expect(reasons).toHaveLength(1)
    expect(await call(upstream, 'one')).toMatchObject({ kind: 'error' })
    expect(lives()).toEqual([])
  })
  it('that declares what it does not implement keeps its tools, and is reported', async () => {
    const { upstream, notes } = await ok('declares-more')
    const surface = await listSurface(upstream)
    expect(surface.tools.items).toEqual([{ name: 'one' }])
    expect(surface.prompts).toMatchObject({ state: 'failed', items: [], error: { code: -32601 } })
    expect(surface.resources.state).toBe('failed')
    await listSurface(upstream)
    expect(notes().filter((method) => method === 'prompts/list')).toHaveLength(1)
    expect(upstream.negotiation.violations().map(({ method }) => method)).toContain('prompts/list')
  })
  it('that did not declare a family is never asked for it', async () => {
    const { upstream, notes } = await ok('counts')
    for (let refresh = 0; refresh < 5; refresh += 1) await listSurface(upstream)
    expect(notes().filter((method) => /^(prompts|resources)\//.test(method))).toEqual([])
  })
  it('that repeats its cursor, or pages, or uses an empty cursor, is listed to the end', async () => {
    const repeats = await ok('repeats')
    expect((await listSurface(repeats.upstream)).tools).toMatchObject({
      state: 'complete',
      pages: 2,
      warnings: [expect.stringContaining('repeated a cursor')],
    })
    const pages = await ok('counts')
    expect((await listSurface(pages.upstream)).tools.items.map(({ name }) => name)).toEqual([
      't0',
      't1',
      't2',
      't3',
    ])
    const empty = await ok('empty-cursor')
    expect((await listSurface(empty.upstream)).tools.items.map(({ name }) => name)).toEqual(['tfirst', 't'])
  })
  it('that sends what belongs to no request of ours disturbs nothing', async () => {
    const { upstream } = await ok('strangers')
    expect((await listSurface(upstream)).tools.items).toEqual([{ name: 'one' }])
  })
  it('that starts processes of its own is ended with them', async () => {
    const { upstream, lives } = await ok('grandchild')
    expect(lives()).toHaveLength(2)
    await upstream.close()
    await until(() => lives().length === 0)
  })
  it('that ignores a closed stdin and TERM is killed', async () => {
    const { upstream, lives, notes } = await ok('stubborn')
    await upstream.close()
    expect(lives()).toEqual([])
    expect(notes()).toContain('TERM')
  })
  it('that cannot be started is a clear failure', async () => {
    const server = stdioConfig('none', [], { command: '/no/such/program' })
    const connected = await adapters[line].connect(server, { client: { name: 't', version: '1' } })
    expect(connected).toMatchObject({ ok: false, failure: { code: 'cannot-start', retry: false } })
  })
})
