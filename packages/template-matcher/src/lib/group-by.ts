/** Items by what `keyOf` says of each, in the order in which they come. */
export function groupBy<T, Key>(
  items: readonly T[],
  keyOf: (item: T) => Key,
): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key) ?? []
    groups.set(key, group)
    group.push(item)
  }
  return groups
}
