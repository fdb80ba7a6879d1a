import { AMPERSAND, characterSet, EQUALS, looseRunEnd, unreserved } from './characters.ts'
import type { Program, QueryPart, SlotsPart } from './program.ts'
import { decodeOnce, type MatchedValue, setOwn } from './settle.ts'

// What most templates need, in one go from left to right, without a list of places. It answers only where it is sure:
// a URI that it does not read is read again by the parts that know all conventions.

const members = characterSet(',=', unreserved)

/** The value of a plain variable: a text, or a list where commas make one. */
function plainValue(text: string, from: number, to: number, lists: boolean): MatchedValue {
  const part = text.slice(from, to)
  return lists && part.includes(',') ? part.split(',').map(decodeOnce) : decodeOnce(part)
}

/** Reads `{/list*}`: items without `=` and without commas. Answers where it ends, or -1. */
function readItems(part: SlotsPart, text: string, at: number, values: Record<string, MatchedValue>): number {
  const end = looseRunEnd(text, at + 1, part.run)
  const whole = text.slice(at + 1, end)
  if (whole.includes('=') || whole.includes(',')) return -1
  const items = whole.split(part.operator)
  setOwn(values, part.variables[0]!.name, whole.includes('%') ? items.map(decodeOnce) : items)
  return end
}

/** Reads pairs of variables without modifiers, each once, in their order. Answers where it ends, or -1. */
function readPairs(part: QueryPart, text: string, at: number, values: Record<string, MatchedValue>): number {
  const { variables } = part
  let place = at
  for (let next = 0; next < variables.length; next += 1) {
    const { name, key } = variables[next]!
    if (!text.startsWith(key, place + 1)) continue
    const equals = place + 1 + key.length
    if (text.charCodeAt(equals) !== EQUALS) continue
    const end = looseRunEnd(text, equals + 1, members)
    const value = text.slice(equals + 1, end)
    if (value.includes(',') || value.includes('=')) return -1
    setOwn(values, name, decodeOnce(value))
    place = end
    if (text.charCodeAt(place) !== AMPERSAND) return place
  }
  return -1
}

/** {@link readInOneGo}, and `undefined` too for text that does not decode. */
export function readOnce(program: Program, text: string): Record<string, MatchedValue> | undefined {
  try {
    return readInOneGo(program, text)
  } catch {
    // decodeURIComponent: some triplets are no UTF-8.
    return undefined
  }
}

/**
 * The preferred values of a text, where one look is enough; `undefined` where it is not, which does not mean that
 * there are none.
 */
function readInOneGo(program: Program, text: string): Record<string, MatchedValue> | undefined {
  const { parts } = program
  const values: Record<string, MatchedValue> = {}
  let at = 0
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index]!
    if (part.type === 'literal') {
      if (!text.startsWith(part.text, at)) return undefined
      at += part.text.length
      continue
    }
    if (part.type === 'query') {
      if (text.charCodeAt(at) === part.first) {
        if (!part.simple) return undefined
        at = readPairs(part, text, at, values)
      } else if (part.second >= 0 && text.charCodeAt(at) === part.second) return undefined
    } else if (part.plain) {
      const opened = part.first < 0
      if (!opened && text.charCodeAt(at) !== part.first) continue
      const from = opened ? at : at + 1
      let end: number
      if (part.reserved) {
        const next = parts[index + 1]
        if (next !== undefined && next.type !== 'literal') return undefined
        const run = looseRunEnd(text, from, part.run)
        end = next === undefined ? run : text.startsWith(next.text, at) ? at : text.indexOf(next.text, at + 1)
        if (end < 0 || end > run) return undefined
      } else end = looseRunEnd(text, from, part.run)
      if (end > at) {
        const value = plainValue(text, from, end, part.listsInText)
        // A comma may belong to a literal as well.
        if (typeof value !== 'string' && !program.onePass) return undefined
        setOwn(values, part.variables[0]!.name, value)
      }
      at = end
    } else if (part.items) {
      if (text.charCodeAt(at) === part.first) at = readItems(part, text, at, values)
    } else return undefined
    if (at < 0) return undefined
  }
  return at === text.length ? values : undefined
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
