import type { Junction } from './index-tree.ts'
import { MatchLimitError } from './limits.ts'

// What a place can be marked with; four places share a byte.
export const VISITED = 1
/** A run of characters before it that goes on here has been seen to its end. */
export const INSIDE = 2
/** Steps that the memory for four places costs. */
const stepsOfByte = 80

/** Marks that a walk makes: for each junction that several paths lead to, a row of all places in the text. */
export interface Marks {
  clear(): void
  /**
   * Where the row of a junction begins, for a text of that length.
   * @throws {MatchLimitError} where the memory takes too many steps
   */
  rowOf(junction: Junction, length: number): number
  /** Marks a place; answers whether it was not marked so before. */
  isNew(place: number, mark: number): boolean
}

/** Makes a place for marks. */
export function createMarks(maxSteps: number): Marks {
  let marks = new Uint8Array(64)
  let used = 0
  let walk = 0
  return {
    clear() {
      used = 0
      walk += 1
      if (marks.length > 1 << 16) marks = new Uint8Array(64)
    },
    rowOf(junction, length) {
      const width = (length >> 2) + 1
      if (junction.walk !== walk) {
        junction.walk = walk
        junction.row = used * 4
        const end = used + width
        const steps = end * stepsOfByte
        if (steps > maxSteps) throw new MatchLimitError('too-many-steps', maxSteps, steps)
        if (end > marks.length) {
          const before = marks
          marks = new Uint8Array(Math.min(end * 2, maxSteps / stepsOfByte))
          marks.set(before)
        }
        marks.fill(0, used, end)
        used = end
      }
      return junction.row
    },
    isNew(place, mark) {
      const before = marks[place >> 2]!
      const bit = mark << ((place & 3) * 2)
      marks[place >> 2] = before | bit
      return (before & bit) === 0
    },
  }
}
