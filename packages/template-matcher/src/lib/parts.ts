import {
  type Expression,
  type Operator,
  type OperatorRule,
  operators,
  type Template,
} from '@truename/uri-codec'
import { canonicalText } from './canonical.ts'
import {
  type CharacterSet,
  careless,
  characterSet,
  reserved,
  reservedText,
  unreserved,
  without,
} from './characters.ts'

/** A literal as it is looked for. */
export interface LiteralPart {
  readonly type: 'literal'
  /** Percent-encoded, canonical in its triplets. */
  readonly text: string
  /** Percent-encoded, as the template has it. */
  readonly right: string
}

/** One variable of an expression, as matching sees it. */
export interface PartVariable {
  readonly name: string
  /** The name as URIs carry it, canonical in its triplets. */
  readonly key: string
  readonly explode: boolean
  /** Code points, or 0 for none. */
  readonly prefix: number
  /** Whether it has no modifier here and `*` elsewhere: its text may be a list, as that is one. */
  readonly listed: boolean
}

/**
 * An expression: `query` is `{?…}` with the `{&…}` that follow it, or `{&…}` alone, whose pairs may come in any order;
 * `slots` is any other, whose variables stand in the order of the template.
 */
export interface ExpressionPart {
  readonly type: 'slots' | 'query'
  readonly operator: Operator
  readonly rule: OperatorRule
  readonly variables: readonly PartVariable[]
  /** How many of the variables, from the first, belong to a `{?…}`. */
  readonly opening: number
  /** What the text of one value is written with. */
  readonly set: CharacterSet
  /** Whether the text of one value may hold the separator. */
  readonly merge: boolean
  /** Whether values may hold what is else written between them: a comma or `=` that is not encoded says nothing. */
  readonly loose: boolean
  /** Whether only values that are not empty are read, and each choice of them by a path of its own. */
  readonly apart?: boolean
}

/** A part of a program. */
export type Part = LiteralPart | ExpressionPart

/** The names of variables with `*`. */
export const explodedNames = ({ nodes }: Template): ReadonlySet<string> =>
  new Set(
    nodes
      .flatMap((node) => (node.type === 'literal' ? [] : node.variables))
      .flatMap(({ name, explode }) => (explode ? name : [])),
  )

const variablesOf = (expression: Expression, exploded: ReadonlySet<string>): PartVariable[] =>
  expression.variables.map(({ name, explode, prefix = 0 }) => ({
    name,
    key: canonicalText(name),
    explode,
    prefix,
    listed: !explode && prefix === 0 && exploded.has(name),
  }))

const carelessReserved = characterSet(reservedText, careless)

/** One expression by itself. */
export function expressionPart(
  expression: Expression,
  exploded: ReadonlySet<string>,
  tolerant: boolean,
): ExpressionPart & { readonly variables: PartVariable[] } {
  const { operator } = expression
  const rule = operators[operator]
  const variables = variablesOf(expression, exploded)
  const strict = rule.reserved ? reserved : unreserved
  const loose = rule.reserved ? carelessReserved : careless
  return {
    type: operator === '?' || operator === '&' ? 'query' : 'slots',
    operator,
    rule,
    variables,
    opening: operator === '?' ? variables.length : 0,
    set: !tolerant ? strict : rule.named ? without(loose, rule.separator) : loose,
    merge: rule.reserved || operator === '.' || (tolerant && !rule.named),
    loose: tolerant || rule.reserved,
  }
}

/** The parts of a template, in order. */
export function partsOf(template: Template, tolerant: boolean): Part[] {
  const exploded = explodedNames(template)
  const parts: Part[] = []
  let query: PartVariable[] | undefined
  for (const node of template.nodes) {
    if (node.type === 'literal') {
      parts.push({ type: 'literal', text: canonicalText(node.encoded), right: node.encoded })
      query = undefined
    } else if (node.operator === '&' && query !== undefined) query.push(...variablesOf(node, exploded))
    else {
      const part = expressionPart(node, exploded, tolerant)
      parts.push(part)
      query = part.type === 'query' ? part.variables : undefined
    }
  }
  return parts
}
