import type { Template } from '@truename/uri-codec'
import { checkExpressions, checkUri } from './limits.ts'
import type { Match } from './match.ts'
import { programOf } from './program.ts'
import type { ReadOptions } from './read-text.ts'
import { matchProgram, programMatches } from './template-match.ts'
import { toTemplate } from './to-template.ts'

/** How a URI is matched. */
export interface MatchOptions extends ReadOptions {
  /**
   * `strict`, the default: only what expansion can write. `tolerant`: where nothing matches strictly, also what
   * clients write that put values in without encoding them; never across a raw `?` or `#`.
   */
  readonly mode?: 'strict' | 'tolerant'
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
  const readings = readingsOf(template, uri, options, 2)
  return readings.length === 1 ? readings[0] : undefined
}

/** The readings of a URI: the strict one, or else every tolerant one that differs in its values, at most 16. */
export const matchReadings = (
  template: Template | string,
  uri: string,
  options: MatchOptions = noOptions,
): readonly Match[] => readingsOf(template, uri, options, 16)

function readingsOf(
  template: Template | string,
  uri: string,
  options: MatchOptions,
  most: number,
): readonly Match[] {
  const parsed = toTemplate(template)
  checkExpressions(parsed, options.limits)
  checkUri(uri, options.limits)
  const strict = matchProgram(programOf(parsed, false), uri, options)
  if (strict !== undefined) return [strict]
  return options.mode === 'tolerant' ? programMatches(programOf(parsed, true), uri, options, most) : []
}
