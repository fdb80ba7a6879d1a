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
import { type Part, programOf } from './program.ts'

/** Literals and expressions that end where their run of characters ends ({@link SETTLED}), or another expression. */
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
export function settledNames({ nodes, variables }: Template): readonly string[] | undefined {
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

/**
 * The steps by which a template stands in the tree; behind an open edge each literal and each expression is one of its
 * own. `names` are those of a settled template.
 */
export function stepsOf(
  template: Template,
  names: readonly string[] | undefined,
  spelling: Spelling,
): readonly Step[] {
  if (names !== undefined)
    return [
      canonicalText(
        template.nodes.map((node) => (node.type === 'literal' ? node.encoded : SETTLED)).join(''),
      ),
    ]
  const { parts } = programOf(template, spelling.tolerant)
  const steps: [string, ...Step[]] = ['']
  for (const [at, part] of parts.entries()) {
    const step = stepOf(part, parts[at + 1], spelling)
    if (steps.length === 1 && typeof step === 'string') steps[0] += step
    else steps.push(step)
  }
  return steps
}

function stepOf(part: Part, next: Part | undefined, spelling: Spelling): Step {
  if (part.type === 'literal') return part.text
  if (
    !spelling.tolerant &&
    part.type === 'slots' &&
    part.plain &&
    part.operator === '' &&
    (next === undefined || (next.type === 'literal' && plainText[next.text.charCodeAt(0)] === 0))
  )
    return SETTLED
  const { first } = part
  const second = part.type === 'query' ? part.second : -1
  const shape = part.type === 'query' ? `query ${first} ${second}` : part.operator
  return { shape, first, second, run: broadSet(part, spelling) }
}
