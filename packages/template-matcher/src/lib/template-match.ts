import type { Template } from '@truename/uri-codec'
import { isCanonical } from './canonical.ts'
import { deviationsOf } from './deviations.ts'
import type { Deviation, Match, RawPiece } from './match.ts'
import { type Found, piecesOf } from './pieces.ts'
import { type Program, programOf } from './program.ts'
import { readOnce } from './read-once.ts'
import { isSpelledRight, readText, readTolerantly, type Task, taskOf } from './read-text.ts'
import type { MatchedValues } from './settle.ts'
import { beginTrace, matchSteps, type ReadTrace } from './trace.ts'

/** No deviations. */
export const noDeviations: readonly Deviation[] = Object.freeze([])

/** A match; what is seldom asked for is worked out when it is. */
export class TemplateMatch implements Match {
  readonly template: Template
  readonly uri: string
  readonly values: MatchedValues
  readonly deviations: readonly Deviation[]
  /** Where the parts stand; `undefined` for what was read in one go and can be read again. */
  readonly #found: Found | undefined

  constructor(
    template: Template,
    uri: string,
    values: MatchedValues,
    deviations: readonly Deviation[],
    found: Found | undefined,
  ) {
    this.template = template
    this.uri = uri
    this.values = values
    this.deviations = deviations
    this.#found = found
  }

  /** Where the parts stand, where that was needed to match. */
  get found(): Found | undefined {
    return this.#found
  }

  get raw(): readonly RawPiece[] {
    const found =
      this.#found ?? readText(programOf(this.template, false), this.uri, taskOf('refuse', undefined))
    return found === undefined ? [] : piecesOf(found, this.uri)
  }

  get trace(): ReadTrace {
    return { ...beginTrace(this.uri), steps: matchSteps(this) }
  }

  /** All of it, where a match is written as JSON. */
  toJSON(): object {
    const { template, uri, values, raw, deviations } = this
    return { template: template.source, uri, values, raw, deviations }
  }
}

/** The match of a reading. */
export function toMatch(found: Found, uri: string): TemplateMatch {
  const { program, reading, origin } = found
  const isPlain = origin === undefined && !program.tolerant && reading.inOrder && isSpelledRight(uri)
  const deviations = isPlain ? noDeviations : deviationsOf(program, piecesOf(found, uri), reading.inOrder)
  return new TemplateMatch(program.template, uri, reading.values, deviations, found)
}

/** The preferred strict match of a program; `task` is called for where one look is not enough. */
export function matchProgram(program: Program, uri: string, task: () => Task): TemplateMatch | undefined {
  // What is not spelled right is no literal and no value, but for triplets in another spelling.
  if (program.repeated.size === 0 && (!uri.includes('%') || isCanonical(uri))) {
    const values = readOnce(program, uri)
    if (values !== undefined) return new TemplateMatch(program.template, uri, values, noDeviations, undefined)
  }
  const found = readText(program, uri, task())
  return found && toMatch(found, uri)
}

/** The tolerant matches of a template that differ in their values, at most `most`. */
export function tolerantMatches(template: Template, uri: string, task: Task, most: number): TemplateMatch[] {
  return readTolerantly(programOf(template, true), uri, task, most).map((found) => toMatch(found, uri))
}
