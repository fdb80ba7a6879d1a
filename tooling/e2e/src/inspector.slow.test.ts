import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { programs, run, shop, startProxy, truename, writeConfig } from './programs.ts'

const inspector = join(import.meta.dirname, '..', 'node_modules', '.bin', 'mcp-inspector')

/** A locked configuration with two shops, in a folder that is also the Inspector's home. */
async function locked(): Promise<string> {
  const folder = temporaryFolder()
  writeConfig(
    folder,
    { 'shop-a': shop('shop-a'), 'shop-b': shop('shop-b') },
    {
      policy: [{ server: 'shop-*', tool: 'search', decision: 'allow' }],
    },
  )
  expect((await truename(folder, 'lock', '--yes')).code).toBe(0)
  return folder
}

const inspect = (folder: string, ...args: readonly string[]) =>
  run(inspector, ['--cli', ...args], { cwd: folder, env: { HOME: folder } })

const call = ['--method', 'tools/call', '--tool-name', 'shop-b__search', '--tool-arg', 'query=tea'] as const
const stdio = ['--', 'node', programs.truename, 'serve'] as const

describe("someone else's client, the MCP Inspector", () => {
  it.each(['legacy', 'modern'])(
    'lists and calls over stdio in the %s era',
    { timeout: 60_000 },
    async (era) => {
      const folder = await locked()
      const listed = await inspect(folder, '--protocol-era', era, '--method', 'tools/list', ...stdio)
      expect(listed).toMatchObject({ code: 0 })
      expect(JSON.parse(listed.stdout).tools.map(({ name }: { name: string }) => name)).toEqual([
        'shop-a__search',
        'shop-b__search',
      ])
      const called = await inspect(folder, '--protocol-era', era, ...call, ...stdio)
      expect(called).toMatchObject({ code: 0 })
      expect(JSON.parse(called.stdout).content[0].text).toContain('shop-b')
    },
  )

  it.each(['legacy', 'modern'])(
    'lists and calls over HTTP in the %s era',
    { timeout: 60_000 },
    async (era) => {
      const folder = await locked()
      const { url } = await startProxy(folder)
      const http = ['--server-url', url, '--transport', 'http', '--protocol-era', era] as const
      const listed = await inspect(folder, '--method', 'tools/list', ...http)
      expect(listed).toMatchObject({ code: 0 })
      expect(JSON.parse(listed.stdout).tools).toHaveLength(2)
      const called = await inspect(folder, ...call, ...http)
      expect(called).toMatchObject({ code: 0 })
      expect(JSON.parse(called.stdout).content[0].text).toContain('shop-b')
    },
  )
})
