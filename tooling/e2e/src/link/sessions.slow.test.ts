import { describe, expect, it, onTestFinished } from 'vitest'
import { adapters, until } from './links.ts'
import { sampleService } from './sample-service.ts'

describe('sessions of clients that vanish', () => {
  it.each(['v1', 'v2'] as const)(
    'end on the %s line, and take what they hold with them; busy ones do not',
    async (line) => {
      const { service, log } = sampleService()
      const endpoint = await adapters[line].serveHttp(service, { idleSessionMs: 3000 })
      onTestFinished(() => endpoint.close())
      const initialize = {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      }
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const post = (body: unknown, more: Record<string, string> = {}, signal?: AbortSignal) =>
        fetch(endpoint.url, {
          method: 'POST',
          headers: { ...headers, ...more },
          body: JSON.stringify(body),
          ...(signal ? { signal } : {}),
        })
      const wait = {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'wait', arguments: { label: 'cut' } },
      }
      const cut = new AbortController()
      let busy: Response | undefined
      const ids = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const response = await post(initialize)
          await response.text()
          const id = response.headers.get('mcp-session-id') ?? ''
          if (index === 0) busy = await post(wait, { 'mcp-session-id': id }, cut.signal)
          return id
        }),
      )
      expect(new Set(ids).size).toBe(20)
      await until(() => log.clients.length === 1)
      expect((await post({ ...wait, id: 2 }, { 'mcp-session-id': ids[0] as string })).status).toBe(400)
      expect(
        (await post({ jsonrpc: '2.0', id: 3, method: 'ping' }, { 'mcp-session-id': ids[1] as string }))
          .status,
      ).toBe(404)
      cut.abort()
      await busy?.text().catch(() => undefined)
      await until(() => log.cancelled.includes('cut') && log.clients.length === 0)
    },
  )
})
