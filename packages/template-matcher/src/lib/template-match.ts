import type { Template } from '@truename/uri-codec'
import { isCanonical } from './canonical.ts'
import { deviationsOf } from './deviations.ts'
import type { MatchLimits } from './limits.ts'
import type { Deviation, Match, RawPiece } from './match.ts'
import { type Found, piecesOf } from './pieces.ts'
import { type Program, programOf } from './program.ts'
import type { UnknownKeys } from './query-pairs.ts'
import { isSpelledRight, readText, readTolerantly, taskOf } from './read-text.ts'
import { scan } from './scan.ts'
import type { MatchedValues } from './settle.ts'
import { beginTrace, matchSteps, type ReadTrace } from './trace.ts'

/** No deviations. */
export const noDeviations: readonly Deviation[] = Object.freeze([])

/** Whether a URI that stands in the order of the template is spelled as expansion spells it. */
const isPlain = (program: Program, uri: string): boolean => !program.oddlySpelled && isSpelledRight(uri)

/** A match; what is seldom asked for is worked out when it is. */
export class TemplateMatch implements Match {
  // Only declared: a field that is defined first and set after costs twice.
  declare readonly template: Template
  declare readonly uri: string
  declare readonly values: MatchedValues
  #deviations: readonly Deviation[] | undefined
  /** Where the parts stand; `undefined` for what was read in one go and can be read again. */
  #found: Found | undefined

  constructor(
    template: Template,
    uri: string,
    values: MatchedValues,
    deviations?: readonly Deviation[],
    found?: Found,
  ) {
    this.template = template
    this.uri = uri
    this.values = values
    this.#deviations = deviations
    this.#found = found
  }

  /** Where the parts stand. */
  get found(): Found {
    this.#found ??= readText(programOf(this.template, false), this.uri, 'refuse', undefined)
    return this.#found!
  }

  /** What has been worked out so far. */
  get known(): {
    readonly deviations?: readonly Deviation[] | undefined
    readonly found?: Found | undefined
  } {
    return { deviations: this.#deviations, found: this.#found }
  }

  get deviations(): readonly Deviation[] {
    this.#deviations ??= isPlain(programOf(this.template, false), this.uri)
      ? noDeviations
      : findDeviations(this.found, this.uri)
    return this.#deviations
  }

  get raw(): readonly RawPiece[] {
    return piecesOf(this.found, this.uri)
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

const findDeviations = (found: Found, uri: string): readonly Deviation[] =>
  deviationsOf(found.program, piecesOf(found, uri), found.reading.inOrder)

/** The match of a reading. */
export function toMatch(found: Found, uri: string): TemplateMatch {
  const { program, reading, origin } = found
  const plain = origin === undefined && !program.tolerant && reading.inOrder && isPlain(program, uri)
  const deviations = plain ? noDeviations : findDeviations(found, uri)
  return new TemplateMatch(program.template, uri, reading.values, deviations, found)
}

/** The preferred strict match of a program. */
export function matchProgram(
  program: Program,
  uri: string,
  unknown: UnknownKeys,
  limits: MatchLimits | undefined,
): TemplateMatch | undefined {
  // Another spelling can only stand for another cut where there is more than one way to cut.
  if (!uri.includes('%') || program.onePass || isCanonical(uri)) {
    const values = scan(program, uri, unknown)
    if (typeof values === 'object') return new TemplateMatch(program.template, uri, values)
  }
  const found = readText(program, uri, unknown, limits)
  return found && toMatch(found, uri)
}

/** The tolerant matches of a template that differ in their values, at most `most`. */
export function tolerantMatches(
  template: Template,
  uri: string,
  unknown: UnknownKeys,
  limits: MatchLimits | undefined,
  most: number,
): TemplateMatch[] {
  return readTolerantly(programOf(template, true), uri, taskOf(unknown, limits), most).map((found) =>
    toMatch(found, uri),
  )
}
