import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connectFor } from './link/links.ts'
import { stdioConfig } from './link/programs.ts'
import { programs, type RunningProxy, shop, startProxy, truename, writeConfig } from './programs.ts'

const allowAll = [{ server: '*', tool: '*', decision: 'allow' }]
const soon = { timeout: 30_000, interval: 50 }

/** A proxy in front of two shops whose tools can be changed by files, and a client of it. */
async function serving(): Promise<{
  folder: string
  proxy: RunningProxy
  lockFile: string
  client: Client
  /** How often the client was told that the tools changed. */
  told: () => number
  change: (shop: 'a' | 'b', definition: object) => void
  say: (shop: 'a' | 'b', query?: string) => Promise<string>
  descriptions: () => Promise<readonly (string | undefined)[]>
  configure: (policy?: object, ...more: readonly string[]) => void
}> {
  const folder = temporaryFolder()
  const control = (id: string): string => join(folder, `control-${id}.json`)
  const configure = (policy: object = allowAll, ...more: readonly string[]): void => {
    const servers = {
      'shop-a': shop('shop-a', '--control', control('a'), ...more),
      'shop-b': shop('shop-b', '--control', control('b')),
    }
    writeConfig(folder, servers, { policy })
  }
  configure()
  const locked = await truename(folder, 'lock', '--yes')
  expect(locked, locked.stderr).toMatchObject({ code: 0 })
  const proxy = await startProxy(folder)
  const client = new Client({ name: 'files-test', version: '1.0.0' })
  let told = 0
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    told += 1
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(proxy.url)) as Transport)
  onTestFinished(() => client.close())
  return {
    folder,
    proxy,
    lockFile: join(folder, 'truename.lock.json'),
    client,
    told: () => told,
    change: (id, definition) => writeFileSync(control(id), JSON.stringify(definition)),
    say: async (id, query = `tea ${Math.random()}`) => {
      const called = await client.callTool({ name: `shop-${id}__search`, arguments: { query } })
      return `${called.isError === true ? 'refused' : `answered by shop-${id}`}: ${JSON.stringify(called.content)}`
    },
    descriptions: async () => (await client.listTools()).tools.map(({ description }) => description),
    configure,
  }
}

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

const hasPipes = process.platform !== 'win32'

/** Puts a pipe, which nobody writes to, in the place of a file. */
function replaceByPipe(file: string): void {
  rmSync(file, { force: true })
  expect(spawnSync('mkfifo', [file]).status).toBe(0)
}

/** Runs `truename lock` at a terminal, where somebody answers every question with yes. */
async function lockAtTerminal(folder: string): Promise<string> {
  const command = `stty cols 200 rows 50; '${process.execPath}' '${programs.truename}' lock`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', XDG_CONFIG_HOME: join(folder, 'config') },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  let answered = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    const asked = [/Start them\?/, /Approve this and write/].filter((question) => question.test(said)).length
    for (; answered < asked; answered += 1) child.stdin.write('y')
  })
  await once(child, 'exit')
  return said
}

describe('files that change while the proxy serves', () => {
  it.runIf(hasScript)(
    'a lock that a person approved at a terminal is served at once, over the connection there is',
    async () => {
      const { folder, proxy, change, say, descriptions, told } = await serving()
      expect(await say('a')).toContain('answered by shop-a')
      change('a', { description: 'Finds tea.' })
      await vi.waitFor(() => expect(proxy.log()).toContain('1 tool held: shop-a/search description'), soon)
      for (const times of ['once', 'twice', 'thrice'])
        expect(await say('a', 'tea'), times).toMatch(/changed after it was approved/)
      expect(await say('a', 'tea')).toMatch(/repeating it will not change that/)
      const before = await descriptions()

      expect(await lockAtTerminal(folder)).toContain('Wrote ')
      await vi.waitFor(() => expect(proxy.log()).toContain('is served from now on'), soon)
      await vi.waitFor(() => expect(told()).toBe(1), soon)
      expect(await descriptions()).toEqual(['Finds tea.', before[1]])
      // How often it was refused before says nothing any more.
      expect(await say('a', 'tea')).toContain('answered by shop-a')
      const { stdout } = await truename(folder, 'log', 'query', '--json', '--type', 'decision')
      const decisions = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(decisions.map(({ verdict, connection }) => [verdict, connection?.generation])).toEqual([
        ['allow', 1],
        ['deny', 1],
        ['deny', 1],
        ['deny', 1],
        ['deny', undefined],
        ['allow', 1],
      ])
    },
  )

  it('of a lock that nobody approved at a terminal only what it takes away holds, until the proxy is started again', async () => {
    const { folder, proxy, change, say, descriptions, told } = await serving()
    expect(await say('b')).toContain('answered by shop-b')
    change('a', { description: 'Finds tea.' })
    change('b', { title: 'Search' })
    expect((await truename(folder, 'lock', '--yes')).code).toBe(0)
    await vi.waitFor(() => expect(proxy.log()).toMatch(/lock waits until .*\(shop-a, shop-b\)/), soon)
    await vi.waitFor(() => expect(told()).toBe(1), soon)
    expect(await descriptions()).toEqual([])
    await expect(say('b')).rejects.toThrow(/Unknown tool/)

    // Not even where the old one comes back: it was narrower in between.
    change('a', {})
    change('b', {})
    expect((await truename(folder, 'lock', '--yes')).code).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 2000))
    expect(await descriptions()).toEqual([])

    await proxy.stop()
    const again = new Client({ name: 'files-test', version: '1.0.0' })
    await again.connect(
      new StreamableHTTPClientTransport(new URL((await startProxy(folder)).url)) as Transport,
    )
    onTestFinished(() => again.close())
    expect((await again.listTools()).tools).toHaveLength(2)
  })

  it.each(['legacy', 'modern'] as const)(
    'a client on stdio is told of it, too, in the %s era',
    async (era) => {
      const folder = temporaryFolder()
      const control = join(folder, 'control.json')
      writeConfig(folder, { 'shop-a': shop('shop-a', '--control', control) }, { policy: allowAll })
      expect((await truename(folder, 'lock', '--yes')).code).toBe(0)
      const server = stdioConfig('proxy', [programs.truename, 'serve'], { cwd: folder })
      const { upstream } = await connectFor('v2', server, era === 'legacy' ? { era } : {})
      expect(upstream.negotiation.era).toBe(era)
      const told: string[] = []
      upstream.onNotification(({ method }) => told.push(method))
      const { honoured } = await upstream.listen({ toolsListChanged: true, promptsListChanged: true })
      expect(honoured).toEqual({ toolsListChanged: true })
      writeFileSync(control, JSON.stringify({ description: 'Finds tea.' }))
      expect((await truename(folder, 'lock', '--yes')).code).toBe(0)
      await vi.waitFor(() => expect(told).toEqual(['notifications/tools/list_changed']), soon)
      expect(await upstream.request('tools/list', {})).toMatchObject({ value: { tools: [] } })
    },
  )

  it('a lock that is damaged or gone changes nothing: what is held stays held, what is served stays served', async () => {
    const { folder, proxy, lockFile, change, say, descriptions, told } = await serving()
    const before = await descriptions()
    expect(await say('a')).toContain('answered by shop-a')
    change('a', { description: 'Finds tea.' })
    await vi.waitFor(() => expect(proxy.log()).toContain('1 tool held'), soon)
    const whole = readFileSync(lockFile, 'utf8')
    const damages: [() => void, RegExp][] = [
      [
        () => writeFileSync(lockFile, whole.slice(0, whole.length / 2)),
        /cannot be used.*truename\.lock\.json/,
      ],
      [() => writeFileSync(lockFile, whole.replace('Finds goods', 'Finds tea')), /cannot be used.*search/],
      [() => rmSync(lockFile), /cannot be used.*there is no lock/],
    ]
    if (hasPipes)
      damages.push(
        [() => symlinkSync('truename.lock.json', lockFile), /cannot be used.*ELOOP/],
        [() => replaceByPipe(lockFile), /cannot be used.*truename\.lock\.json: is a pipe/],
        [
          () => symlinkSync('confirmed-lock.json', join(folder, '.truename', 'confirmed-lock.json')),
          /cannot be used/,
        ],
        [() => replaceByPipe(join(folder, 'truename.json')), /cannot be used.*truename\.json is a pipe/],
      )
    const configuration = readFileSync(join(folder, 'truename.json'))
    for (const [damage, says] of damages) {
      const from = proxy.log().length
      damage()
      await vi.waitFor(() => expect(proxy.log().slice(from)).toMatch(says), soon)
      expect(await say('a')).toMatch(/changed after it was approved/)
      expect(await say('b')).toContain('answered by shop-b')
      expect(await descriptions()).toEqual(before)
    }
    expect(told()).toBe(0)

    // Whole again, by the same bytes: nothing was narrower in between, so nothing waits.
    const from = proxy.log().length
    rmSync(join(folder, 'truename.json'))
    writeFileSync(join(folder, 'truename.json'), configuration)
    writeFileSync(`${lockFile}.new`, whole)
    renameSync(`${lockFile}.new`, lockFile)
    change('a', {})
    await vi.waitFor(async () => expect(await say('a')).toContain('answered by shop-a'), soon)
    expect(proxy.log().slice(from)).not.toMatch(/waits|withdrawn/)
  })

  it.runIf(hasPipes)('what is remembered of servers is never waited for', async () => {
    const folder = temporaryFolder()
    writeConfig(folder, { 'shop-a': shop('shop-a') }, { policy: allowAll })
    expect((await truename(folder, 'lock', '--yes')).code).toBe(0)
    replaceByPipe(join(folder, '.truename', 'eras.json'))
    const proxy = await startProxy(folder)
    await proxy.stop()
  })

  it('a policy and a configuration that became narrower hold at once, and a wider policy waits', async () => {
    const { proxy, say, configure } = await serving()
    expect(await say('a')).toContain('answered by shop-a')
    configure([{ server: 'shop-a', tool: 'search', decision: 'deny' }, ...allowAll])
    await vi.waitFor(async () => expect(await say('a')).toMatch(/refused: .*the policy refuses/), soon)
    expect(await say('b')).toContain('answered by shop-b')
    expect(proxy.log()).toContain('The changed policy is in force\n')
    configure(allowAll)
    await vi.waitFor(() => expect(proxy.log()).toMatch(/A wider policy waits/), soon)
    expect(await say('a')).not.toContain('answered by shop-a')

    configure(allowAll, '--http', '127.0.0.1:0')
    await vi.waitFor(() => expect(proxy.log()).toMatch(/"shop-a" changed after it was approved/), soon)
    expect(await say('b')).toContain('answered by shop-b')
    expect(proxy.log()).not.toMatch(/The lock that was|no longer approved/)
  })

  it('a policy and a lock that the configuration names later are followed like the first ones', async () => {
    const { folder, proxy, lockFile, change, say } = await serving()
    expect(await say('a')).toContain('answered by shop-a')
    const file = join(folder, 'truename.json')
    const rewrite = (truename: object): void => {
      const before = JSON.parse(readFileSync(file, 'utf8'))
      writeFileSync(file, JSON.stringify({ ...before, truename: { ...before.truename, ...truename } }))
    }
    const rules = join(folder, 'rules.json')
    const deny = (id: string) => ({ server: id, tool: 'search', decision: 'deny' })
    rewrite({ policy: 'rules.json' })
    await vi.waitFor(() => expect(proxy.log()).toMatch(/cannot be used.*rules\.json/), soon)
    writeFileSync(rules, JSON.stringify([deny('shop-a'), ...allowAll]))
    await vi.waitFor(async () => expect(await say('a')).toMatch(/the policy refuses/), soon)
    expect(await say('b')).toContain('answered by shop-b')
    writeFileSync(rules, JSON.stringify([deny('shop-a'), deny('shop-b')]))
    await vi.waitFor(async () => expect(await say('b')).toMatch(/the policy refuses/), soon)

    copyFileSync(lockFile, join(folder, 'second.lock.json'))
    rewrite({ lock: 'second.lock.json' })
    change('a', { description: 'Finds tea.' })
    expect((await truename(folder, 'lock', '--yes')).code).toBe(0)
    await vi.waitFor(() => expect(proxy.log()).toMatch(/lock waits until .*\(shop-a\)/), soon)
  })
})
