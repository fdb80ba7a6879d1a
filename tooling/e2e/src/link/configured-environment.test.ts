import { join } from 'node:path'
import { parseConfig } from '@truename/mcp-link'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { expect, it } from 'vitest'
import { connectFor } from './links.ts'

/** A server whose instructions are the environment it was started with. */
const told = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (method !== 'initialize') return
    const { protocolVersion } = params
    const result = { protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' },
      instructions: JSON.stringify(process.env) }
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })`

it.each(['v1', 'v2'] as const)(
  'a server is started with the variables its entry sets, and without those it sets to null, on the %s line',
  async (line) => {
    const env = '{ "CHANNEL": 1234567890123456789, "HOME": null, "EMPTY": "", "UNHEARD_OF": null }'
    const config = parseConfig(
      `{ "mcpServers": { "s": { "command": ${JSON.stringify(process.execPath)}, "args": ["-e", ${JSON.stringify(told)}], "env": ${env} } } }`,
      { file: join(temporaryFolder(), 'truename.json'), env: {} },
    )
    const [server] = config.servers
    if (!server) throw new Error('no server')
    const { upstream } = await connectFor(line, server, { era: 'legacy' })
    const given = JSON.parse(upstream.instructions ?? '') as Record<string, string>
    expect(given).toMatchObject({ CHANNEL: '1234567890123456789', EMPTY: '', PATH: process.env.PATH })
    expect(Object.keys(given)).not.toContain('HOME')
    expect(Object.keys(given)).not.toContain('UNHEARD_OF')
  },
)
