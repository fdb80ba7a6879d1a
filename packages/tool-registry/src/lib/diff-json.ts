import { byCodeUnits, isObject, type Json } from './json.ts'
import { type JsonPath, pointerOf } from './pointer.ts'

/** One place where two JSON values differ. */
export interface JsonChange {
  /** JSON Pointer to the place, in the value that has it. */
  readonly pointer: string
  readonly op: 'add' | 'remove' | 'replace'
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/**
 * Where two JSON values differ, in canonical order: objects member by member, arrays index by index. At most `limit`
 * places are named; the first is always among them.
 */
export function diffJson(before: Json | undefined, after: Json | undefined, limit = 100): JsonChange[] {
  const changes: JsonChange[] = []
  const compare = (a: Json | undefined, b: Json | undefined, path: JsonPath): void => {
    if (changes.length >= limit || a === b) return
    if (isObject(a) && isObject(b)) {
      const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(byCodeUnits)
      for (const name of names) {
        compare(Object.hasOwn(a, name) ? a[name] : undefined, Object.hasOwn(b, name) ? b[name] : undefined, [
          ...path,
          name,
        ])
      }
      return
    }
    if (Array.isArray(a) && Array.isArray(b)) {
      for (let index = 0; index < Math.max(a.length, b.length); index += 1)
        compare(a[index], b[index], [...path, index])
      return
    }
    const op = a === undefined ? 'add' : b === undefined ? 'remove' : 'replace'
    changes.push({ pointer: pointerOf(path), op, before: a, after: b })
  }
  compare(before, after, [])
  return changes
}
