import { operators, type Template } from '@truename/uri-codec'
import { type Automaton, buildAutomaton } from './automaton.ts'
import { canonicalText } from './canonical.ts'
import { newlyReserved } from './characters.ts'
import { groupBy } from './group-by.ts'
import { explodedNames, slotsPart } from './parts.ts'
import { addSlots } from './slots-automaton.ts'
import { unitsOf } from './units.ts'

/** One occurrence of a variable in a template. */
export interface DomainOccurrence {
  /** Its place among all of the template. */
  readonly at: number
  readonly name: string
  readonly prefix: number
  readonly explode: boolean
  readonly listed: boolean
  /** Whether its operator is `+` or `#`. */
  readonly reserved: boolean
}

/** Where each variable occurs, in the order of the template. */
export type Occurrences = ReadonlyMap<string, readonly DomainOccurrence[]>

/**
 * What values expand to: non-empty texts, non-empty lists of them for `*`, on request maps for `*` too. Each accepting
 * path is one choice of a value for each occurrence; `isPresent` says of variables that they are there, or are not.
 */
export function domainAutomaton(
  template: Template,
  maps: boolean,
  isPresent?: (name: string) => boolean | undefined,
): { readonly automaton: Automaton; readonly occurrences: Occurrences } {
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
    for (const variable of part.variables) occurrences.push({ ...variable, at: occurrences.length, reserved })
  }
  return { automaton: to.finish(start, at), occurrences: groupBy(occurrences, ({ name }) => name) }
}
