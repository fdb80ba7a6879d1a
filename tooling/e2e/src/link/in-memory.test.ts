import { InMemoryTransport as MemoryV2 } from '@modelcontextprotocol/client'
import { InMemoryTransport as MemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server'
import { connectLink, listSurface, type Transport } from '@truename/mcp-link'
import { describe, expect, it, onTestFinished } from 'vitest'

const content = [{ type: 'text' as const, text: 'привет' }]

/** A server of each line behind that line's own transport in memory, and this side of it. */
const servers: Readonly<Record<string, () => Promise<Transport>>> = {
  v1: async () => {
    const [near, far] = MemoryV1.createLinkedPair()
    const server = new McpServerV1({ name: 'sdk', version: '1.0.0' })
    server.registerTool('hello', {}, async () => ({ content }))
    await server.connect(far)
    return near
  },
  v2: async () => {
    const [near, far] = MemoryV2.createLinkedPair()
    const server = new McpServerV2({ name: 'sdk', version: '2.0.0' })
    server.registerTool('hello', {}, async () => ({ content }))
    await server.connect(far as never)
    return near
  },
}

describe.each(Object.keys(servers))('a transport in memory of the %s line', (line) => {
  it('carries a link to a server of the SDK', async () => {
    const transport = await servers[line]?.()
    if (transport === undefined) throw new Error('no such line')
    const connected = await connectLink(
      { serverId: 'sdk', transport: 'stdio', dial: async () => ({ transport }) },
      { client: { name: 't', version: '1' } },
    )
    if (!connected.ok) throw new Error(connected.failure.message)
    const { upstream } = connected
    onTestFinished(() => upstream.close())
    expect(upstream.negotiation.era).toBe('legacy')
    expect((await listSurface(upstream)).tools.items.map(({ name }) => name)).toEqual(['hello'])
    expect(await upstream.request('tools/call', { name: 'hello' })).toEqual({
      kind: 'result',
      value: { content },
    })
  })
})
