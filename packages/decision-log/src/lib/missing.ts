type Range = readonly [from: number, to: number]

/** The ranges of records that were not seen where they belong; some may turn up later. */
export interface Missing {
  /** `false` if there are too many ranges already: then this one is not kept. */
  add(from: number, to: number): boolean
  /** Takes one record out; `false` if it was not missing. */
  take(index: number): boolean
  /** What is still missing, as `[from, to)`, in ascending order. */
  ranges(): readonly Range[]
}

export function createMissing(limit = 10_000): Missing {
  // In ascending order, never touching.
  const gaps: Range[] = []
  return {
    add(from, to) {
      if (gaps.length >= limit) return false
      gaps.push([from, to])
      return true
    },
    take(index) {
      let low = 0
      let high = gaps.length
      while (low < high) {
        const middle = (low + high) >> 1
        if ((gaps[middle] as Range)[1] <= index) low = middle + 1
        else high = middle
      }
      const gap = gaps[low]
      if (!gap || index < gap[0]) return false
      const pieces: Range[] = [
        [gap[0], index],
        [index + 1, gap[1]],
      ]
      gaps.splice(low, 1, ...pieces.filter(([from, to]) => from < to))
      return true
    },
    ranges: () => gaps,
  }
}
