import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeWith, fixtures } from '@truename/tooling-vitest/needs'
import { describe, expect, it } from 'vitest'
import { fingerprintEndpoint } from '../src/lib/endpoint.ts'
import { formatLock } from '../src/lib/format-lock.ts'
import { emptyLock, withServer } from '../src/lib/lock.ts'
import { lockServer } from '../src/lib/lock-server.ts'
import { parseLock } from '../src/lib/parse-lock.ts'
import { MissingMachineFactError, servedSurface } from '../src/lib/served-surface.ts'
import {
  findSubstitutions,
  type MachineFacts,
  placeholderText,
  toSubstitutions,
} from '../src/lib/substitutions.ts'
import type { Surface } from '../src/lib/surface.ts'
import { verifySurface } from '../src/lib/verify-surface.ts'

const ana: MachineFacts = { cwd: '/home/ana/work', home: '/home/ana', hostname: 'ana-laptop', os: 'linux' }
const bob: MachineFacts = {
  cwd: 'C:\\Users\\bob\\src\\work',
  home: 'C:\\Users\\bob',
  hostname: 'BOB-PC.local',
  os: 'win32',
}
const endpoint = fingerprintEndpoint({ command: 'node' })

/** Locks a surface as seen on one machine, with every substitution that is found there. */
function lockOn(machine: MachineFacts, surface: Surface) {
  const substitutions = toSubstitutions(findSubstitutions(surface, machine))
  const { server } = lockServer({ id: 's', endpoint, surface, substitutions, machine })
  return parseLock(formatLock(withServer(emptyLock, server))).servers[0] as typeof server
}

const surfaceOf = (machine: MachineFacts): Surface => ({
  instructions: `Paths are relative to ${machine.cwd}.`,
  tools: [
    {
      name: 'save',
      description: `Saves below ${machine.cwd}/out on ${machine.hostname} (platform: ${machine.os}).`,
    },
    {
      name: 'open',
      inputSchema: {
        type: 'object',
        properties: { dir: { default: machine.cwd }, home: { default: machine.home } },
      },
    },
    { name: 'plain', description: 'Runs anywhere: linux, win32, and the working folder.' },
  ],
})

describe('a lock made on one machine', () => {
  const locked = lockOn(ana, surfaceOf(ana))

  it('records where the machine stands in definitions, for a reviewer to see', () => {
    expect(locked.substitutions).toEqual({
      cwd: ['/instructions', '/tools/open/inputSchema/properties/dir/default', '/tools/save/description'],
      home: ['/tools/open/inputSchema/properties/home/default'],
      hostname: ['/tools/save/description'],
      os: ['/tools/save/description'],
    })
    expect(locked.tools.get('open')?.definition).toMatchObject({
      inputSchema: { properties: { dir: { default: placeholderText('cwd') } } },
    })
    expect(JSON.stringify(locked.tools.get('save'))).not.toContain('ana')
  })

  it('holds on another machine, where the same server says other values', () => {
    expect(verifySurface(locked, surfaceOf(bob), { machine: bob })).toMatchObject({ drift: [], held: [] })
  })

  it('serves there what the server there says', () => {
    const served = servedSurface(locked, bob)
    expect(served.instructions).toBe(surfaceOf(bob).instructions)
    expect(served.tools).toEqual(
      [...(surfaceOf(bob).tools ?? [])].sort((a, b) =>
        (a as { name: string }).name < (b as { name: string }).name ? -1 : 1,
      ),
    )
    expect(() => servedSurface(locked, { cwd: '/x' })).toThrow(MissingMachineFactError)
  })

  it('still holds back every other change, in the same text too', () => {
    const moved = surfaceOf({ ...bob, cwd: 'C:\\Windows' })
    expect(verifySurface(locked, moved, { machine: bob }).held.map(({ name }) => name)).toEqual([
      'open',
      'save',
    ])
  })

  it('does not take the text of a placeholder for the value it stands for', () => {
    const posing = surfaceOf({ ...bob, cwd: placeholderText('cwd') })
    expect(verifySurface(locked, posing, { machine: bob }).held.map(({ name }) => name)).toEqual([
      'open',
      'save',
    ])
    const dollar = lockOn(ana, { tools: [{ name: 'x', description: `$${ana.cwd}` }] })
    const served = servedSurface(dollar, bob).tools[0]
    expect(served?.description).toBe(`$${bob.cwd}`)
    for (const description of [
      placeholderText('cwd'),
      `$${placeholderText('cwd')}`,
      `$$${placeholderText('cwd')}`,
      `$$${bob.cwd}`,
    ]) {
      expect(
        verifySurface(dollar, { tools: [{ name: 'x', description }] }, { machine: bob }).held,
      ).toHaveLength(1)
    }
  })

  it('replaces a value only where it stands free, the longest first', () => {
    const machine = { cwd: '/srv/app', home: '/srv' }
    const texts = ['/srv/app', '/srv/app/x', '/srv/application', '/srv/app-2', 'x/srv/app', '/srv', '/srvx']
    const surface: Surface = { tools: texts.map((description, index) => ({ name: `${index}`, description })) }
    const shown = [...lockOn(machine, surface).tools.values()].map(({ definition }) => definition.description)
    const [cwd, home] = [placeholderText('cwd'), placeholderText('home')]
    expect(shown).toEqual([cwd, `${cwd}/x`, `${home}/application`, `${home}/app-2`, `x${cwd}`, home, '/srvx'])
  })
})

describeWith(fixtures, 'recorded surfaces with the machine in them', (folder) => {
  const on = (machine: MachineFacts, recorded: string): Surface => {
    const fill = (text: string): string =>
      text
        .replaceAll('{cwd}', JSON.stringify(machine.cwd).slice(1, -1))
        .replaceAll('{home}', JSON.stringify(machine.home).slice(1, -1))
        .replaceAll('{hostname}', JSON.stringify(machine.hostname).slice(1, -1))
    const { initialize, tools, prompts, resourceTemplates } = JSON.parse(fill(recorded))
    return {
      instructions: initialize.instructions,
      capabilities: initialize.capabilities,
      tools,
      prompts,
      resourceTemplates,
    }
  }
  const files =
    folder === '' ? [] : readdirSync(join(folder, 'surfaces')).filter((file) => file.endsWith('.json'))
  const read = (file: string): string => readFileSync(join(folder, 'surfaces', file), 'utf8')

  // Of the 63 servers of the field study three name their machine. Two of them are among the 42 that are recorded, with
  // three definitions between them; the third is not, so host name and operating system are tested above, on a surface
  // of our own.
  it('lock on one machine and verify on another, all 42: two servers name the machine, in three definitions', () => {
    const bound: string[] = []
    for (const file of files) {
      const recorded = read(file)
      const locked = lockOn(ana, on(ana, recorded))
      bound.push(
        ...Object.values(locked.substitutions)
          .flat()
          .map((pointer) => `${file} ${pointer}`),
      )
      expect(verifySurface(locked, on(bob, recorded), { machine: bob }).drift, file).toEqual([])
    }
    expect(bound).toEqual([
      'figma-developer-mcp.json /tools/download_figma_images/description',
      'salesforce__mcp.json /tools/fetch_lds_graphql_schema/inputSchema/properties/directory/default',
      'salesforce__mcp.json /tools/test_lds_graphql_query/inputSchema/properties/directory/default',
    ])
  })

  it('are all those that were seen to differ from folder to folder', () => {
    const differing: string[] = []
    for (const file of files) {
      const recorded = JSON.parse(read(file))
      if (/\{(?:hostname|home|install)\}/.test(JSON.stringify({ ...recorded, command: {}, env: {} })))
        differing.push(`${file} names another value`)
      for (const { name } of recorded.variants?.otherFolder?.changed ?? []) differing.push(`${file} ${name}`)
    }
    expect(differing).toEqual([
      'figma-developer-mcp.json download_figma_images',
      'salesforce__mcp.json fetch_lds_graphql_schema',
      'salesforce__mcp.json test_lds_graphql_query',
    ])
  })

  it('would be drift on every other machine without substitutions', () => {
    for (const file of ['figma-developer-mcp.json', 'salesforce__mcp.json']) {
      const { server } = lockServer({ id: 's', endpoint, surface: on(ana, read(file)) })
      expect(verifySurface(server, on(bob, read(file)), { machine: bob }).drift.length).toBeGreaterThan(0)
    }
  })

  it('name what another version of a dependency moved, and that calls break by it', () => {
    const surface = on(ana, read('modelcontextprotocol__server-gitlab.json'))
    const { server } = lockServer({ id: 's', endpoint, surface })
    const { variants } = JSON.parse(read('modelcontextprotocol__server-gitlab.json'))
    const older = variants.olderDependencies.tools
    const { drift, held } = verifySurface(server, { ...surface, tools: older })
    expect(held).toHaveLength(9)
    expect(
      drift.every(
        ({ field, compatibility }) => field === 'inputSchema' && compatibility?.keepsValid === 'no',
      ),
    ).toBe(true)
  })
})
