import { decodeOnce, type MatchedValue, setOwn } from './settle.ts'

/** The value of a plain variable: a text, or a list where commas make one. */
function plainValue(text: string, from: number, to: number, lists: boolean): MatchedValue {
  const part = text.slice(from, to)
  return lists && part.includes(',') ? part.split(',').map(decodeOnce) : decodeOnce(part)
}

/** The values of plain variables that stand at `spans`, start and end of each. */
export function readSpans(
  names: readonly string[],
  text: string,
  spans: readonly number[],
  hasNoTriplet: boolean,
): Record<string, MatchedValue> {
  const values: Record<string, MatchedValue> = {}
  const isPlain = hasNoTriplet && !text.includes(',')
  for (let at = 0; at < names.length; at += 1) {
    const from = spans[at * 2]!
    const to = spans[at * 2 + 1]!
    if (from < to)
      setOwn(values, names[at]!, isPlain ? text.slice(from, to) : plainValue(text, from, to, true))
  }
  return values
}
