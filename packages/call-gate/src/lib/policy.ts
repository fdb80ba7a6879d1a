import type { Key } from '@truename/tool-registry/identity'
import type { Condition } from './condition.ts'
import type { Glob } from './glob.ts'
import type { Verdict } from './verdict.ts'

/** What a rule can speak of. */
export type Kind = Key['kind']

/** Where something stands in a policy text; both count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** One rule. A call falls under it when server, name, caller and every condition match. */
export interface Rule {
  /** Place in the list, from 0. */
  readonly index: number
  /** How decisions and logs call this rule: `rules[3]`. */
  readonly label: string
  readonly server: Glob
  readonly kind: Kind
  /** For resources: an exact URI or the text of a template, or a pattern of either. */
  readonly name: Glob
  readonly decision: Verdict
  /** All must hold; empty where the rule has none. */
  readonly when: readonly Condition[]
  /** The caller's authorization profile is one of these; `undefined` where any will do. */
  readonly profiles: readonly string[] | undefined
  /** The operator's own words, repeated in decisions. */
  readonly reason: string | undefined
  readonly position: Position | undefined
}

/** A text by which a server says "not permitted" without `isError`. */
export interface DenialPattern {
  readonly server: Glob
  readonly tool: Glob
  /** Compared with the whole text of a content block, without regard to case and outer white space. */
  readonly text: Glob
}

/** A policy that was read and checked. Rules are tried in order and the first that matches decides. */
export interface Policy {
  readonly rules: readonly Rule[]
  /** What happens to a call that no rule matches. */
  readonly defaults: Readonly<Record<Kind, Verdict>>
  /** Profiles whose clients may answer for a person, by elicitation, one call at a time. */
  readonly elicitation: readonly string[]
  readonly denials: readonly DenialPattern[]
}

/** What holds where a policy does not say otherwise. */
export const usualDefaults: Readonly<Record<Kind, Verdict>> = {
  tool: 'ask',
  prompt: 'allow',
  resource: 'allow',
}
