/** The ranges of records that were not seen where they belong; some may turn up later. */
export interface Missing {
  add(from: number, to: number): void
  /** Takes one record out; `false` if it was not missing. */
  take(index: number): boolean
  /** What is still missing, as `[from, to)`. */
  ranges(): readonly (readonly [from: number, to: number])[]
}

export function createMissing(): Missing {
  // In ascending order, never touching.
  const gaps: [number, number][] = []
  return {
    add(from, to) {
      gaps.push([from, to])
    },
    take(index) {
      let low = 0
      let high = gaps.length
      while (low < high) {
        const middle = (low + high) >> 1
        if ((gaps[middle] as [number, number])[1] <= index) low = middle + 1
        else high = middle
      }
      const gap = gaps[low]
      if (!gap || index < gap[0]) return false
      const pieces: [number, number][] = [
        [gap[0], index],
        [index + 1, gap[1]],
      ]
      gaps.splice(low, 1, ...pieces.filter(([from, to]) => from < to))
      return true
    },
    ranges: () => gaps,
  }
}
