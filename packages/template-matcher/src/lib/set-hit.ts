import type { Template } from '@truename/uri-codec'
import type { Deviation } from './match.ts'
import type { Found } from './pieces.ts'
import type { Registered, TemplateHit } from './set-types.ts'
import { decodeOnce, type MatchedValue, type MatchedValues } from './settle.ts'
import { TemplateMatch } from './template-match.ts'

/** A match of a template in a set. */
export class SetHit<T> extends TemplateMatch implements TemplateHit<T>, Registered<T> {
  declare readonly template: Template
  declare readonly data: T
  declare readonly tied: readonly T[]

  constructor(
    template: Template,
    data: T,
    uri: string,
    values: MatchedValues,
    deviations: readonly Deviation[] | undefined,
    tied: readonly T[],
    found?: Found,
  ) {
    // V8 reads every object that it puts where it has only met objects of one kind, to see whether it is of that kind
    // too. Among many templates that is a wait for memory that nobody needs; so it meets something else there first.
    super(undefined as never, uri, values, deviations, found)
    this.template = template
    this.data = data
    this.tied = tied
  }

  get kind(): 'template' {
    return 'template'
  }
}

/** A match of a template, by its number in the set, before it is known what it is tied with. */
export interface Candidate {
  readonly id: number
  readonly match: TemplateMatch
}

/** The values of plain variables at their places, start and end of each; `whole` where none has a triplet or a comma. */
export function valuesAt(
  names: readonly string[],
  uri: string,
  places: readonly number[],
  whole: boolean,
): MatchedValues {
  const values: Record<string, MatchedValue> = {}
  for (let at = 0; at < names.length; at += 1) {
    const from = places[at * 2]!
    const to = places[at * 2 + 1]!
    if (from === to) continue
    const text = uri.slice(from, to)
    values[names[at]!] = whole
      ? text
      : text.includes(',')
        ? text.split(',').map(decodeOnce)
        : decodeOnce(text)
  }
  return values
}
