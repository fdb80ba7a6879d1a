import { type Expression, operators, type Template } from '@truename/uri-codec'
import { canonicalText } from './canonical.ts'
import { toTemplate } from './to-template.ts'

/** What decides how specific a template is: numbers, compared from the left, smaller is more specific. */
type Rank = readonly number[]

const ranks = new WeakMap<Template, Rank>()

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** How much one expression leaves open; `+` and `#` more than all others of a template together. */
function openness({ operator, variables }: Expression): number {
  const reach = operators[operator].reserved ? 1e9 : operators[operator].named ? 200 : 0
  return reach + sum(variables.map(({ explode, prefix }) => (explode ? 8 : prefix ? 1 : 4)))
}

function rankOf(template: Template): Rank {
  let rank = ranks.get(template)
  if (rank === undefined) {
    const { nodes } = template
    /** Less than 0 the text of a literal, more than 0 what an expression leaves open. */
    const places = nodes.map((node) =>
      node.type === 'literal' ? -canonicalText(node.encoded).length : openness(node),
    )
    rank = [
      sum(places.filter((each) => each < 0)),
      sum(places.filter((each) => each > 0)),
      // Where the literals stand: the template whose text comes first.
      ...places,
    ]
    ranks.set(template, rank)
  }
  return rank
}

/** {@link compareSpecificity}, but 0 for templates that only differ in their texts and names. */
export function compareShape(first: Template, second: Template): number {
  const left = rankOf(first)
  const right = rankOf(second)
  // Of two that are alike as far as the shorter one goes, the other has no more: all they add up to is the same.
  const at = left.findIndex((each, place) => each !== right[place])
  return at < 0 ? 0 : left[at]! - right[at]!
}

/**
 * Compares how specific two templates are; negative where the first is more specific. A total order that depends on
 * the two templates alone. What decides, in this order:
 *
 * 1. more literal text, in characters as expanded, without needless triplets;
 * 2. fewer expressions of `+` and `#`;
 * 3. less left open by all expressions together: prefixes less than plain variables, these less than exploded ones,
 *    no name less than names;
 * 4. part by part from the left, more literal text, then less left open;
 * 5. the text of the templates, by code unit.
 *
 * A template all of whose URIs another one matches too is never placed after it by the first rule: the shortest URI of
 * a template is its literal text.
 */
export function compareSpecificity(first: Template | string, second: Template | string): number {
  const left = toTemplate(first)
  const right = toTemplate(second)
  return compareShape(left, right) || (left.source < right.source ? -1 : left.source > right.source ? 1 : 0)
}
