import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listSurface, type ServerConfig } from '@truename/mcp-link'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { call, connectFor, textOf, until } from './links.ts'
import { installed, stdioConfig } from './programs.ts'

interface Published {
  readonly config: () => ServerConfig
  readonly era: 'legacy' | 'modern'
  readonly tools: readonly string[]
  readonly call?: { readonly name: string; readonly args: Record<string, string>; readonly text: RegExp }
}

const quiet = { NO_COLOR: '1', FASTMCP_LOG_LEVEL: 'ERROR' }
const published: Record<string, Published> = {
  'server-everything': {
    config: () =>
      stdioConfig('s', [installed('@modelcontextprotocol/server-everything'), 'stdio'], { env: quiet }),
    era: 'legacy',
    tools: ['echo', 'get-sum', 'trigger-long-running-operation'],
    call: { name: 'echo', args: { message: 'Отчёт май/июнь' }, text: /^Echo: Отчёт май\/июнь$/ },
  },
  'server-filesystem': {
    config: () => {
      const folder = temporaryFolder()
      writeFileSync(join(folder, 'a.txt'), 'text of a')
      return stdioConfig('s', [installed('@modelcontextprotocol/server-filesystem'), folder], { cwd: folder })
    },
    era: 'legacy',
    tools: ['read_text_file', 'list_directory'],
    call: { name: 'read_text_file', args: { path: 'a.txt' }, text: /^text of a$/ },
  },
  'mcp-hello-world': {
    config: () => stdioConfig('s', [installed('mcp-hello-world')]),
    era: 'legacy',
    tools: ['echo'],
    call: { name: 'echo', args: { message: 'hi' }, text: /hi/ },
  },
  'knip-mcp': {
    config: () => {
      const folder = temporaryFolder()
      mkdirSync(join(folder, 'src'))
      writeFileSync(join(folder, 'package.json'), '{"name":"x","version":"1.0.0"}')
      return stdioConfig('s', [installed('@knip/mcp')], { cwd: folder })
    },
    era: 'legacy',
    tools: [],
  },
  'context7-mcp': {
    config: () => stdioConfig('s', [installed('@upstash/context7-mcp')]),
    era: 'modern',
    tools: ['resolve-library-id'],
  },
  'panda-mcp': {
    config: () => {
      const folder = temporaryFolder()
      writeFileSync(join(folder, 'panda.config.ts'), 'export default { include: [], outdir: "out" }')
      return stdioConfig('s', [installed('@pandacss/mcp'), ...[]], { cwd: folder })
    },
    era: 'legacy',
    tools: [],
  },
}

const lines = ['v1', 'v2'] as const

describe.each(Object.keys(published))('%s, as published,', (name) => {
  const server = published[name] as Published
  it.each(lines)('is listed and called on the %s line, and leaves no process', async (line) => {
    const { upstream, events } = await connectFor(line, server.config(), {
      timeouts: { probeMs: 20_000, connectMs: 60_000 },
    })
    expect(upstream.negotiation.era).toBe(line === 'v1' ? 'legacy' : server.era)
    const surface = await listSurface(upstream)
    expect(surface.tools.state, JSON.stringify([surface.tools, events])).toBe('complete')
    expect(surface.tools.items.length).toBeGreaterThan(0)
    expect(surface.tools.items.map((tool) => tool.name)).toEqual(expect.arrayContaining([...server.tools]))
    // Identical the second time: what a lock is compared with.
    expect(await listSurface(upstream)).toEqual(surface)
    if (server.call)
      expect(textOf(await call(upstream, server.call.name, server.call.args))).toMatch(server.call.text)
    const unknown = await call(upstream, 'no-such-tool-at-all')
    expect(unknown.kind === 'error' || (unknown.kind === 'result' && unknown.value.isError === true)).toBe(
      true,
    )
    await upstream.close()
    expect(await call(upstream, 'x')).toMatchObject({ failure: expect.stringMatching(/refused|closed/) })
  })
})

describe.each(lines)('server-everything on the %s line', (line) => {
  const open = async (options: Parameters<typeof connectFor>[2] = {}) =>
    (await connectFor(line, published['server-everything']?.config() as ServerConfig, options)).upstream

  it('reports every step of progress, and stops when a call is taken back', async () => {
    const upstream = await open()
    const steps: number[] = []
    const outcome = await call(
      upstream,
      'trigger-long-running-operation',
      { duration: 1, steps: 4 },
      { progress: (step) => steps.push(step.progress) },
    )
    expect(outcome.kind).toBe('result')
    expect(steps).toEqual([1, 2, 3, 4])
    const abort = new AbortController()
    const cancelled = call(
      upstream,
      'trigger-long-running-operation',
      { duration: 60, steps: 60 },
      { signal: abort.signal },
    )
    setTimeout(() => abort.abort(new Error('enough')), 100)
    expect(await cancelled).toMatchObject({ failure: 'cancelled' })
    expect(textOf(await call(upstream, 'echo', { message: 'still there' }))).toContain('still there')
  })

  it('offers what the client can do, and asks it within a call', async () => {
    const bare = await listSurface(await open({ capabilities: {} }))
    const upstream = await open({ capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } })
    const asked: string[] = []
    upstream.onRequest(async (method) => {
      asked.push(method)
      return { kind: 'result', value: { roots: [{ uri: 'file:///r', name: 'r' }] } }
    })
    const able = await listSurface(upstream)
    expect(able.tools.items.length).toBeGreaterThan(bare.tools.items.length)
    const answer = await call(
      upstream,
      'trigger-sampling-request',
      { prompt: 'p', maxTokens: 5 },
      {
        ask: async (method) => {
          asked.push(method)
          return {
            kind: 'result',
            value: { role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled text' } },
          }
        },
      },
    )
    expect(textOf(answer)).toContain('sampled text')
    expect(asked).toContain('sampling/createMessage')
    await until(() => asked.includes('roots/list'))
  })

  it('reads resources, completes arguments, and tells of updates', async () => {
    const upstream = await open()
    const uri = 'demo://resource/dynamic/text/1'
    expect(await upstream.request('resources/read', { uri })).toMatchObject({
      kind: 'result',
      value: { contents: [{ uri }] },
    })
    const subscription = await upstream.listen({ resourceSubscriptions: [uri], toolsListChanged: true })
    expect(subscription.honoured).toEqual({ toolsListChanged: true, resourceSubscriptions: [uri] })
    const updated: unknown[] = []
    upstream.onNotification(
      ({ method, params }) => method === 'notifications/resources/updated' && updated.push(params?.uri),
    )
    await call(upstream, 'toggle-subscriber-updates')
    await until(() => updated.includes(uri))
    await subscription.close()
    expect(
      await upstream.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'completable-prompt' },
        argument: { name: 'department', value: 'E' },
      }),
    ).toMatchObject({
      kind: 'result',
      value: { completion: { values: expect.arrayContaining(['Engineering']) } },
    })
  })
})
