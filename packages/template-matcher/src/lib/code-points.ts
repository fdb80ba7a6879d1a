import { isUnreserved, isUriText } from './characters.ts'
import { octetAt, PERCENT, tripletSize } from './utf8.ts'

/** Whether the two units behind `%25` are digits, with which a bare `%` would have been a triplet. */
const isTripletAfter = (text: string, at: number): boolean =>
  at > 2 && text.startsWith('%25', at - 3) && octetAt(text, at - 1) >= 0

/**
 * How many more code points a value has at the least with one more unit. What `{+v}` leaves as it is can only arrive as a
 * triplet where the value itself held that triplet; that `%25` was one shows with the second digit behind it.
 */
export function unitCost(reserved: boolean, text: string, at: number, size: number): number {
  if (!reserved) return 1
  if (size === 1) return isTripletAfter(text, at - 1) ? 3 : 1
  const octet = octetAt(text, at)
  return size === 3 && octet !== PERCENT && isUriText(octet) && !isUnreserved(octet) ? 3 : 1
}

/** What is counted too much of a value that starts here: a digit behind a `%25` that is not its own. */
export const startCost = (reserved: boolean, text: string, at: number): number =>
  reserved && (isTripletAfter(text, at) || isTripletAfter(text, at - 1)) ? 2 : 0

/** How many code points a value has at the least up to each place. */
export function countPoints(reserved: boolean, text: string): Int32Array {
  const counts = new Int32Array(text.length + 1)
  for (let at = 0; at < text.length; ) {
    const isTriplet = text.charCodeAt(at) === PERCENT
    const size = (isTriplet && tripletSize(text, at)) || (text.codePointAt(at)! > 0xffff ? 2 : 1)
    counts[at + size] = counts[at]! + unitCost(reserved, text, at, size)
    at += size
  }
  return counts
}
