import { type HeldMeta, heldMeta, type Json, type JsonObject } from '@truename/mcp-link'

/** What a proxy says it holds back, from the `_meta` of its `tools/list` pages. */
export function heldOf(metas: readonly JsonObject[]): readonly HeldMeta[] {
  const all = metas.flatMap((meta) => (Array.isArray(meta[heldMeta]) ? meta[heldMeta] : []))
  const held = all.filter(isHeld)
  const distinct = new Map(
    held.map((one) => [JSON.stringify([one.server, one.kind, one.name, one.field]), one]),
  )
  return [...distinct.values()]
}

/** One line: `1 tool held: shop-a/search description`. Fields of one tool stand together. */
export function heldLine(held: readonly HeldMeta[]): string | undefined {
  if (held.length === 0) return undefined
  const fields = new Map<string, string[]>()
  for (const { server, name, field } of held) {
    const pair = `${server}/${name}`
    fields.set(pair, [...(fields.get(pair) ?? []), field])
  }
  const kinds = new Set(held.map(({ kind }) => kind))
  const kind = kinds.size === 1 ? [...kinds][0] : 'definition'
  const shown = [...fields].map(([pair, moved]) => `${pair} ${moved.join(', ')}`)
  return `${fields.size} ${kind}${fields.size === 1 ? '' : 's'} held: ${shown.join('; ')}`
}

function isHeld(value: Json | undefined): value is HeldMeta {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { server, kind, name, field } = value as JsonObject
  return [server, kind, name, field].every((member) => typeof member === 'string')
}
