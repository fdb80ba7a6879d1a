import type { Template } from '@truename/uri-codec'
import type { MatchLimits } from './limits.ts'
import type { Match } from './match.ts'
import { programOf } from './program.ts'
import type { UnknownKeys } from './query-pairs.ts'
import { checkExpressions, checkUri } from './read-text.ts'
import { matchProgram, tolerantMatches } from './template-match.ts'
import { toTemplate } from './to-template.ts'

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
  const { limits, mode, query } = options
  const parsed = toTemplate(template)
  const program = programOf(parsed, false)
  checkExpressions(parsed, limits)
  checkUri(uri, limits)
  const unknown = query?.unknown ?? 'refuse'
  const strict = matchProgram(program, uri, unknown, limits)
  if (strict !== undefined || mode !== 'tolerant') return strict
  const readings = tolerantMatches(parsed, uri, unknown, limits, 2)
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
  if (options.mode !== 'tolerant') return []
  const { query, limits } = options
  return tolerantMatches(toTemplate(template), uri, query?.unknown ?? 'refuse', limits, 16)
}
