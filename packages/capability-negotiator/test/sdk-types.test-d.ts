// Compiled, never run: the capability types of both SDK lines are taken as they are.
import type {
  ClientCapabilities as ModernClientCapabilities,
  Implementation as ModernImplementation,
  ServerCapabilities as ModernServerCapabilities,
} from '@modelcontextprotocol/client'
import type {
  ClientCapabilities as LegacyClientCapabilities,
  Implementation as LegacyImplementation,
  ServerCapabilities as LegacyServerCapabilities,
} from '@modelcontextprotocol/sdk/types.js'
import {
  clientCanAnswer,
  createNegotiation,
  intersectClient,
  normalizeClientCapabilities,
  readServerCapabilities,
  unionForGateway,
} from '../src/index.ts'

type Line =
  | { server: LegacyServerCapabilities; client: LegacyClientCapabilities; info: LegacyImplementation }
  | { server: ModernServerCapabilities; client: ModernClientCapabilities; info: ModernImplementation }

export function takes({ server, client, info }: Line): unknown {
  return [
    unionForGateway([{ capabilities: server }], { own: server, routes: server }),
    intersectClient(client, client),
    clientCanAnswer({ version: '2026-07-28', capabilities: client }, 'elicitation/create'),
    normalizeClientCapabilities(client),
    readServerCapabilities(server),
    createNegotiation({ transport: 'stdio', client: { info, capabilities: client } }),
  ]
}

/** What comes back is an SDK's own type again after one look at its shape: plain JSON, no class of ours. */
export const plain: object = readServerCapabilities({}).capabilities

// @ts-expect-error capabilities are an object, not a text
intersectClient('roots', {})
// @ts-expect-error a transport is one of two
createNegotiation({ transport: 'sse', client: { info: {} } })
