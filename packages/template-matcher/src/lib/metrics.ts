/** Hits of one template or exact URI. */
export interface TemplateHits {
  /** The template's text, or the exact URI. */
  readonly template: string
  readonly hits: number
}

/** A rate, with what usually causes it. */
export interface MatchRate {
  readonly failures: number
  /** Attempts in all. */
  readonly of: number
  /** `failures / of`, 0 where there was no attempt. */
  readonly rate: number
  readonly usualCause: string
}

/** What a set has counted since it was made. */
export interface MatchMetrics {
  /** URIs that no template and no exact URI matched. */
  readonly match: MatchRate
  /** URIs that no template matched and that hold a triplet no text decodes from. */
  readonly decode: MatchRate
  /** Matches that named nothing, as far as the application has reported them. */
  readonly locate: MatchRate
  /** Hits of each template and exact URI, in order of specificity. */
  readonly hits: readonly TemplateHits[]
  /** Those never hit. */
  readonly neverHit: readonly string[]
  readonly neverHitUsualCause: string
}

const causes = {
  match: 'the client expands the template in another way, or a template that was added is ambiguous',
  decode: 'values are encoded twice or not at all',
  locate: 'business data: the name or path is not there; encoding is not to blame',
  neverHit: 'clients may lack the operator that the template uses',
} as const

const rate = (failures: number, of: number, usualCause: string): MatchRate => ({
  failures,
  of,
  rate: of === 0 ? 0 : failures / of,
  usualCause,
})

/** Counts of one set. */
export interface MatchCounts {
  attempts: number
  noMatch: number
  badEscapes: number
  located: number
  notLocated: number
}

/** No counts yet. */
export const noCounts = (): MatchCounts => ({
  attempts: 0,
  noMatch: 0,
  badEscapes: 0,
  located: 0,
  notLocated: 0,
})

/** The counts as people read them. */
export function toMetrics(counts: MatchCounts, hits: readonly TemplateHits[]): MatchMetrics {
  return {
    match: rate(counts.noMatch, counts.attempts, causes.match),
    decode: rate(counts.badEscapes, counts.attempts, causes.decode),
    locate: rate(counts.notLocated, counts.located + counts.notLocated, causes.locate),
    hits,
    neverHit: hits.filter((each) => each.hits === 0).map(({ template }) => template),
    neverHitUsualCause: causes.neverHit,
  }
}
