import type { Template } from '@truename/uri-codec'
import { canonicalText } from './canonical.ts'
import {
  type CharacterSet,
  careless,
  characterSet,
  ignorableRun,
  reserved,
  unreserved,
} from './characters.ts'
import { type OpenEdge, SETTLED } from './index-tree.ts'
import type { Part } from './parts.ts'
import { programOf } from './program.ts'

/** Literals, and expressions that end where their run of characters ends ({@link SETTLED}); or an edge. */
export type Step = string | Omit<OpenEdge, 'to'>

/** How the templates of an index are read. */
export interface Spelling {
  readonly tolerant: boolean
  readonly ignoreUnknown: boolean
}

/** What plain variables are written with, commas of lists included. */
export const plainText = characterSet(',', unreserved)
const queryText = characterSet('&=,', unreserved)

/** All that the text of an expression can be written with. */
function broadSet(
  part: Exclude<Part, { type: 'literal' }>,
  { tolerant, ignoreUnknown }: Spelling,
): CharacterSet {
  if (part.type === 'query') return ignoreUnknown ? ignorableRun : tolerant ? careless : queryText
  if (part.reserved) return tolerant ? characterSet('?#', careless) : reserved
  return tolerant ? careless : characterSet(`,=${String.fromCharCode(part.separator)}`, unreserved)
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

/**
 * The names of a template's variables where all are plain, none is repeated, and each ends at the literal after it or
 * at the end; else `undefined`. Where such a template ends and starts is all there is to know of a match.
 */
function settledNames({ nodes, variables }: Template): readonly string[] | undefined {
  const names: string[] = []
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at]!
    if (node.type === 'literal') continue
    const { name, explode, prefix } = node.variables[0]!
    if (node.operator !== '' || node.variables.length > 1 || explode || prefix !== undefined) return undefined
    const next = nodes[at + 1]
    if (next !== undefined && (next.type !== 'literal' || plainText[next.encoded.charCodeAt(0)] !== 0))
      return undefined
    names.push(name)
  }
  return names.length === variables.length && !names.includes('__proto__') ? shared(names) : undefined
}

/** How a template stands in the tree. */
export interface Path {
  /** Those of {@link settledNames}. */
  readonly names: readonly string[] | undefined
  /** One text, or more with open edges; behind the first of these each literal is a step of its own. */
  readonly steps: readonly Step[]
}

/** The path of a template. */
export function pathOf(template: Template, spelling: Spelling): Path {
  const names = spelling.tolerant ? undefined : settledNames(template)
  if (names !== undefined) {
    const texts = template.nodes.map((node) => (node.type === 'literal' ? node.encoded : SETTLED))
    return { names, steps: [canonicalText(texts.join(''))] }
  }
  const { parts } = programOf(template, spelling.tolerant)
  const steps: [string, ...Step[]] = ['']
  for (const [at, part] of parts.entries()) {
    const step = stepOf(part, parts[at + 1], spelling)
    if (steps.length > 1) steps.push(step)
    else if (typeof step === 'string') steps[0] += step
    else if (step.toEnd) steps[0] += SETTLED
    else steps.push(step)
  }
  return { names, steps }
}

function stepOf(part: Part, next: Part | undefined, spelling: Spelling): Step {
  if (part.type === 'literal') return part.text
  const { first } = part
  const isQuery = part.type === 'query'
  const second = isQuery ? part.second : -1
  const toEnd =
    !spelling.tolerant &&
    !isQuery &&
    part.plain &&
    part.operator === '' &&
    (next === undefined || (next.type === 'literal' && plainText[next.text.charCodeAt(0)] === 0))
  const shape = `${isQuery || part.operator} ${first} ${second} ${toEnd}`
  return { shape, first, second, toEnd, run: toEnd ? plainText : broadSet(part, spelling) }
}
