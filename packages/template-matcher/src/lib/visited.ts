/** A stretch of text that a prefix was counted over. */
interface Stretch {
  /** How far it goes. */
  end: number
  /** The fewest code points used at its end. */
  used: number
}

/**
 * Where the text of one prefix variable was counted. What starts within a stretch can end nowhere new but after it,
 * so that no character is counted twice however many starts there are.
 */
export interface CountedText {
  /** Code points from where the stretch began, for each position in one; -1 elsewhere. */
  readonly counts: Int32Array
  readonly stretches: (Stretch | undefined)[]
}

/**
 * Which (state, position) pairs were seen, each with the fewest code points used so far: what needs more than that can
 * reach nothing new.
 */
export interface Visited {
  /** For each position, one more than the fewest code points used in a state; 0 where it was not seen. */
  row(state: number): Uint16Array
  /** Adds a pair; false where it was there with as few used. */
  add(state: number, at: number, used: number): boolean
  /** What was counted in a state. */
  counted(state: number): CountedText
}

/** A set for positions from `start` to `end`. `charge` is told of the memory taken, in cells of two bytes. */
export function createVisited(start: number, end: number, charge: (cells: number) => void): Visited {
  const size = end - start + 1
  const rows: (Uint16Array | undefined)[] = []
  const counted: (CountedText | undefined)[] = []
  const rowOf = (state: number): Uint16Array => {
    let row = rows[state]
    if (row === undefined) {
      charge(size)
      row = new Uint16Array(size)
      rows[state] = row
    }
    return row
  }
  return {
    row: rowOf,
    add(state, at, used) {
      const row = rowOf(state)
      const seen = row[at - start]!
      if (seen !== 0 && seen <= used + 1) return false
      row[at - start] = used + 1
      return true
    },
    counted(state) {
      let known = counted[state]
      if (known === undefined) {
        charge(size * 6)
        known = { counts: new Int32Array(size).fill(-1), stretches: new Array(size) }
        counted[state] = known
      }
      return known
    },
  }
}
