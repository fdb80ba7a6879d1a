import type { Template } from '@truename/uri-codec'
import type { Match } from './match.ts'
import type { Overlap } from './overlap.ts'
import { compareShape } from './specificity.ts'

/** Two templates of a set that match the same URI. */
export interface SetConflict {
  /** The more specific one first. */
  readonly templates: readonly [Template, Template]
  /** A shortest URI that both match; `undefined` where it could not be decided whether there is one. */
  readonly uri: string | undefined
  readonly first?: Match
  readonly second?: Match
  /** Whether they are equally specific, so that nothing but their texts decides which one a URI goes to. */
  readonly equal: boolean
}

/** A template of a set was refused, or an exact URI that is there already. */
export class TemplateConflictError extends Error {
  override readonly name = 'TemplateConflictError'
  readonly code = 'equal-templates'
  /** What was added, and what it is in conflict with. */
  readonly sources: readonly [string, string]
  /** A URI that both match; `undefined` where that could not be decided. */
  readonly uri: string | undefined

  constructor(added: string, present: string, uri: string | undefined) {
    super(
      `${added} and ${present} are equally specific, and ${uri === undefined ? 'may match the same URI' : `both match ${uri}`}. Make one of them more specific, or let the set report conflicts instead of refusing them.`,
    )
    this.sources = [added, present]
    this.uri = uri
  }
}

/** The conflict of two templates of a set, the more specific one first, from what is known of their overlap. */
export const conflictOf = (
  first: Template,
  second: Template,
  found: Overlap | 'undecided' | undefined,
): SetConflict | undefined =>
  found && {
    templates: [first, second],
    equal: compareShape(first, second) === 0,
    ...(found === 'undecided' ? { uri: undefined } : found),
  }
