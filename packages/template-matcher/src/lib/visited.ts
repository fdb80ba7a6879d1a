/**
 * Which (state, position) pairs were seen, each with the fewest code points used so far: what needs more than that can
 * reach nothing new.
 */
export interface Visited {
  /** Adds a pair; false where it was there with as few used. */
  add(state: number, at: number, used: number): boolean
}

/** A set for positions from `start` to `end`. `charge` is told of the memory taken, in cells. */
export function createVisited(start: number, end: number, charge: (cells: number) => void): Visited {
  const rows: (Uint16Array | undefined)[] = []
  return {
    add(state, at, used) {
      let row = rows[state]
      if (row === undefined) {
        charge((end - start) >> 3)
        row = new Uint16Array(end - start + 1)
        rows[state] = row
      }
      const seen = row[at - start]!
      if (seen !== 0 && seen <= used + 1) return false
      row[at - start] = used + 1
      return true
    },
  }
}
