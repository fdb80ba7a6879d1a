import { AMPERSAND, COMMA, EQUALS, ignorableRun, runEnd, SLASH, unreserved } from './characters.ts'
import { literalEnd } from './literal.ts'
import type { QueryPart } from './parts.ts'
import type { Program } from './program.ts'
import { opensQuery, type UnknownKeys } from './query-pairs.ts'
import { readRun } from './read-run.ts'
import { decodeOnce, type MatchedValue, setOwn } from './settle.ts'

type Values = Record<string, MatchedValue>

/** The end of at most `slots` segments. */
function segmentsEnd(text: string, from: number, end: number, slots: number): number {
  let left = slots
  for (let at = from; at < end; at += 1) if (text.charCodeAt(at) === SLASH && --left === 0) return at
  return end
}

/** Reads pairs of variables without modifiers, each once, in their order. Answers where it ends, or -1. */
function readPairs({ variables }: QueryPart, text: string, at: number, values: Values): number {
  let place = at
  for (let next = 0; next < variables.length; next += 1) {
    const { name, key } = variables[next]!
    const equals = place + 1 + key.length
    if (text.charCodeAt(equals) !== EQUALS || !text.startsWith(key, place + 1)) continue
    const { end, value } = readRun(text, equals + 1, unreserved)
    setOwn<MatchedValue>(values, name, value)
    place = end
    if (text.charCodeAt(place) !== AMPERSAND) return place
  }
  return -1
}

/**
 * One attempt from left to right: each expression takes as much as it can, `{+v}` and `{#v}` as little (convention
 * C6). Answers the values where one look is enough to know them, or else whether the text can be read so; where it
 * cannot, that decides for programs that are one-pass. `bounds` gets where each part starts, and the end.
 */
export function scan(
  program: Program,
  text: string,
  unknown: UnknownKeys,
  bounds?: number[],
): Values | boolean {
  const { parts } = program
  let values: Values | undefined = bounds !== undefined || program.repeated.size > 0 ? undefined : {}
  let at = 0
  for (let index = 0; index < parts.length; index += 1) {
    bounds?.push(at)
    const part = parts[index]!
    if (part.type === 'literal') {
      at = literalEnd(text, at, part.text)
      if (at < 0) return false
      continue
    }
    const code = text.charCodeAt(at)
    if (part.type === 'query') {
      if (opensQuery(part, code)) {
        const end = values !== undefined && part.simple ? readPairs(part, text, at, values) : -1
        if (end < 0) values = undefined
        at = end < 0 ? runEnd(text, at + 1, unknown === 'ignore' ? ignorableRun : part.run) : end
      }
      continue
    }
    let whole = text
    if (part.reserved && index + 1 < parts.length) {
      const next = parts[index + 1]!
      if (next.type !== 'literal') return false
      if (text.startsWith(next.text, at)) continue
      const end = text.indexOf(next.text, at + 1)
      if (end < 0 || (part.first >= 0 && code !== part.first)) return false
      whole = text.slice(0, end)
    } else if (part.first >= 0 && code !== part.first) continue
    const from = part.first < 0 ? at : at + 1
    let { end, value } = readRun(whole, from, part.plain ? part.set : part.run) as {
      end: number
      value: MatchedValue
    }
    if (part.plain) {
      if (part.delimited && text.charCodeAt(end) === COMMA) {
        end = runEnd(text, from, part.run)
        // A comma may belong to a literal as well.
        if (program.onePass) value = text.slice(from, end).split(',').map(decodeOnce)
        else values = undefined
      }
    } else if (values !== undefined) {
      const raw = text.slice(from, end)
      if (!part.items || raw.includes(',') || raw.includes('=')) values = undefined
      else value = raw.includes('%') ? raw.split('/').map(decodeOnce) : raw.split('/')
    }
    if (whole !== text && end < whole.length) return false
    if (part.slots > 1 && part.slots < end) end = segmentsEnd(text, from, end, part.slots)
    if (values !== undefined && end > at) setOwn(values, part.variables[0]!.name, value)
    at = end
  }
  bounds?.push(at)
  return at === text.length && (values ?? true)
}
