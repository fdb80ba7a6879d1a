import type { Template } from '@truename/uri-codec'
import { deviationsOf } from './deviations.ts'
import type { Deviation, Match, RawPiece } from './match.ts'
import type { MatchedValues } from './matched-values.ts'
import { type Found, piecesOf } from './pieces.ts'
import { type Program, programOf } from './program.ts'
import { isSpelledRight, type ReadOptions, readText } from './read-text.ts'
import { scan } from './scan.ts'
import { beginTrace, matchSteps, type ReadTrace } from './trace.ts'

/** No deviations. */
export const noDeviations: readonly Deviation[] = Object.freeze([])

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
    this.#found ??= readText(programOf(this.template, false), this.uri, {}, 1)[0]!
    return this.#found
  }

  /** What has been worked out so far. */
  get known(): {
    readonly deviations?: readonly Deviation[] | undefined
    readonly found?: Found | undefined
  } {
    return { deviations: this.#deviations, found: this.#found }
  }

  get deviations(): readonly Deviation[] {
    const { uri, template } = this
    // What was read in one go has its query in order.
    const isPlain =
      this.#found === undefined && isSpelledRight(uri) && !programOf(template, false).oddlySpelled
    this.#deviations ??= isPlain ? noDeviations : deviationsOf(this.found, uri)
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

/** The matches of a program that differ in their values, at most `most`. */
export const programMatches = (
  program: Program,
  uri: string,
  options: ReadOptions,
  most: number,
): TemplateMatch[] =>
  readText(program, uri, options, most).map(
    (found) => new TemplateMatch(program.template, uri, found.values, undefined, found),
  )

/** The preferred strict match of a program. */
export function matchProgram(program: Program, uri: string, options: ReadOptions): TemplateMatch | undefined {
  const values = program.repeats ? undefined : scan(program.parts, uri)
  if (values === null) return undefined
  return values === undefined
    ? programMatches(program, uri, options, 1)[0]
    : new TemplateMatch(program.template, uri, values)
}
