import type { Template } from '@truename/uri-codec'
import type { Expectation, Explanation } from './explain.ts'
import type { Deviation, Match, RawPiece } from './match.ts'
import type { MatchOptions } from './match-template.ts'
import type { MatchMetrics } from './metrics.ts'
import type { MatchedValues } from './settle.ts'
import type { ReadTrace } from './trace.ts'

interface Registered<T> {
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

/** How a set matches. */
export type TemplateSetOptions = MatchOptions

/** Many templates at once, most specific first. */
export interface TemplateSet<T> {
  /**
   * Adds a template. Answers a function that takes it out again.
   * @throws {TemplateSyntaxError} for a text that is no template
   * @throws {MatchLimitError} where it has more expressions than the limits allow
   */
  add(template: Template | string, data: T): () => void
  /** Adds a URI that is matched letter for letter before any template. Answers a function that takes it out again. */
  addExact(uri: string, data: T): () => void
  /**
   * The exact URI or the most specific template that matches. In tolerant mode, where no template matches strictly:
   * the only tolerant reading there is, and `undefined` where there are several; `explain` lists them.
   * @throws {MatchLimitError} beyond the limits
   */
  match(uri: string): SetMatch<T> | undefined
  /** All that match, most specific first; in tolerant mode and without a strict match, all tolerant readings. */
  matchAll(uri: string): readonly SetMatch<T>[]
  /** Why a URI does not lead where it should, in at most three lines. */
  explain(uri: string, expected?: Expectation): Explanation
  /** What was counted. */
  metrics(): MatchMetrics
  /** Reports whether what a match named was there, for the metrics. */
  reportLocated(found: boolean): void
  /** All templates, most specific first. */
  readonly templates: readonly Template[]
}
