import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it, onTestFinished } from 'vitest'
import { knowledgeBase, shop, startProxy, truename, writeConfig } from './programs.ts'

const allowAll = { policy: [{ server: '*', tool: '*', decision: 'allow' }] }

async function clientOf(url: string): Promise<Client> {
  const client = new Client({ name: 'proxy-test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport)
  onTestFinished(() => client.close())
  return client
}

const lockIn = async (folder: string): Promise<void> => {
  const locked = await truename(folder, 'lock', '--yes')
  expect(locked, locked.stderr).toMatchObject({ code: 0 })
}

const textOf = (result: unknown): string => JSON.stringify((result as { content: unknown }).content)

interface LogLine {
  readonly type: string
  readonly verdict?: string
  readonly outcome?: string
  readonly rule?: string
  readonly connection?: { readonly generation: number }
}

const logOf = async (folder: string, ...filter: readonly string[]): Promise<readonly LogLine[]> => {
  const { stdout } = await truename(folder, 'log', 'query', '--json', ...filter)
  return stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogLine)
}

/** The command lines of processes that run for this folder; Linux alone can be asked. */
const processesOf = (folder: string): readonly string[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const line = readFileSync(join('/proc', pid, 'cmdline'), 'utf8').replaceAll('\0', ' ')
        return line.includes(folder) ? [line] : []
      } catch {
        return []
      }
    })

const settle = async (condition: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 100 && !condition(); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
}

describe('the proxy', () => {
  it('asks by default, refuses until a person has answered, and says where', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': shop('shop-a') })
    await lockIn(folder)
    const client = await clientOf((await startProxy(folder)).url)
    const refused = await client.callTool({ name: 'shop-a__search', arguments: { query: 'tea' } })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toMatch(/truename approvals answer [0-9a-f-]{36}/)
    expect((await truename(folder, 'approvals')).stdout).toMatch(/waits {4}\S+ {2}shop-a\/search/)
    expect(await logOf(folder, '--type', 'decision')).toMatchObject([
      { verdict: 'ask', rule: 'default:tool' },
    ])
    expect(await logOf(folder, '--type', 'outcome')).toMatchObject([{ outcome: 'refused' }])
  })

  it.runIf(process.platform === 'linux')(
    'starts no server before its first use, and leaves none behind',
    async () => {
      const folder = temporaryFolder()
      const control = join(folder, 'control.json')
      writeConfig(
        folder,
        { 'shop-a': shop('shop-a', '--control', control), 'shop-b': shop('shop-b', '--control', control) },
        allowAll,
      )
      await lockIn(folder)
      const proxy = await startProxy(folder)
      const client = await clientOf(proxy.url)
      await client.listTools()
      expect(processesOf(control)).toEqual([])
      await client.callTool({ name: 'shop-a__search', arguments: { query: 'tea' } })
      expect(processesOf(control)).toHaveLength(1)
      expect(await proxy.stop('SIGTERM')).toBe(0)
      await settle(() => processesOf(control).length === 0)
      expect(processesOf(control)).toEqual([])
    },
  )

  it.runIf(process.platform === 'linux')('ends its servers even when it is killed', async () => {
    const folder = temporaryFolder()
    const control = join(folder, 'control.json')
    writeConfig(folder, { 'shop-a': shop('shop-a', '--control', control) }, allowAll)
    await lockIn(folder)
    const proxy = await startProxy(folder)
    const client = await clientOf(proxy.url)
    await client.callTool({ name: 'shop-a__search', arguments: { query: 'tea' } })
    await proxy.stop('SIGKILL')
    // Nobody is left to end the child; its closed stdin does.
    await settle(() => processesOf(control).length === 0)
    expect(processesOf(control)).toEqual([])
  })

  it('refuses a server whose entry in the configuration changed, without starting it', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': shop('shop-a'), 'shop-b': shop('shop-b') }, allowAll)
    await lockIn(folder)
    const marker = join(folder, 'started')
    const other = {
      command: 'node',
      args: ['-e', `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`],
    }
    writeConfig(folder, { 'shop-a': other, 'shop-b': shop('shop-b') }, allowAll)
    const client = await clientOf((await startProxy(folder)).url)
    const refused = await client.callTool({ name: 'shop-a__search', arguments: { query: 'tea' } })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toContain('truename lock')
    expect(existsSync(marker)).toBe(false)
    expect(textOf(await client.callTool({ name: 'shop-b__search', arguments: { query: 'tea' } }))).toContain(
      'shop-b',
    )
    expect((await truename(folder, 'verify')).code).toBe(1)
  })

  it.runIf(process.platform === 'linux')(
    'starts a crashed server again, compares it again, and says so in the log',
    async () => {
      const folder = temporaryFolder()
      const control = join(folder, 'control.json')
      writeConfig(folder, { 'shop-a': shop('shop-a', '--control', control) }, allowAll)
      await lockIn(folder)
      const proxy = await startProxy(folder)
      const client = await clientOf(proxy.url)
      const call = () => client.callTool({ name: 'shop-a__search', arguments: { query: 'tea' } })
      await call()
      const pid = readdirSync('/proc').find((entry) => {
        if (!/^\d+$/.test(entry)) return false
        try {
          return readFileSync(join('/proc', entry, 'cmdline'), 'utf8').includes(control)
        } catch {
          return false
        }
      })
      process.kill(Number(pid), 'SIGKILL')
      await settle(() => /shop-a: The connection ended/.test(proxy.log()))
      expect(textOf(await call())).toContain('shop-a')
      const generations = (await logOf(folder, '--type', 'decision')).map(
        ({ connection }) => connection?.generation,
      )
      expect(generations).toEqual([1, 2])
    },
  )

  it('serves the same bytes whatever the order of the configuration', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()]
    const servers = {
      kb: knowledgeBase(temporaryFolder()),
      'shop-a': shop('shop-a'),
      'shop-b': shop('shop-b'),
    }
    writeConfig(one, servers)
    writeConfig(two, Object.fromEntries(Object.entries(servers).reverse()))
    const lists: string[] = []
    for (const folder of [one, two]) {
      await lockIn(folder)
      const client = await clientOf((await startProxy(folder)).url)
      const { tools } = await client.listTools()
      const { resourceTemplates } = await client.listResourceTemplates()
      lists.push(JSON.stringify([tools, resourceTemplates, client.getInstructions()]))
    }
    expect(lists[0]).toBe(lists[1])
    expect(readFileSync(join(one, 'truename.lock.json'), 'utf8')).toBe(
      readFileSync(join(two, 'truename.lock.json'), 'utf8'),
    )
  })

  it('refuses to lock two servers that answer the same URIs, until one is prefixed', async () => {
    const folder = temporaryFolder()
    const servers = { kb: knowledgeBase(folder), archive: knowledgeBase(folder) }
    writeConfig(folder, servers)
    const refused = await truename(folder, 'lock', '--yes')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/both would answer docs:\/\//)
    expect(refused.stderr).toContain('"uris": "prefixed"')
    expect(existsSync(join(folder, 'truename.lock.json'))).toBe(false)

    writeConfig(folder, servers, { servers: { archive: { uris: 'prefixed' } } })
    await lockIn(folder)
    const client = await clientOf((await startProxy(folder)).url)
    const seen: string[] = []
    for (let cursor: string | undefined, page = 0; page < 10; page += 1) {
      const { resources, nextCursor } = await client.listResources(cursor === undefined ? {} : { cursor })
      seen.push(...resources.map(({ uri }) => uri))
      if (nextCursor === undefined) break
      cursor = nextCursor
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((uri) => uri.startsWith('archive+docs:')).length).toBe(seen.length / 2)
    for (const uri of seen) {
      const { contents } = await client.readResource({ uri })
      expect(contents).toMatchObject([{ uri }])
    }
  })

  it('forwards nothing that it cannot record', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'decisions'), 'a file where the folder of the log should be')
    writeConfig(folder, { 'shop-a': shop('shop-a') }, allowAll)
    await lockIn(folder)
    const client = await clientOf((await startProxy(folder)).url)
    const call = client.callTool({ name: 'shop-a__search', arguments: { query: 'tea' } })
    await expect(call).rejects.toThrow(/could not be recorded/)
  })

  it('names an unknown tool exactly, and never guesses', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': shop('shop-a') }, allowAll)
    await lockIn(folder)
    const client = await clientOf((await startProxy(folder)).url)
    for (const name of ['search', 'shop-a__Search', 'shop-a_search', 'Shop-A__search', '__proto__']) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(/Unknown tool/)
    }
  })
})
