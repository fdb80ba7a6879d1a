/** One page of a list, in the order of its keys. */
export interface Page<T> {
  readonly items: readonly T[]
  /** Opaque; absent on the last page. */
  readonly nextCursor?: string
}

/**
 * The page after a cursor. The cursor names the last key that was given out, so that documents which come or go
 * between two pages shift nothing: whatever stays is listed exactly once.
 * @param sorted items in ascending order of `keyOf` by code units
 * @returns `undefined` where the cursor is none of ours
 */
export function pageAfter<T>(
  sorted: readonly T[],
  keyOf: (item: T) => string,
  cursor: string | undefined,
  size: number,
): Page<T> | undefined {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  if (cursor !== undefined && after === undefined) return undefined
  const start = after === undefined ? 0 : firstBeyond(sorted, keyOf, after)
  const items = sorted.slice(start, start + size)
  const last = items.at(-1)
  if (last === undefined || start + size >= sorted.length) return { items }
  return { items, nextCursor: Buffer.from(JSON.stringify([keyOf(last)])).toString('base64url') }
}

function firstBeyond<T>(sorted: readonly T[], keyOf: (item: T) => string, after: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (keyOf(sorted[middle] as T) <= after) low = middle + 1
    else high = middle
  }
  return low
}

function readCursor(cursor: string): string | undefined {
  if (!/^[\w-]+$/.test(cursor)) return undefined
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(read) && read.length === 1 && typeof read[0] === 'string' ? read[0] : undefined
  } catch {
    return undefined
  }
}
