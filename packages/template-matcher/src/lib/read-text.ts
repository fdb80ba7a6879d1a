import type { Template } from '@truename/uri-codec'
import { canonicalize, isCanonical } from './canonical.ts'
import { defaultLimits, MatchLimitError, type MatchLimits } from './limits.ts'
import { unencoded } from './literal.ts'
import type { Found } from './pieces.ts'
import type { Program } from './program.ts'
import type { UnknownKeys } from './query-pairs.ts'
import { readParts } from './read-parts.ts'
import { scan } from './scan.ts'
import { explore, search } from './search.ts'

/** What goes along with one match. */
export interface Task {
  readonly unknown: UnknownKeys
  /** Counts steps. @throws {MatchLimitError} past the limit */
  readonly step: (count?: number) => void
}

/** Counts steps, and refuses to go on past the limit. */
export const stepCounter = (limit: number): ((count?: number) => void) => {
  let done = 0
  return (count = 1) => {
    done += count
    if (done > limit) throw new MatchLimitError('too-many-steps', limit, done)
  }
}

/** The task of one match under these limits. */
export const taskOf = (unknown: UnknownKeys, limits: MatchLimits | undefined): Task => ({
  unknown,
  step: stepCounter(limits?.steps ?? defaultLimits.steps),
})

/** @throws {MatchLimitError} where the URI is longer than the limits allow */
export function checkUri(uri: string, limits: MatchLimits | undefined): void {
  const most = limits?.uriLength ?? defaultLimits.uriLength
  if (uri.length > most) throw new MatchLimitError('uri-too-long', most, uri.length)
}

/** @throws {MatchLimitError} where the template has more expressions than the limits allow */
export function checkExpressions({ nodes }: Template, limits: MatchLimits | undefined): void {
  const most = limits?.expressions ?? defaultLimits.expressions
  if (nodes.length <= most) return
  const expressions = nodes.filter(({ type }) => type === 'expression').length
  if (expressions > most) throw new MatchLimitError('too-many-expressions', most, expressions)
}

/** Whether lists in plain variables and maps of named ones are read: where a template could have them, at first not. */
const phasesOf = ({ phases }: Program): readonly boolean[] => (phases ? bothPhases : onePhase)
const bothPhases = [false, true]
const onePhase = [true]
/** Whether query parameters have to stand in the order of the template. */
const firstInOrder = [true, false]
const inAnyOrder = [false]

/** Whether a query can end in several places, so that ignoring parameters could move where it ends. */
const canIgnoreMore = ({ onePass, parts }: Program, unknown: UnknownKeys): boolean =>
  unknown === 'ignore' && !onePass && parts.some(({ type }) => type === 'query')

/** The preferred reading of a text whose triplets are canonical; one that ignores nothing comes first. */
export function readCanonical(
  program: Program,
  text: string,
  origin: Int32Array | undefined,
  { unknown, step }: Task,
): Found | undefined {
  if (canIgnoreMore(program, unknown)) {
    const found = readCanonical(program, text, origin, { unknown: 'refuse', step })
    if (found !== undefined) return found
  }
  const read = (
    bounds: readonly number[],
    composite: boolean,
    inOrder: boolean,
    counting = step,
  ): Found | undefined => {
    const reading = readParts({ program, text, bounds, unknown, composite, inOrder, step: counting })
    return reading && { program, origin, bounds, reading }
  }
  const phases = phasesOf(program)
  // Another order could change what repeated variables hold.
  const orders = program.repeated.size > 0 ? firstInOrder : inAnyOrder
  const scanned: number[] = []
  const bounds = scan(program, text, unknown, scanned) ? scanned : undefined
  if (program.onePass && bounds === undefined) return undefined
  const quick = program.onePass ? undefined : bounds && read(bounds, phases[0]!, orders[0]!)
  if (quick !== undefined) return quick
  for (const composite of phases)
    for (const inOrder of orders) {
      let found: Found | undefined
      if (program.onePass) found = read(bounds!, composite, inOrder)
      else
        search({ program, text, composite, unknown, step }, (at, counting) => {
          found = read(at, composite, inOrder, counting)
          return found !== undefined
        })
      if (found !== undefined) return found
    }
  return undefined
}

/** The preferred strict reading of a URI. */
export function readText(
  program: Program,
  uri: string,
  unknown: UnknownKeys,
  limits: MatchLimits | undefined,
): Found | undefined {
  const { text, origin } = canonicalize(uri)
  return readCanonical(program, text, origin, taskOf(unknown, limits))
}

/** Readings of a URI by a tolerant program that differ in their values, at most `most`. */
export function readTolerantly(
  program: Program,
  uri: string,
  { unknown, step }: Task,
  most: number,
): Found[] {
  if (canIgnoreMore(program, unknown)) {
    const all = readTolerantly(program, uri, { unknown: 'refuse', step }, most)
    if (all.length > 0) return all
  }
  const { text, origin } = canonicalize(uri)
  const found = new Map<string, Found>()
  for (const composite of phasesOf(program)) {
    explore(
      { program, text, composite, unknown, step },
      (bounds, counting) => {
        const reading = readParts({
          program,
          text,
          bounds,
          composite,
          unknown,
          inOrder: false,
          step: counting,
        })
        if (reading === undefined) return false
        const key = JSON.stringify(reading.values)
        if (!found.has(key)) found.set(key, { program, origin, bounds, reading })
        return found.size >= most
      },
      false,
    )
    if (found.size > 0) break
  }
  return [...found.values()]
}

const unencodedPoints = /[^!#-;=?-[\]_a-z~\p{Cs}]/gu

/** The canonical spelling of a URI, with what stands in it unencoded encoded. */
export const spellRight = (uri: string): string =>
  canonicalize(uri).text.replace(unencodedPoints, encodeURIComponent)

/** Whether a URI is spelled as expansion spells it, apart from the order of its query. */
export const isSpelledRight = (uri: string): boolean =>
  !unencoded.test(uri) && (!uri.includes('%') || isCanonical(uri))
