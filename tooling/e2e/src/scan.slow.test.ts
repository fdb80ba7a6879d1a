import { existsSync, readFileSync } from 'node:fs'
import { homedir, hostname, platform } from 'node:os'
import { join } from 'node:path'
import {
  digestSet,
  findSubstitutions,
  fingerprintEndpoint,
  type Key,
  lockServer,
  probeSurface,
  type Surface,
  scanSurface,
  toSubstitutions,
  verifySurface,
} from '@truename/tool-registry'
import { fixtures } from '@truename/tooling-vitest/needs'
import { describe, expect, it } from 'vitest'
import { type PublishedServer, startPublished } from './stdio-surface.ts'

const file = (path: string): string => join(import.meta.dirname, '..', 'node_modules', path)

/** Published servers that are installed with the project, and the name of their recorded surface. */
const servers: readonly (PublishedServer & { readonly recorded: string; readonly tools: number })[] = [
  {
    id: 'everything',
    file: file('@modelcontextprotocol/server-everything/dist/index.js'),
    recorded: 'modelcontextprotocol__server-everything',
    tools: 13,
  },
  {
    id: 'files',
    file: file('@modelcontextprotocol/server-filesystem/dist/index.js'),
    args: ['{cwd}'],
    recorded: 'modelcontextprotocol__server-filesystem',
    tools: 14,
  },
  { id: 'hello', file: file('mcp-hello-world/build/stdio.js'), recorded: 'mcp-hello-world', tools: 3 },
  { id: 'knip', file: file('@knip/mcp/src/cli.js'), recorded: 'knip__mcp', tools: 2 },
  {
    id: 'panda',
    file: file('@pandacss/mcp/bin.js'),
    files: { 'panda.config.ts': 'export default { include: [], outdir: "out" }' },
    recorded: 'pandacss__mcp',
    tools: 12,
  },
  {
    id: 'context7',
    file: file('@upstash/context7-mcp/dist/index.js'),
    env: { CONTEXT7_API_KEY: 'ctx7sk-dummy' },
    recorded: 'upstash__context7-mcp',
    tools: 2,
  },
]

const endpoint = fingerprintEndpoint({ command: 'node' })
const machine = (cwd: string) => ({ cwd, home: homedir(), hostname: hostname(), os: platform() })

/** Starts a server, takes its surface, and ends it. */
async function surfaceOf(
  server: PublishedServer,
  capabilities = {},
): Promise<{ surface: Surface; cwd: string }> {
  const connection = await startPublished(server, capabilities)
  try {
    return { surface: await connection.list(), cwd: connection.cwd }
  } finally {
    await connection.close()
  }
}

describe.each(servers)('the published server $id, started', (server) => {
  it('has no finding above info', async () => {
    const { surface } = await surfaceOf(server)
    expect(surface.tools).toHaveLength(server.tools)
    expect(scanSurface(surface, { server: server.id }).filter(({ severity }) => severity !== 'info')).toEqual(
      [],
    )
  })

  it('is as it was locked when it is started again in another folder', async () => {
    const first = await surfaceOf(server)
    const substitutions = toSubstitutions(findSubstitutions(first.surface, machine(first.cwd)))
    const input = {
      id: server.id,
      endpoint,
      surface: first.surface,
      substitutions,
      machine: machine(first.cwd),
    }
    const { server: locked, notLocked } = lockServer(input)
    expect(notLocked).toEqual([])
    const second = await surfaceOf(server)
    expect(verifySurface(locked, second.surface, { machine: machine(second.cwd) })).toMatchObject({
      drift: [],
      held: [],
    })
  })

  it('shows what was recorded of it', async ({ skip }) => {
    const recorded = join(fixtures.found ?? '', 'surfaces', `${server.recorded}.json`)
    if (!existsSync(recorded)) skip('needs the shared fixtures')
    const { surface } = await surfaceOf(server)
    const { tools, prompts, resourceTemplates } = JSON.parse(readFileSync(recorded, 'utf8'))
    expect(digestSet(surface.tools ?? [])).toBe(digestSet(tools))
    expect(digestSet(surface.prompts ?? [])).toBe(digestSet(prompts))
    expect(surface.resourceTemplates).toEqual(resourceTemplates)
  })

  it('keeps its lists and their order over connections', async () => {
    const report = await probeSurface(server.id, () => startPublished(server), { connections: 2 })
    expect(report).toMatchObject({ steady: true, connections: 2, calls: 0 })
  })
})

describe('the published server everything', () => {
  const everything = servers[0] as PublishedServer

  it('has three tools more for a client that can do more: they are held, the others go on', async () => {
    const { surface } = await surfaceOf(everything)
    const { server: locked } = lockServer({ id: 'everything', endpoint, surface })
    const more = await surfaceOf(everything, { sampling: {}, elicitation: {}, roots: { listChanged: true } })
    const { drift, held } = verifySurface(locked, more.surface)
    expect(held).toEqual([])
    expect(drift.map(({ change, key }) => `${change} ${key?.name}`)).toEqual([
      'added get-roots-list',
      'added trigger-elicitation-request',
      'added trigger-sampling-request',
    ])
  })

  it('is steady under calls of a tool that only reads', async () => {
    const calls: readonly Key[] = [{ server: 'everything', kind: 'tool', name: 'get-tiny-image' }]
    const report = await probeSurface('everything', () => startPublished(everything), {
      connections: 2,
      calls,
    })
    expect(report).toMatchObject({ calls: 2, steady: true })
    expect(report.lists[0]).toMatchObject({ list: 'tools', sameAfterCalls: true, stableOrder: true })
  })
})
