import { operators, type Template } from '@truename/uri-codec'
import { type Automaton, buildAutomaton } from './automaton.ts'
import { canonicalText } from './canonical.ts'
import { newlyReserved } from './characters.ts'
import { slotsPart } from './program.ts'
import { addSlots } from './slots-automaton.ts'
import { unitsOf } from './units.ts'

/** One occurrence of a variable in a template. */
export interface DomainOccurrence {
  readonly name: string
  readonly prefix: number
  /** Whether its operator is `+` or `#`. */
  readonly reserved: boolean
}

/**
 * What values expand to: non-empty texts, non-empty lists of them for `*`, on request maps for `*` too. Each accepting
 * path is one choice of a value for each occurrence.
 */
export function domainAutomaton(
  template: Template,
  maps: boolean,
): { readonly automaton: Automaton; readonly occurrences: readonly DomainOccurrence[] } {
  const to = buildAutomaton()
  const start = to.state()
  const occurrences: DomainOccurrence[] = []
  let at = start
  for (const node of template.nodes) {
    if (node.type === 'literal') {
      at = to.read(at, unitsOf(canonicalText(node.encoded)))
      continue
    }
    const { reserved } = operators[node.operator]
    const part = slotsPart(node, false)
    at = addSlots(to, reserved ? { ...part, set: newlyReserved } : part, at, {
      composite: maps,
      apart: true,
      offset: occurrences.length,
      nameUnits: unitsOf,
    })
    occurrences.push(...part.variables.map(({ name, prefix }) => ({ name, prefix, reserved })))
  }
  return { automaton: to.finish(start, at), occurrences }
}
