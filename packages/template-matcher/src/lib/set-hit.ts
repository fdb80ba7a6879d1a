import type { Template } from '@truename/uri-codec'
import type { Deviation } from './match.ts'
import type { Found } from './pieces.ts'
import type { Registered, TemplateHit } from './set-types.ts'
import type { MatchedValues } from './settle.ts'
import { TemplateMatch } from './template-match.ts'

/** A template of a set. */
export interface Entry<T> {
  readonly template: Template
  /** The variables where the places of the expressions are all there is to know of a match. */
  readonly names: readonly string[] | undefined
  readonly data: T
  hits: number
}

/** A match of a template in a set. */
export class SetHit<T> extends TemplateMatch implements TemplateHit<T>, Registered<T> {
  declare readonly data: T
  declare readonly tied: readonly T[]

  constructor(
    entry: Entry<T>,
    uri: string,
    values: MatchedValues,
    deviations: readonly Deviation[] | undefined,
    tied: readonly T[],
    found?: Found,
  ) {
    super(entry.template, uri, values, deviations, found)
    this.data = entry.data
    this.tied = tied
  }

  get kind(): 'template' {
    return 'template'
  }
}

/** A match of an entry before it is known what it is tied with. */
export interface Candidate<T> {
  readonly entry: Entry<T>
  readonly values: MatchedValues
  readonly deviations?: readonly Deviation[] | undefined
  readonly found?: Found | undefined
}

/** The candidate of a match. */
export const toCandidate = <T>(entry: Entry<T>, match: TemplateMatch): Candidate<T> => ({
  entry,
  values: match.values,
  ...match.known,
})
