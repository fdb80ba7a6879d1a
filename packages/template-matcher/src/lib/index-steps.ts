import {
  type Expression,
  type Operator,
  operators,
  type Template,
  type TemplateNode,
} from '@truename/uri-codec'
import { canonicalText } from './canonical.ts'
import {
  type CharacterSet,
  careless,
  characterSet,
  ignorableRun,
  reserved,
  unreserved,
} from './characters.ts'

/** How the templates of an index are read. */
export interface Spelling {
  readonly tolerant: boolean
  readonly ignoreUnknown: boolean
}

/** Literals, and expressions that end where their run of characters ends ({@link SETTLED}); or any other expression. */
export type Step = string | Expression

/**
 * Stands in texts for an expression that ends where its run of characters ends, where no other kind stands before it. No
 * literal has it, as it has to be encoded; and it is next to the letters, so that children of both are close together.
 */
export const SETTLED = '`'
export const SETTLED_CODE = 0x60

/** What plain variables are written with, commas of lists included. */
export const plainText = characterSet(',', unreserved)

/** All that the text of an expression can be written with, behind the character that opens it. */
export function broadSet(operator: Operator, { tolerant, ignoreUnknown }: Spelling): CharacterSet {
  const { separator, reserved: keeps } = operators[operator]
  if (ignoreUnknown && (operator === '?' || operator === '&')) return ignorableRun
  if (tolerant) return characterSet(keeps ? '?#' : '', careless)
  return characterSet(`,=${separator}`, keeps ? reserved : unreserved)
}

// Many templates of a set name the same variables: one list for all of them stays close at hand.
const knownNames = new Map<string, readonly string[]>()

function shared(names: readonly string[]): readonly string[] {
  const key = names.join()
  const known = knownNames.get(key)
  if (known !== undefined) return known
  // As keys of objects are kept, so that setting them is no search for their text.
  const kept = names.flatMap((name) => Object.keys({ [name]: 0 }))
  if (knownNames.size > 1000) knownNames.clear()
  knownNames.set(key, kept)
  return kept
}

/** Whether an expression is a plain variable that ends at the literal after it or at the end. */
const isSettled = ({ operator, variables }: Expression, next: TemplateNode | undefined): boolean =>
  operator === '' &&
  variables.length === 1 &&
  !variables[0]!.explode &&
  variables[0]!.prefix === undefined &&
  (next === undefined || (next.type === 'literal' && plainText[next.encoded.charCodeAt(0)] === 0))

/** How a template stands in the tree. */
export interface Path {
  /**
   * The names of the template's variables where all its expressions are settled and none is repeated; else `undefined`.
   * Where these stand is all there is to know of a match.
   */
  readonly names: readonly string[] | undefined
  /** One text, or more with other expressions; behind the first of these no expression is part of a text. */
  readonly steps: readonly [string, ...Step[]]
}

/** The path of a template. */
export function pathOf({ nodes, variables }: Template, { tolerant }: Spelling): Path {
  const steps: [string, ...Step[]] = ['']
  for (const [at, node] of nodes.entries()) {
    const isFirst = steps.length === 1
    let step: Step
    if (node.type === 'literal') step = canonicalText(node.encoded)
    else step = isFirst && !tolerant && isSettled(node, nodes[at + 1]) ? SETTLED : node
    if (isFirst && typeof step === 'string') steps[0] += step
    else steps.push(step)
  }
  const isPlain =
    steps.length === 1 &&
    variables.length === nodes.filter(({ type }) => type === 'expression').length &&
    !variables.includes('__proto__')
  return { names: isPlain ? shared(variables) : undefined, steps }
}
