import type { Template } from '@truename/uri-codec'
import { canonicalize, isCanonical } from './canonical.ts'
import { deviationsOf } from './deviations.ts'
import { defaultLimits, MatchLimitError, type MatchLimits } from './limits.ts'
import type { Deviation, Match, RawPiece } from './match.ts'
import { type Found, piecesOf } from './pieces.ts'
import { type Program, programOf } from './program.ts'
import type { UnknownKeys } from './query-pairs.ts'
import { readParts } from './read-parts.ts'
import { scan } from './scan.ts'
import { explore, search } from './search.ts'
import type { MatchedValues } from './settle.ts'
import { toTemplate } from './to-template.ts'
import { beginTrace, matchSteps, type ReadTrace } from './trace.ts'

/** How a URI is matched. */
export interface MatchOptions {
  /**
   * `strict`, the default: only what expansion can write. `tolerant`: where nothing matches strictly, also what
   * clients write that put values in without encoding them; never across a raw `?` or `#`.
   */
  readonly mode?: 'strict' | 'tolerant'
  readonly query?: {
    /** Whether query parameters that the template does not name refuse the match (the default) or are ignored. */
    readonly unknown?: UnknownKeys
  }
  readonly limits?: MatchLimits
}

const noDeviations: readonly Deviation[] = Object.freeze([])

/** A match; what costs something is worked out when it is asked for. */
class TemplateMatch implements Match {
  readonly template: Template
  readonly uri: string
  readonly values: MatchedValues
  readonly deviations: readonly Deviation[]
  readonly #found: Found

  constructor(found: Found, uri: string, values: MatchedValues, deviations: readonly Deviation[]) {
    this.template = found.program.template
    this.uri = uri
    this.values = values
    this.deviations = deviations
    this.#found = found
  }

  get raw(): readonly RawPiece[] {
    return piecesOf(this.#found, this.uri)
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

/** Work of one match so far. */
interface Task {
  readonly unknown: UnknownKeys
  readonly step: (count?: number) => void
}

/** Counts steps, and refuses to go on past the limit. */
export const stepCounter = (limit: number): ((count?: number) => void) => {
  let done = 0
  return (count = 1) => {
    done += count
    if (done > limit) throw new MatchLimitError('too-many-steps', 'Matching took too many steps', limit, done)
  }
}

/** The preferred reading of a text. */
function readText(
  program: Program,
  text: string,
  origin: Int32Array | undefined,
  { unknown, step }: Task,
): Found | undefined {
  const read = (bounds: readonly number[], composite: boolean): Found | undefined => {
    const reading = readParts({ program, text, bounds, composite, unknown, step })
    return reading && { program, origin, bounds, reading }
  }
  const phases = program.phases ? [false, true] : [true]
  const bounds = scan(program, text, unknown)
  if (program.onePass) {
    if (bounds === undefined) return undefined
    return program.plain
      ? read(bounds, true)
      : (read(bounds, phases[0]!) ?? (program.phases ? read(bounds, true) : undefined))
  }
  if (bounds !== undefined) {
    const reading = read(bounds, phases[0]!)
    if (reading !== undefined) return reading
  }
  for (const composite of phases) {
    let reading: Found | undefined
    search({ program, text, composite, unknown, step }, (at) => {
      reading = read(at, composite)
      return reading !== undefined
    })
    if (reading !== undefined) return reading
  }
  return undefined
}

const toMatch = (found: Found, uri: string): Match => {
  const { program, reading, origin } = found
  const plain = origin === undefined && !program.tolerant && reading.inOrder && isCanonicalAndEncoded(uri)
  return new TemplateMatch(
    found,
    uri,
    reading.values,
    plain ? noDeviations : deviationsOf(program, piecesOf(found, uri), reading.inOrder),
  )
}

const unencoded = /[^!#-;=?-[\]_a-z~]/
const isCanonicalAndEncoded = (uri: string): boolean =>
  !unencoded.test(uri) && (!uri.includes('%') || isCanonical(uri))

/** The preferred strict match of a program. */
export function matchProgram(program: Program, uri: string, task: Task): Match | undefined {
  const found = readText(program, uri, undefined, task)
  // A spelling that only looks different is told apart on failure, and where a `%` could hide it.
  if (!uri.includes('%')) return found && toMatch(found, uri)
  const { text, origin } = canonicalize(uri)
  if (origin === undefined) return found && toMatch(found, uri)
  const canonical = readText(program, text, origin, task)
  return canonical && toMatch(canonical, uri)
}

/** Tolerant readings of a URI that differ in their values, at most `most`. */
export function tolerantMatches(template: Template, uri: string, task: Task, most: number): Match[] {
  const program = programOf(template, true)
  const { text, origin } = canonicalize(uri)
  const { unknown, step } = task
  const found = new Map<string, Match>()
  const accept = (bounds: readonly number[]): boolean => {
    const reading = readParts({ program, text, bounds, composite: true, unknown, step })
    if (reading === undefined) return false
    const key = JSON.stringify(reading.values)
    if (!found.has(key)) found.set(key, toMatch({ program, origin, bounds, reading }, uri))
    return found.size >= most
  }
  if (program.onePass) {
    const bounds = scan(program, text, unknown)
    if (bounds !== undefined) accept(bounds)
  } else explore({ program, text, composite: true, unknown, step }, accept, false)
  return [...found.values()]
}

/** The task of one match under these options. @throws {MatchLimitError} for a URI or template beyond the limits */
export function taskOf(uri: string, options: MatchOptions): Task {
  const limits = options.limits ?? defaultLimits
  const { uriLength = defaultLimits.uriLength, steps: most = defaultLimits.steps } = limits
  if (uri.length > uriLength)
    throw new MatchLimitError('uri-too-long', 'The URI is too long', uriLength, uri.length)
  return { unknown: options.query?.unknown ?? 'refuse', step: stepCounter(most) }
}

/** @throws {MatchLimitError} where the template has more expressions than the limits allow */
export function checkExpressions(program: Program, limits: MatchLimits | undefined): void {
  const most = limits?.expressions ?? defaultLimits.expressions
  if (program.expressions > most)
    throw new MatchLimitError(
      'too-many-expressions',
      'The template has too many expressions',
      most,
      program.expressions,
    )
}

const noOptions: MatchOptions = {}

/**
 * Matches a URI against a template: the values that expand to this URI, by conventions C1 to C6 (see the README), or
 * `undefined` where none do. Query parameters may come in any order.
 *
 * In tolerant mode a URI with several readings is not matched; {@link matchReadings} lists them.
 *
 * @throws {MatchLimitError} beyond the limits
 * @throws {TemplateSyntaxError} for a template given as text that RFC 6570 does not allow
 * @throws {TemplateLimitError} for a template given as text that is larger than the parser's limits
 */
export function matchTemplate(
  template: Template | string,
  uri: string,
  options: MatchOptions = noOptions,
): Match | undefined {
  const parsedTemplate = toTemplate(template)
  const program = programOf(parsedTemplate, false)
  checkExpressions(program, options.limits)
  const task = taskOf(uri, options)
  const strict = matchProgram(program, uri, task)
  if (strict !== undefined || options.mode !== 'tolerant') return strict
  const readings = tolerantMatches(parsedTemplate, uri, task, 2)
  return readings.length === 1 ? readings[0] : undefined
}

/** The readings of a URI: the strict one, or else every tolerant one that differs in its values, at most 16. */
export function matchReadings(
  template: Template | string,
  uri: string,
  options: MatchOptions = noOptions,
): readonly Match[] {
  const strict = matchTemplate(template, uri, { ...options, mode: 'strict' })
  if (strict !== undefined) return [strict]
  return options.mode === 'tolerant'
    ? tolerantMatches(toTemplate(template), uri, taskOf(uri, options), 16)
    : []
}
