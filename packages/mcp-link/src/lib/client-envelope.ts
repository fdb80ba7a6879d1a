import type { JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import { protocolMeta } from './protocol-meta.ts'

/** What a request says of its client in `_meta` (2026-07-28, basic §`_meta`). */
export type Envelope =
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid'; readonly why: string }
  | {
      readonly kind: 'modern'
      readonly version: string
      readonly capabilities: JsonObject
      readonly info: JsonObject | undefined
      readonly logLevel: string | undefined
    }

/** Reads the envelope: `none` where nothing of it is there, `invalid` where a required member is missing. */
export function readEnvelope(params: JsonObject): Envelope {
  const meta = params._meta
  if (!isJsonObject(meta)) return { kind: 'none' }
  const claimed = [protocolMeta.version, protocolMeta.clientCapabilities].some((key) =>
    Object.hasOwn(meta, key),
  )
  if (!claimed) return { kind: 'none' }
  const version = meta[protocolMeta.version]
  const capabilities = meta[protocolMeta.clientCapabilities]
  const info = meta[protocolMeta.clientInfo]
  const logLevel = meta[protocolMeta.logLevel]
  if (typeof version !== 'string') return { kind: 'invalid', why: `_meta needs ${protocolMeta.version}` }
  if (!isJsonObject(capabilities))
    return { kind: 'invalid', why: `_meta needs ${protocolMeta.clientCapabilities}` }
  return {
    kind: 'modern',
    version,
    capabilities,
    info: isJsonObject(info) ? info : undefined,
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
  }
}
