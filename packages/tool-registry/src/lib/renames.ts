import { canonicalJson } from './canonical-json.ts'
import type { Drift } from './drift.ts'
import { isObject, type JsonObject, memberOf } from './json.ts'

/** A drift of a whole definition, with the definition it is about. */
export interface WholeDrift {
  readonly drift: Drift
  readonly definition: JsonObject
}

/**
 * Marks pairs of a removed and an added definition that are probably one that was renamed: everything but name and
 * title is the same, or else the input schema is and has at least two properties. Only a pair that is the one
 * possible is marked. The marks are for people: nothing is approved by them.
 */
export function markRenames(
  removed: readonly WholeDrift[],
  added: readonly WholeDrift[],
): ReadonlyMap<Drift, Drift> {
  const marked = new Map<Drift, Drift>()
  for (const mark of [contentMark, schemaMark]) {
    const from = groupByMark(removed, mark, marked)
    const to = groupByMark(added, mark, marked)
    for (const [text, [first, ...more]] of from) {
      const [second, ...others] = to.get(text) ?? []
      if (!first || !second || more.length > 0 || others.length > 0) continue
      marked.set(first.drift, {
        ...first.drift,
        renamed: second.drift.key,
        reasons: [...first.drift.reasons, 'renamed'],
      })
      marked.set(second.drift, {
        ...second.drift,
        renamed: first.drift.key,
        reasons: [...second.drift.reasons, 'renamed'],
      })
    }
  }
  return marked
}

function groupByMark(
  all: readonly WholeDrift[],
  mark: (definition: JsonObject) => string | undefined,
  marked: ReadonlyMap<Drift, Drift>,
): Map<string, WholeDrift[]> {
  const groups = new Map<string, WholeDrift[]>()
  for (const one of all) {
    const text = marked.has(one.drift) ? undefined : mark(one.definition)
    if (text !== undefined) groups.set(text, [...(groups.get(text) ?? []), one])
  }
  return groups
}

const contentMark = (definition: JsonObject): string | undefined => {
  const { name: _, title: __, ...content } = definition
  return Object.keys(content).length === 0 ? undefined : canonicalJson(content)
}

const schemaMark = (definition: JsonObject): string | undefined => {
  const schema = memberOf(definition, 'inputSchema')
  const properties = isObject(schema) ? memberOf(schema, 'properties') : undefined
  return isObject(properties) && Object.keys(properties).length >= 2 ? canonicalJson(schema) : undefined
}
