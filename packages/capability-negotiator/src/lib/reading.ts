import { type Json, type JsonObject, own } from './json.ts'

/** One reading of a watched resource. */
export interface Reading {
  readonly uri: string
  /** The result of `resources/read` as it came. */
  readonly result: JsonObject
  /** What the server calls this state, where it says so (`revisionOf`). */
  readonly revision?: string | undefined
  /** A digest of the contents, for people; changes are found by comparing the contents themselves. */
  readonly digest: string
  /** When it was read, ISO 8601. */
  readonly readAt: string
  /** Whether the contents differ from the reading before. True for the first. */
  readonly changed: boolean
  /** What led to it. */
  readonly by: 'first' | 'notification' | 'poll'
}

/** The text that two readings are compared by. */
export const contentsOf = (result: JsonObject): string => JSON.stringify(own(result, 'contents') ?? null)

/** What the server calls the state it sent: `_meta.revision` of the result or of its first content, where it is a text. */
export function revisionOf(result: JsonObject): string | undefined {
  const contents = own(result, 'contents')
  const first: Json | undefined = Array.isArray(contents) ? contents[0] : undefined
  return [result, first]
    .map((holder) => own(own(holder, '_meta'), 'revision'))
    .find((revision): revision is string => typeof revision === 'string')
}

/** Milliseconds for which a result stays fresh: absent, negative or malformed `ttlMs` is none (2026-07-28, §Caching). */
export function freshFor(result: unknown): number {
  const ttl = own(result, 'ttlMs')
  return typeof ttl === 'number' && Number.isFinite(ttl) && ttl > 0 ? ttl : 0
}

/** Whether an update concerns a watched resource: itself, or a sub-resource of it (schema, ResourceUpdatedNotification). */
export function concerns(updated: string, watched: string): boolean {
  if (updated === watched) return true
  if (!updated.startsWith(watched)) return false
  return /[/?#]$/.test(watched) || /^[/?#]/.test(updated.slice(watched.length))
}

/** FNV-1a of the UTF-16 code units, in two 32-bit lanes: a label to compare by eye, no protection against a forger. */
export function fnv1a(text: string): string {
  let high = 0x811c9dc5
  let low = 0xcbf29ce4
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    high = Math.imul(high ^ unit, 0x01000193)
    low = Math.imul(low ^ (unit + at), 0x01000193)
  }
  const hex = (lane: number) => (lane >>> 0).toString(16).padStart(8, '0')
  return `fnv1a:${hex(high)}${hex(low)}`
}
