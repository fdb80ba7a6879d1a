import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../src/lib/exit-code.ts'
import { host } from './endpoint-of.ts'

/** A server in one line of JavaScript, for Node's own command line. */
const tinyServer = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const results = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } },
    'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
  }
  if (id === undefined) return
  const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'no' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
})`

const config = (servers: object): string => {
  const file = join(temporaryFolder(), 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: servers }))
  return file
}
const tiny = { command: process.execPath, args: ['-e', tinyServer] }

describe('the command line', () => {
  it('starts the server that stands after the two hyphens, and calls it by its program or --server', async () => {
    const named = await host('tools', '--server', 'tiny', '--', process.execPath, '-e', tinyServer)
    expect(named.out.split('\n')[1]).toBe('hello      tiny    hello')
    const unnamed = await host('tools', '--', process.execPath, '-e', tinyServer)
    expect(unnamed.out).toMatch(/^hello +node +hello$/m)
  })

  it('takes the only server of a configuration, or the one that is named', async () => {
    expect((await host('tools', '--config', config({ one: tiny }))).out).toMatch(/^hello +one +hello$/m)
    const two = config({ one: tiny, two: tiny })
    expect((await host('tools', '--config', two, '--server', 'two')).out).toMatch(/^hello +two +hello$/m)
    expect(await host('tools', '--config', two)).toMatchObject({
      exitCode: exitCodes.usage,
      notes: [expect.stringMatching(/has 2 servers; choose one with --server: one, two$/)],
    })
    expect((await host('tools', '--config', two, '--server', 'three')).notes[0]).toMatch(
      /has no server "three"; it has one, two/,
    )
  })

  it.each([
    [[], 'what to connect to is missing: use one of --url URL, --config FILE, -- COMMAND ARGS'],
    [['--url', 'http://127.0.0.1:1/mcp', '--', 'x'], 'more than one endpoint is given'],
    [['--url', 'file:///x'], 'is not an http: or https: address'],
  ])('refuses %j in one line', async (argv, message) => {
    const { exitCode, notes } = await host('tools', ...argv)
    expect(exitCode).toBe(exitCodes.usage)
    expect(notes).toHaveLength(1)
    expect(notes[0]).toContain(message)
  })

  it('says in one line what cannot be reached, started or read', async () => {
    const cases = [
      await host('tools', '--url', 'http://127.0.0.1:9/mcp'),
      await host('tools', '--', 'no-such-program-anywhere'),
      await host('tools', '--config', join(temporaryFolder(), 'missing.json')),
      await host(
        'tools',
        '--server',
        's',
        '--',
        process.execPath,
        '-e',
        'console.error("it broke"); process.exit(3)',
      ),
    ]
    for (const { exitCode, notes } of cases) {
      expect(exitCode).toBe(exitCodes.failed)
      expect(notes).toHaveLength(1)
      expect(notes[0]).not.toMatch(/\n {4}at /)
    }
    expect(cases[3]?.notes[0]).toContain('it broke')
  })

  it('explains itself', async () => {
    const help = await host('--help')
    expect(help.exitCode).toBe(exitCodes.ok)
    expect(help.out).toContain('read [options] <name>')
    expect((await host('--version')).out).toBe('0.0.0\n')
    expect((await host('raed', 'x')).exitCode).toBe(exitCodes.usage)
    expect((await host('read')).exitCode).toBe(exitCodes.usage)
  })
})
