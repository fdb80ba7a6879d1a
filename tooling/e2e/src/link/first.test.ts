import type { ServerConfig } from '@truename/mcp-link'
import { listSurface } from '@truename/mcp-link'
import { connect, serveHttp } from '@truename/sdk-v2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { installed, program, stdioConfig } from './programs.ts'
import { sampleService } from './sample-service.ts'

async function pair(era: 'legacy' | 'modern' | 'auto') {
  const { service, log } = sampleService()
  const endpoint = await serveHttp(service)
  onTestFinished(() => endpoint.close())
  const config: ServerConfig = {
    id: 's',
    written: {},
    options: {},
    kind: 'http',
    url: endpoint.url,
    headers: {},
  }
  const events: string[] = []
  const connected = await connect(config, {
    client: { name: 't', version: '1' },
    capabilities: { elicitation: {}, sampling: {} },
    era,
    onEvent: (event) => events.push(event.message),
  })
  if (!connected.ok) throw new Error(connected.failure.message + events.join('\n'))
  onTestFinished(() => connected.upstream.close())
  return { upstream: connected.upstream, log, endpoint, events }
}

describe.each(['legacy', 'modern'] as const)('over HTTP in the %s era', (era) => {
  it('lists everything', async () => {
    const { upstream, events } = await pair(era)
    expect(upstream.negotiation.era).toBe(era)
    expect(upstream.instructions).toBe('Be kind.')
    const surface = await listSurface(upstream)
    expect(surface.tools.items.length, events.join()).toBe(6)
    expect(surface.resourceTemplates.items).toHaveLength(1)
    const progress: number[] = []
    const done = await upstream.request(
      'tools/call',
      { name: 'steps', arguments: {} },
      { progress: (s) => progress.push(s.progress) },
    )
    expect(done).toMatchObject({ kind: 'result' })
    expect(progress).toEqual([1, 2, 3])
  })
})

describe('over stdio', () => {
  it.each(['legacy', 'modern', 'auto'] as const)('own server %s', async (era) => {
    const events: string[] = []
    const connected = await connect(stdioConfig('own', [await program('sample-server')]), {
      client: { name: 't', version: '1' },
      era,
      onEvent: (event) => events.push(event.message + JSON.stringify(event.detail)),
    })
    if (!connected.ok) throw new Error(connected.failure.message + events.join('\n'))
    const surface = await listSurface(connected.upstream)
    expect(surface.tools.items.length).toBe(6)
    console.error(events, connected.upstream.stderr(), connected.upstream.negotiation.era)
    await connected.upstream.close()
  })
  it('everything', async () => {
    const connected = await connect(
      stdioConfig('ev', [installed('@modelcontextprotocol/server-everything'), 'stdio']),
      {
        client: { name: 't', version: '1' },
      },
    )
    if (!connected.ok) throw new Error(connected.failure.message)
    const surface = await listSurface(connected.upstream)
    expect(surface.tools.items.length).toBe(13)
    console.error(surface.resources.items.length, surface.resourceTemplates.items)
    const t = performance.now()
    await connected.upstream.close()
    console.error(performance.now() - t)
  })
})
