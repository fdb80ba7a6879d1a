import type { Template } from '@truename/uri-codec'
import { isCanonical } from './canonical.ts'
import { type CharacterSet, ignorableRun, PERCENT } from './characters.ts'
import { type Part, partsOf } from './parts.ts'

/** What matching makes of a template. */
export interface Program {
  readonly template: Template
  readonly parts: readonly Part[]
  readonly tolerant: boolean
  /** Whether the template itself has triplets in a spelling that is not the canonical one. */
  readonly oddlySpelled: boolean
  /** Names that occur more than once, or under a prefix and beside it. */
  readonly repeated: ReadonlySet<string>
  /** Whether each expression ends where its run of characters ends, so that a single attempt decides. */
  readonly onePass: boolean
  /** Whether a reading without lists in plain variables and without maps of named ones is tried first. */
  readonly phases: boolean
}

/** Whether no text of an expression can be cut in another place: what follows never starts with what it is made of. */
function isOnePass(parts: readonly Part[]): boolean {
  const follow = new Uint8Array(129)
  const meets = (set: CharacterSet): boolean => set.some((what, at) => what !== 0 && follow[at] === 1)
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const part = parts[at]!
    if (part.type === 'literal') {
      follow.fill(0)
      const first = part.text.charCodeAt(0)
      follow[first] = 1
      // A literal may arrive unencoded: then it starts with what is no part of a strict value.
      if (first === PERCENT) follow[128] = 1
      continue
    }
    const opens = [part.first, part.type === 'query' ? part.second : -1].filter((first) => first >= 0)
    // What goes for ignored parameters too goes for any others.
    const run = part.type === 'query' ? ignorableRun : part.run
    if (meets(run) || opens.some((first) => follow[first] === 1)) return false
    for (const first of opens) follow[first] = 1
    if (opens.length === 0)
      for (let each = 0; each <= 128; each += 1) if (part.run[each] !== 0) follow[each] = 1
  }
  return true
}

function repeatedNames(template: Template, parts: readonly Part[]): ReadonlySet<string> {
  const names = parts.flatMap((part) =>
    part.type === 'literal' ? [] : part.variables.map(({ name }) => name),
  )
  // Most templates have none, and looking for them takes longer than counting.
  return new Set(
    names.length === template.variables.length ? [] : names.filter((name, at) => names.indexOf(name) !== at),
  )
}

/** Whether a variable can hold more than a text (or, exploded, than a list) where the conventions prefer those. */
const canBeComposite = (part: Part): boolean =>
  part.type !== 'literal' &&
  part.variables.some(({ explode, prefix }) =>
    part.type === 'query' || part.named ? explode || prefix === 0 : part.delimited && prefix === 0,
  )

/** Programs by template: strict and tolerant. */
const programs = new WeakMap<Template, (Program | undefined)[]>()

// Most callers ask for one template again and again.
let lastTemplate: Template | undefined
let lastProgram: Program | undefined

/** The program of a template, compiled once. */
export function programOf(template: Template, tolerant: boolean): Program {
  if (template === lastTemplate && !tolerant) return lastProgram!
  let known = programs.get(template)
  if (known === undefined) {
    known = []
    programs.set(template, known)
  }
  let program = known[+tolerant]
  if (program === undefined) {
    const parts = partsOf(template, tolerant)
    const repeated = repeatedNames(template, parts)
    program = {
      template,
      tolerant,
      parts,
      repeated,
      oddlySpelled: !isCanonical(template.source),
      onePass: isOnePass(parts),
      phases: parts.some(canBeComposite),
    }
    known[+tolerant] = program
  }
  if (!tolerant) {
    lastTemplate = template
    lastProgram = program
  }
  return program
}
