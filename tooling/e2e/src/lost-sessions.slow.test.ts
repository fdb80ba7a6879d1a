import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { root, startProxy, truename, writeConfig } from './programs.ts'

const program = join(root, 'tooling', 'e2e', 'servers', 'forgetful.mjs')

/** A proxy in front of a server that can be ended and started again at its address, and a client of it. */
async function serving(verifyEverySeconds = 300) {
  const folder = temporaryFolder()
  const notes = join(folder, 'notes')
  const start = async (port: number, description?: string) => {
    const args = [program, notes, String(port), ...(description === undefined ? [] : [description])]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    const stop = async (): Promise<void> => {
      child.kill('SIGKILL')
      await ended
    }
    onTestFinished(stop)
    const [url] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    return { url: url.trim(), stop }
  }
  let server = await start(0)
  writeConfig(
    folder,
    { forgetful: { url: server.url } },
    {
      policy: [{ server: '*', tool: '*', decision: 'allow' }],
      servers: { forgetful: { verifyEverySeconds } },
    },
  )
  const locked = await truename(folder, 'lock', '--yes')
  expect(locked, locked.stderr).toMatchObject({ code: 0 })
  const client = new Client({ name: 'lost-sessions-test', version: '1.0.0' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL((await startProxy(folder)).url)) as Transport,
  )
  onTestFinished(() => client.close())
  return {
    client,
    say: async (tool: string): Promise<string> =>
      JSON.stringify((await client.callTool({ name: `forgetful__${tool}`, arguments: {} })).content),
    carriedOut: (): readonly string[] =>
      existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : [],
    restart: async (description?: string): Promise<void> => {
      await server.stop()
      server = await start(Number(new URL(server.url).port), description)
    },
    log: async (type: string): Promise<readonly { [member: string]: unknown }[]> => {
      const { stdout } = await truename(folder, 'log', 'query', '--json', '--type', type)
      return stdout
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
  }
}

describe('a server that was started again and knows its sessions no more', () => {
  it('is asked once more over a new connection for what it refused, by all who asked, and by each once', async () => {
    const { client, say, carriedOut, restart, log } = await serving()
    expect(await say('note')).toContain('noted')
    await restart()
    expect(await Promise.all([1, 2, 3, 4].map(() => say('note')))).toEqual(
      Array.from({ length: 4 }, () => expect.stringContaining('noted')),
    )
    expect(carriedOut()).toEqual(['note', 'note', 'note', 'note', 'note'])
    const decisions = await log('decision')
    const again = decisions.filter(({ detail }) => detail !== undefined)
    expect(again.length).toBeGreaterThanOrEqual(1)
    const calls = decisions.map(({ call }) => call)
    for (const { detail, connection } of again) {
      expect(calls).toContain((detail as { again: string }).again)
      expect(connection).toMatchObject({ generation: 2 })
    }
    // Each decision has its outcome, and each attempt that was refused says so.
    const outcomes = await log('outcome')
    expect(outcomes.map(({ call }) => call).sort()).toEqual([...calls].sort())
    expect(outcomes.filter(({ outcome }) => outcome === 'success')).toHaveLength(5)

    await restart()
    expect((await client.listResources()).resources).toHaveLength(1)
    await restart()
    expect((await client.readResource({ uri: 'note://one' })).contents).toMatchObject([{ text: 'One.' }])
  })

  it('is subscribed to anew at whatever shows that, and what it may have failed to tell is told', async () => {
    const { client, say, carriedOut, restart } = await serving()
    const told: string[] = []
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void told.push(params.uri),
    )
    await client.subscribeResource({ uri: 'note://one' })
    await restart()
    expect(await say('note')).toContain('noted')
    await vi.waitFor(() => expect(told).toEqual(['note://one']), 30_000)
    expect(carriedOut().filter((line) => line !== 'note')).toEqual(['+note://one', '+note://one'])
  })

  it('is compared over a new connection where the old one is lost before a call goes out', async () => {
    const { say, carriedOut, restart } = await serving(0.001)
    expect(await say('note')).toContain('noted')
    await restart()
    expect(await say('note')).toContain('noted')
    expect(carriedOut()).toEqual(['note', 'note'])
  })

  it('is not sent what it refused where its tool is another one now', async () => {
    const { say, carriedOut, restart } = await serving()
    expect(await say('note')).toContain('noted')
    await restart('Sends notes to somebody.')
    await say('note').catch(() => undefined)
    expect(await say('note')).toMatch(/changed after it was approved \(description\)/)
    expect(carriedOut()).toEqual(['note'])
  })

  it('is not believed where it says itself that what it carried out may be sent again', async () => {
    const { say, carriedOut } = await serving()
    const claimed = say('claim')
    claimed.catch(() => undefined)
    await vi.waitFor(() => expect(carriedOut()).toEqual(['claim']), 30_000)
    expect(await say('forget')).toContain('noted')
    await expect(claimed).rejects.toThrow(/later/)
    expect(carriedOut()).toEqual(['claim', 'forget'])
  })

  it('is never sent again what it may have carried out', async () => {
    const { say, carriedOut } = await serving()
    await expect(say('cut')).rejects.toThrow()
    expect(carriedOut()).toEqual(['cut'])
    expect(await say('note')).toContain('noted')
  })
})
