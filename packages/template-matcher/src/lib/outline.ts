import { QUESTION, SLASH } from './characters.ts'
import type { Part } from './parts.ts'
import type { Program } from './program.ts'

const HASH = 0x23

const literalText = (part: Part | undefined): string | undefined =>
  part?.type === 'literal' ? part.text : undefined

/** What is known of all URIs of a program without a search. */
interface Outline {
  /**
   * What they end with, and what stands before their first `?` or `#` ends with; `undefined` where that is no literal, or
   * not known.
   */
  readonly endings: readonly (string | undefined)[]
  /** What stands between their slashes, with NUL for an expression; `undefined` where an expression can write one. */
  readonly segments: readonly string[] | undefined
}

function outlineOf({ parts, tolerant }: Program): Outline {
  // No value but those of `+` and `#` holds these characters.
  const at = parts.findIndex((part) => {
    if (part.type === 'literal') return /[?#]/.test(part.text)
    return part.type === 'query' ? part.first === QUESTION : part.reserved
  })
  /** Whether all that a part writes is behind one of them. */
  const opens = (part: Part): boolean =>
    part.type === 'query'
      ? part.first === QUESTION && part.second < 0
      : part.type === 'slots' && part.first === HASH
  const cut = literalText(parts[at])?.replace(/[?#].*/s, '')
  const isKnown = at < 0 || parts.slice(at).every(opens)
  const before = isKnown ? literalText(parts[at < 0 ? parts.length - 1 : at - 1]) : undefined
  const slashes = (part: Part): boolean =>
    part.type === 'slots' && (part.reserved || part.separator === SLASH)
  const text = parts.map((part) => literalText(part) ?? '\0').join('')
  return {
    endings: [literalText(parts.at(-1)), cut ?? before],
    segments: tolerant || parts.some(slashes) ? undefined : text.split('/'),
  }
}

const outlines = new WeakMap<Program, Outline>()

/** The outline of a program, made once. */
function knownOutline(program: Program): Outline {
  const known = outlines.get(program) ?? outlineOf(program)
  outlines.set(program, known)
  return known
}

/** Whether no text ends with both. */
const endApart = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && !one.endsWith(other) && !other.endsWith(one)

/** Whether no text is both, each with NUL for any text. */
function differ(one: string, other: string): boolean {
  const [start, begin] = [one.split('\0', 1)[0]!, other.split('\0', 1)[0]!]
  if (!start.startsWith(begin) && !begin.startsWith(start)) return true
  return endApart(one.slice(one.lastIndexOf('\0') + 1), other.slice(other.lastIndexOf('\0') + 1))
}

/** Whether no URI is matched by both programs, as far as that shows without a search. */
export function areApart(left: Program, right: Program): boolean {
  const [one, other] = [knownOutline(left), knownOutline(right)]
  if (one.endings.some((end, at) => endApart(end, other.endings[at]))) return true
  const { segments } = other
  if (one.segments === undefined || segments === undefined) return false
  return (
    one.segments.length !== segments.length ||
    one.segments.some((segment, at) => differ(segment, segments[at]!))
  )
}
