import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeWith, fixtures } from '@truename/tooling-vitest/needs'
import { expect, it } from 'vitest'
import type { Key } from '../src/lib/key.ts'
import { keysOfSurface } from '../src/lib/scan-names.ts'
import { scanSurface } from '../src/lib/scan-surface.ts'
import type { Surface } from '../src/lib/surface.ts'

/** Findings above "info" in surfaces of real servers, and why each of them is right to be shown. */
const reasons: Readonly<Record<string, string>> = {
  'circleci__mcp-server-circleci names-private-files':
    'three parameters name ~/.ssh, to say that it is refused; a reviewer reads it once, a path of private keys is worth it',
  'drawio__mcp hidden-markup':
    'the description shows an XML comment, to forbid it; nothing tells it from one that hides text',
}

describeWith(fixtures, 'surfaces of published servers', (folder) => {
  const surfaces = folder === '' ? [] : readSurfaces(join(folder, 'surfaces'))
  const others: Key[] = surfaces.flatMap(({ id, surface }) => keysOfSurface(surface, id))
  const findings = surfaces.flatMap(({ id, surface }) => scanSurface(surface, { server: id, others }))

  it('are there in number', () => {
    expect(surfaces).toHaveLength(42)
    expect(surfaces.reduce((sum, { surface }) => sum + (surface.tools?.length ?? 0), 0)).toBe(843)
  })

  it('have no finding above info without a written reason', () => {
    const alone = findings.filter(({ others: seen, severity }) => seen === undefined && severity !== 'info')
    expect([...new Set(alone.map(({ server, code }) => `${server} ${code}`))].sort()).toEqual(
      Object.keys(reasons).sort(),
    )
  })

  it('have none of severity high, not even as one catalogue of forty-two servers', () => {
    expect(findings.filter(({ severity }) => severity === 'high')).toEqual([])
    const shared = findings.filter(({ code }) => code === 'shared-name').map(({ key }) => key?.name)
    expect(new Set(shared)).toEqual(
      new Set([
        'create_branch',
        'create_issue',
        'create_or_update_file',
        'create_repository',
        'echo',
        'execute_sql',
        'fork_repository',
        'get_file_contents',
        'interact',
        'push_files',
        'search_code',
        'search_repositories',
      ]),
    )
  })
})

function readSurfaces(folder: string): { readonly id: string; readonly surface: Surface }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const recorded = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      const { serverInfo, capabilities, instructions } = recorded.initialize
      const { tools, prompts, resources, resourceTemplates } = recorded
      const surface = { serverInfo, capabilities, instructions, tools, prompts, resources, resourceTemplates }
      return { id: file.replace(/\.json$/, ''), surface }
    })
}
