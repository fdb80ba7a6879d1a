import type { Template } from '@truename/uri-codec'
import { isCanonical } from './canonical.ts'
import type { Node } from './graph.ts'
import { type ExpressionPart, type Part, type PartVariable, partsOf } from './parts.ts'

/** One occurrence of a variable in a template. */
export interface Occurrence extends PartVariable {
  readonly part: ExpressionPart
}

/** What matching makes of a template. */
export interface Program {
  readonly template: Template
  readonly tolerant: boolean
  readonly parts: readonly Part[]
  readonly occurrences: readonly Occurrence[]
  /** The places of each variable among the occurrences. */
  readonly owners: ReadonlyMap<string, readonly number[]>
  /** Whether a variable occurs more than once. */
  readonly repeats: boolean
  /** Whether the template itself has triplets in a spelling that is not the canonical one. */
  readonly oddlySpelled: boolean
  /** What else reads its texts, by the kind of readings, made when first needed. */
  readonly graphs: Map<string, readonly Node[]>
}

/** What can be read of parts: the variables in them. */
export type Readable = Pick<Program, 'parts' | 'occurrences' | 'owners'>

/** Gathers the variables of parts. */
export function readable(parts: readonly Part[]): Readable {
  const occurrences = parts.flatMap((part) =>
    part.type === 'literal' ? [] : part.variables.map((variable) => ({ ...variable, part })),
  )
  const owners = new Map<string, number[]>()
  for (const [owner, { name }] of occurrences.entries()) {
    const known = owners.get(name)
    if (known === undefined) owners.set(name, [owner])
    else known.push(owner)
  }
  return { parts, occurrences, owners }
}

function compile(template: Template, tolerant: boolean): Program {
  const program = readable(partsOf(template, tolerant))
  return {
    ...program,
    template,
    tolerant,
    repeats: program.owners.size < program.occurrences.length,
    oddlySpelled: !isCanonical(template.source),
    graphs: new Map(),
  }
}

/** Programs by template: strict and tolerant. */
const programs = [new WeakMap<Template, Program>(), new WeakMap<Template, Program>()] as const

// Most callers ask for one template again and again.
let last: Program | undefined

/** The program of a template, compiled once. */
export function programOf(template: Template, tolerant: boolean): Program {
  if (last?.template === template && last.tolerant === tolerant) return last
  const known = programs[tolerant ? 1 : 0]
  last = known.get(template)
  if (last === undefined) {
    last = compile(template, tolerant)
    known.set(template, last)
  }
  return last
}
