import { operators, type Template } from '@truename/uri-codec'
import { type Automaton, buildAutomaton } from './automaton.ts'
import { canonicalText } from './canonical.ts'
import { newlyReserved } from './characters.ts'
import { explodedNames, slotsPart } from './parts.ts'
import { addSlots } from './slots-automaton.ts'
import { unitsOf } from './units.ts'

/** One occurrence of a variable in a template. */
export interface DomainOccurrence {
  readonly name: string
  readonly prefix: number
  readonly explode: boolean
  readonly listed: boolean
  /** Whether its operator is `+` or `#`. */
  readonly reserved: boolean
}

/**
 * What values expand to: non-empty texts, non-empty lists of them for `*`, on request maps for `*` too. Each accepting
 * path is one choice of a value for each occurrence; `isPresent` says of variables that they are there, or are not.
 */
export function domainAutomaton(
  template: Template,
  maps: boolean,
  isPresent?: (name: string) => boolean | undefined,
): { readonly automaton: Automaton; readonly occurrences: readonly DomainOccurrence[] } {
  const to = buildAutomaton()
  const start = to.state()
  const exploded = explodedNames(template)
  const occurrences: DomainOccurrence[] = []
  let at = start
  for (const node of template.nodes) {
    if (node.type === 'literal') {
      at = to.read(at, unitsOf(canonicalText(node.encoded)))
      continue
    }
    const { reserved } = operators[node.operator]
    const part = slotsPart(node, exploded, false)
    at = addSlots(to, reserved ? { ...part, set: newlyReserved } : part, at, {
      composite: maps,
      apart: true,
      offset: occurrences.length,
      nameUnits: unitsOf,
      isPresent,
    })
    occurrences.push(...part.variables.map((variable) => ({ ...variable, reserved })))
  }
  return { automaton: to.finish(start, at), occurrences }
}
