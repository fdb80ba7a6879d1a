import type { TemplateValues } from '@truename/uri-codec'

/** A document that a name could mean. */
export interface Candidate {
  /** The configured id of the server that offers it. */
  readonly server: string
  /** Its name as the server spells it. */
  readonly name: string
  /** Other words it goes by: its title, the last part of its path. */
  readonly also: readonly string[]
  /** Exactly as listed, or as the listed template expands. */
  readonly uri: string
  readonly from: CandidateSource
}

/** Where a candidate was seen. */
export type CandidateSource =
  | { readonly kind: 'listed' }
  /** A listed template and the exact values that fill it. */
  | { readonly kind: 'template'; readonly template: string; readonly values: TemplateValues }
