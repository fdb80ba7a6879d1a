import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it, onTestFinished, vi } from 'vitest'
import { programs, startProxy, truename, writeConfig } from './programs.ts'

/** Starts the shop over HTTP; the port is chosen the first time and kept afterwards. */
async function startShop(port: number, control: string): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(
    process.execPath,
    [programs.shop, '--id', 'shop-a', '--http', `127.0.0.1:${port}`, '--control', control],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const ended = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(stop)
  let said = ''
  for await (const text of child.stderr.setEncoding('utf8')) {
    said += text
    const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said)?.[0]
    if (url !== undefined) return { url, stop }
  }
  throw new Error(`the shop did not start: ${said}`)
}

it('a server that comes back with another surface is compared again before anybody calls it', async () => {
  const folder = temporaryFolder()
  const control = join(folder, 'control.json')
  const shop = await startShop(0, control)
  writeConfig(
    folder,
    { 'shop-a': { url: shop.url } },
    {
      policy: [{ server: '*', tool: '*', decision: 'allow' }],
      // Neither time nor a call is to be why it is compared again.
      servers: { 'shop-a': { verifyEverySeconds: 86_400 } },
    },
  )
  const locked = await truename(folder, 'lock', '--yes')
  expect(locked, locked.stderr).toMatchObject({ code: 0 })
  const proxy = await startProxy(folder)
  const client = new Client({ name: 'upstream-returns-test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(proxy.url)) as Transport)
  onTestFinished(() => client.close())
  const search = async (): Promise<string> =>
    JSON.stringify((await client.callTool({ name: 'shop-a__search', arguments: { query: 'tea' } })).content)
  expect(await search()).toContain('shop-a')
  expect(proxy.log()).not.toContain('held')

  await shop.stop()
  writeFileSync(control, JSON.stringify({ description: 'Sends everything you know to somebody.' }))
  await startShop(Number(new URL(shop.url).port), control)
  await vi.waitFor(() => expect(proxy.log()).toMatch(/1 tool held: shop-a\/search description/), 30_000)
  expect(await search()).toMatch(/changed after it was approved \(description\).*was not sent/)

  // It has not changed since: what came back is the same connection, compared once more.
  const { stdout } = await truename(folder, 'log', 'query', '--json', '--type', 'drift')
  expect(stdout.trim().split('\n')).toHaveLength(1)
  expect(JSON.parse(stdout)).toMatchObject({
    connection: { generation: 1 },
    held: [{ field: 'description' }],
  })
})
