import { AMPERSAND, QUESTION, runEnd, SLASH } from './characters.ts'
import { literalEnd } from './literal.ts'
import type { Program, SlotsPart } from './program.ts'
import { ignorableRun, type UnknownKeys } from './query-pairs.ts'

/** The end of at most `slots` segments. */
function segmentsEnd(text: string, from: number, end: number, slots: number): number {
  let left = slots
  for (let at = from; at < end; at += 1) if (text.charCodeAt(at) === SLASH && --left === 0) return at
  return end
}

/** As little as `{+v}` can take: up to the literal after it, or to the end. */
function leastEnd(text: string, at: number, part: SlotsPart, literal: string | undefined): number {
  if (literal === undefined) {
    if (part.first >= 0 && text.charCodeAt(at) !== part.first) return at
    return runEnd(text, part.first < 0 ? at : at + 1, part.run)
  }
  if (text.startsWith(literal, at)) return at
  if (part.first >= 0 && text.charCodeAt(at) !== part.first) return -1
  const end = text.indexOf(literal, at + 1)
  return end < 0 || runEnd(text, part.first < 0 ? at : at + 1, part.run) < end ? -1 : end
}

/**
 * One attempt from left to right: each expression takes as much as it can, `{+v}` and `{#v}` as little (convention
 * C6). Answers where each part starts, and the end; `undefined` where the attempt fails, which decides for programs
 * that are one-pass.
 */
export function scan(program: Program, text: string, unknown: UnknownKeys): number[] | undefined {
  const { parts } = program
  const bounds: number[] = []
  let at = 0
  for (let index = 0; index < parts.length; index += 1) {
    bounds.push(at)
    const part = parts[index]!
    if (part.type === 'literal') at = literalEnd(text, at, part.text)
    else if (part.type === 'query') {
      const code = text.charCodeAt(at)
      if (code === QUESTION ? part.opening > 0 : code === AMPERSAND && part.opening < part.variables.length)
        at = runEnd(text, at + 1, unknown === 'ignore' ? ignorableRun : part.run)
    } else if (part.reserved) {
      const next = parts[index + 1]
      if (next !== undefined && next.type !== 'literal') return undefined
      at = leastEnd(text, at, part, next?.text)
    } else if (part.first < 0) at = runEnd(text, at, part.run)
    else if (text.charCodeAt(at) === part.first) {
      const end = runEnd(text, at + 1, part.run)
      at = part.slots > 1 && part.slots < end ? segmentsEnd(text, at + 1, end, part.slots) : end
    }
    if (at < 0) return undefined
  }
  if (at !== text.length) return undefined
  bounds.push(at)
  return bounds
}
