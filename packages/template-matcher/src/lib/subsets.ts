/** All sets of some of the items, from the empty one to all. */
export const subsets = <T>(items: readonly T[]): ReadonlySet<T>[] =>
  Array.from(
    { length: 1 << items.length },
    (_, bits) => new Set(items.filter((_item, at) => (bits >> at) & 1)),
  )
