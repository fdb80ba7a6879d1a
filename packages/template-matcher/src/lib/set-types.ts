import type { Template } from '@truename/uri-codec'
import type { SetConflict } from './conflicts.ts'
import type { Expectation, Explanation } from './explain.ts'
import type { Deviation, Match, RawPiece } from './match.ts'
import type { MatchOptions } from './match-template.ts'
import type { MatchMetrics } from './metrics.ts'
import type { MatchedValues } from './settle.ts'
import type { ReadTrace } from './trace.ts'

/** What an entry of a set carries. */
export interface Registered<T> {
  readonly data: T
  /** The data of other entries that match and are exactly as specific, so that nothing but their text decided. */
  readonly tied: readonly T[]
}

/** A template of a set that matched. */
export interface TemplateHit<T> extends Match, Registered<T> {
  readonly kind: 'template'
}

/** An exact URI of a set that matched. */
export interface ExactHit<T> extends Registered<T> {
  readonly kind: 'exact'
  readonly template: undefined
  /** The URI as requested. */
  readonly uri: string
  /** The URI as it was added; it differs from `uri` by the case of the scheme at most. */
  readonly registered: string
  readonly values: MatchedValues
  readonly deviations: readonly Deviation[]
  readonly raw: readonly RawPiece[]
  readonly trace: ReadTrace
}

/** What a set found. */
export type SetMatch<T> = TemplateHit<T> | ExactHit<T>

/** How a set matches, and what it does at registration. */
export interface TemplateSetOptions extends MatchOptions {
  /**
   * What happens where an entry is added that is exactly as specific as one that matches the same URI: `report`, the
   * default, leaves it to `conflicts()` and to `tied` of a match; `refuse` throws a `TemplateConflictError`.
   */
  readonly equal?: 'report' | 'refuse'
}

/** Many templates at once, most specific first. */
export interface TemplateSet<T> {
  /**
   * Adds a template. Answers a function that takes it out again.
   * @throws {TemplateSyntaxError} for a text that is no template
   * @throws {TemplateConflictError} where it is in conflict, if `equal` is `refuse`
   * @throws {MatchLimitError} where it has more expressions than the limits allow
   */
  add(template: Template | string, data: T): () => void
  /**
   * Adds a URI that is matched letter for letter before any template. Answers a function that takes it out again.
   * @throws {TemplateConflictError} where it is there already, in whatever case its scheme is, if `equal` is `refuse`
   */
  addExact(uri: string, data: T): () => void
  /**
   * The exact URI or the most specific template that matches; where neither does, the same with the scheme in any
   * case. In tolerant mode, where nothing matches strictly: the only tolerant reading there is, and `undefined` where
   * there are several; `explain` lists them.
   * @throws {MatchLimitError} beyond the limits
   */
  match(uri: string): SetMatch<T> | undefined
  /** All that match, most specific first; in tolerant mode and without a strict match, all tolerant readings. */
  matchAll(uri: string): readonly SetMatch<T>[]
  /**
   * Why a URI does not lead where it should, in at most three lines. What shows nothing, such as control characters, is
   * written by its number. Values that a template cannot be expanded with are said, not thrown.
   * @throws {MatchLimitError} beyond the limits
   */
  explain(uri: string, expected?: Expectation): Explanation
  /**
   * All pairs of templates that match a same URI, with a shortest one, in the mode of the set. A scheme in another case
   * is the same scheme (RFC 3986 section 3.1): where the case of their schemes is all that keeps two templates apart,
   * the URI and how both read it have the scheme in lower case.
   */
  conflicts(): readonly SetConflict[]
  /** What was counted. */
  metrics(): MatchMetrics
  /** Tells whether what a match named was there, for the metrics. */
  reportLocated(found: boolean): void
  /** All templates, most specific first. */
  readonly templates: readonly Template[]
}
