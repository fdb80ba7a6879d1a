import type { JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import type { TraceContext } from './port.ts'

/** The `_meta` members that belong to the protocol of 2026-07-28 itself (basic §`_meta`). */
export const protocolMeta = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const

const hopByHop = new Set<string>([
  protocolMeta.version,
  protocolMeta.clientInfo,
  protocolMeta.clientCapabilities,
  protocolMeta.logLevel,
  'progressToken',
])

/** The object without these members, as a copy only where something has to go. */
export function without(object: JsonObject, members: ReadonlySet<string>): JsonObject {
  const entries = Object.entries(object)
  const kept = entries.filter(([name]) => !members.has(name))
  return kept.length === entries.length ? object : Object.fromEntries(kept)
}

const withMeta = (object: JsonObject, meta: JsonObject): JsonObject => {
  if (Object.keys(meta).length > 0) return { ...object, _meta: meta }
  const { _meta: _, ...rest } = object
  return rest
}

/**
 * Params as the next hop may see them: what in `_meta` holds for one hop alone is taken out (protocol version,
 * client, log level, progress token); everything else stays.
 */
export function stripHopMeta(params: JsonObject): JsonObject {
  const meta = params._meta
  if (!isJsonObject(meta)) return params
  const kept = without(meta, hopByHop)
  return kept === meta ? params : withMeta(params, kept)
}

/** A result without the name of the server it passed through on the way (`serverInfo` in `_meta`). */
export function stripServerInfo(result: JsonObject): JsonObject {
  const meta = result._meta
  if (!isJsonObject(meta) || !Object.hasOwn(meta, protocolMeta.serverInfo)) return result
  return withMeta(result, without(meta, new Set([protocolMeta.serverInfo])))
}

/** An object with further members in its `_meta`; those given win. */
export function addMeta(object: JsonObject, more: JsonObject): JsonObject {
  if (Object.keys(more).length === 0) return object
  return { ...object, _meta: { ...(isJsonObject(object._meta) ? object._meta : {}), ...more } }
}

const traceparentForm = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The W3C trace context in `_meta` (bare names, SEP-414); `undefined` where it is missing or not valid. */
export function traceOf(params: JsonObject): TraceContext | undefined {
  const meta = isJsonObject(params._meta) ? params._meta : {}
  const { traceparent, tracestate } = meta
  if (typeof traceparent !== 'string' || !traceparentForm.test(traceparent)) return undefined
  return { traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) }
}
