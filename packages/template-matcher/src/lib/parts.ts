import { type Expression, type Operator, operators, type Template } from '@truename/uri-codec'
import type { Automaton } from './automaton.ts'
import { canonicalText } from './canonical.ts'
import {
  AMPERSAND,
  type CharacterSet,
  careless,
  characterSet,
  QUESTION,
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

/** An expression whose variables stand in the order of the template: every operator but `?` and `&`. */
export interface SlotsPart {
  readonly type: 'slots'
  readonly operator: Operator
  /** The code of the character that opens it, or -1. */
  readonly first: number
  readonly separator: number
  readonly named: boolean
  readonly reserved: boolean
  readonly variables: readonly PartVariable[]
  /** What the text of one value is written with. */
  readonly set: CharacterSet
  /** What the whole text after `first` is written with. */
  readonly run: CharacterSet
  /** Whether the text of one value may hold the separator. */
  readonly merge: boolean
  /**
   * Whether an unencoded comma makes a list of a plain variable, and `=` a map of an exploded one without names: no text
   * of a value is written with them.
   */
  readonly delimited: boolean
  /** The most slots it can have. */
  readonly slots: number
  /** One variable without a modifier, unnamed: its text is its value. */
  readonly plain: boolean
  /** One exploded variable of `/`: its text is most often a list. */
  readonly items: boolean
  /** What its text is read by, without and with lists and maps; made when first needed. */
  readonly automata: (Automaton | undefined)[]
}

/** `{?…}` with the `{&…}` that follow it, or `{&…}` alone: pairs in any order. */
export interface QueryPart {
  readonly type: 'query'
  readonly variables: readonly PartVariable[]
  /** How many of the variables, from the first, belong to the `{?…}`. */
  readonly opening: number
  readonly set: CharacterSet
  readonly run: CharacterSet
  /** The variables by key. */
  readonly byKey: ReadonlyMap<string, readonly number[]>
  /** Whether a variable can hold pairs of any key. */
  readonly maps: boolean
  /** The character that opens it, and the one that opens it where only variables of `{&…}` are there, or -1. */
  readonly first: number
  readonly second: number
  /** Whether no variable has a modifier and none is repeated. */
  readonly simple: boolean
}

/** A part of a program. */
export type Part = LiteralPart | SlotsPart | QueryPart

const code = (text: string): number => (text === '' ? -1 : text.charCodeAt(0))

/** The names of variables with `*`. */
export const explodedNames = ({ level, nodes }: Template): ReadonlySet<string> =>
  new Set(
    level < 4
      ? []
      : nodes
          .flatMap((node) => (node.type === 'literal' ? [] : node.variables))
          .flatMap(({ name, explode }) => (explode ? name : [])),
  )

const variablesOf = (expression: Expression, exploded: ReadonlySet<string>): PartVariable[] =>
  expression.variables.map(({ name, explode, prefix }) => ({
    name,
    key: canonicalText(name),
    explode,
    prefix: prefix ?? 0,
    listed: !explode && prefix === undefined && exploded.has(name),
  }))

const tolerantReserved = characterSet(reservedText, careless)

/** An expression whose variables stand in order. */
export function slotsPart(
  expression: Expression,
  exploded: ReadonlySet<string>,
  tolerant: boolean,
): SlotsPart {
  const rule = operators[expression.operator]
  const variables = variablesOf(expression, exploded)
  const explodes = variables.some((variable) => variable.explode)
  const single = variables.length === 1 && !explodes
  const cuts = variables.every(({ prefix }) => prefix > 0)
  return {
    type: 'slots',
    operator: expression.operator,
    first: code(rule.first),
    separator: code(rule.separator),
    named: rule.named,
    reserved: rule.reserved,
    variables,
    ...slotSets(expression.operator, explodes, single, cuts, tolerant),
    delimited: !rule.reserved && !tolerant,
    plain: single && !rule.named && variables[0]!.prefix === 0,
    items: !tolerant && variables.length === 1 && explodes && expression.operator === '/',
    automata: [],
    slots: explodes || expression.operator !== '/' || tolerant ? Number.POSITIVE_INFINITY : variables.length,
  }
}

const knownSets = new Map<string, Pick<SlotsPart, 'set' | 'run' | 'merge'>>()

/** The characters of an expression, made once for all expressions of a kind. */
function slotSets(
  operator: Operator,
  explodes: boolean,
  single: boolean,
  cuts: boolean,
  tolerant: boolean,
): Pick<SlotsPart, 'set' | 'run' | 'merge'> {
  const kind = `${operator} ${explodes} ${single} ${cuts} ${tolerant}`
  let known = knownSets.get(kind)
  if (known === undefined) {
    const { reserved: keeps, named, separator } = operators[operator]
    const merge = keeps || operator === '.' || (tolerant && !named)
    const loose = keeps ? tolerantReserved : careless
    const strict = keeps ? reserved : unreserved
    const set = !tolerant ? strict : named ? without(loose, separator) : loose
    let run = characterSet((keeps || !cuts ? ',' : '') + (explodes || named ? '=' : ''), set)
    if (!single || merge || named) run = characterSet(separator, run)
    else if (operator === '/') run = without(run, '/')
    known = { set, run, merge }
    knownSets.set(kind, known)
  }
  return known
}

function queryPart(
  opening: readonly Expression[],
  more: readonly Expression[],
  exploded: ReadonlySet<string>,
  tolerant: boolean,
): QueryPart {
  const of = (expression: Expression): PartVariable[] => variablesOf(expression, exploded)
  const first = opening.flatMap(of)
  const variables = [...first, ...more.flatMap(of)]
  const byKey = new Map<string, number[]>()
  for (const [at, { key }] of variables.entries()) byKey.set(key, [...(byKey.get(key) ?? []), at])
  const set = tolerant ? without(careless, '&') : unreserved
  return {
    type: 'query',
    variables,
    opening: first.length,
    set,
    run: characterSet('&=,', set),
    byKey,
    maps: variables.some(({ explode }) => explode),
    first: opening.length > 0 ? QUESTION : AMPERSAND,
    second: opening.length > 0 && more.length > 0 ? AMPERSAND : -1,
    simple:
      variables.every(({ explode, prefix }) => !explode && prefix === 0) &&
      byKey.size === variables.length &&
      more.length * opening.length === 0,
  }
}

/** The parts of a template, in order. */
export function partsOf(template: Template, tolerant: boolean): Part[] {
  const { nodes } = template
  const exploded = explodedNames(template)
  const parts: Part[] = []
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at]!
    if (node.type === 'literal') parts.push({ type: 'literal', text: canonicalText(node.encoded) })
    else if (node.operator === '?' || node.operator === '&') {
      const more: Expression[] = []
      for (;;) {
        const next = nodes[at + 1]
        if (next?.type !== 'expression' || next.operator !== '&') break
        more.push(next)
        at += 1
      }
      parts.push(
        node.operator === '?'
          ? queryPart([node], more, exploded, tolerant)
          : queryPart([], [node, ...more], exploded, tolerant),
      )
    } else parts.push(slotsPart(node, exploded, tolerant))
  }
  return parts
}
