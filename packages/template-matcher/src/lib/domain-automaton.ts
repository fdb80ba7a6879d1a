import { type Expression, operators, type Template } from '@truename/uri-codec'
import { type Automaton, type AutomatonBuilder, buildAutomaton } from './automaton.ts'
import { canonicalText } from './canonical.ts'
import { plainReservedUnits, unitsOf, unreservedUnits } from './units.ts'

/** Which values are looked at: non-empty texts; non-empty lists of them for `*`; on request maps for `*` too. */
export interface Domain {
  readonly maps: boolean
}

function addExpression(
  to: AutomatonBuilder,
  { operator, variables }: Expression,
  from: number,
  firstOccurrence: number,
  { maps }: Domain,
): number {
  const { first, separator, named, reserved } = operators[operator]
  const set = reserved ? plainReservedUnits : unreservedUnits
  const exit = to.state()
  to.skip(from, exit)
  const gates = variables.map(() => to.state())
  to.skip(to.read(from, [...first]), gates[0]!)
  for (const [j, { name, explode, prefix = 0 }] of variables.entries()) {
    const gate = gates[j]!
    const occurrence = firstOccurrence + j
    if (j > 0) to.skip(gates[j - 1]!, gate)
    const add = (form: 'text' | 'list' | 'map'): void => {
      const start = to.state()
      to.skip(gate, start)
      let before = start
      if (form === 'map') {
        const key = to.state({ occurrence, form, isKey: true })
        to.edge(start, set, key)
        to.edge(key, set, key)
        before = to.read(key, ['='])
      } else if (named) before = to.read(start, [...unitsOf(canonicalText(name)), '='])
      const value = to.state({ occurrence, form, isKey: false }, prefix, reserved)
      to.edge(before, set, value)
      to.edge(value, set, value)
      to.skip(value, exit)
      if (form !== 'text') to.edge(value, separator, start)
      if (j + 1 < variables.length) to.edge(value, separator, gates[j + 1]!)
    }
    if (!explode) add('text')
    else {
      add('list')
      if (maps) add('map')
    }
  }
  return exit
}

/** One occurrence of a variable in a template. */
export interface DomainOccurrence {
  readonly name: string
  readonly prefix: number
  /** Whether its operator is `+` or `#`. */
  readonly reserved: boolean
}

/** What values of the domain expand to; each accepting path is one choice of a value for each occurrence. */
export function domainAutomaton(
  template: Template,
  domain: Domain,
): { readonly automaton: Automaton; readonly occurrences: readonly DomainOccurrence[] } {
  const to = buildAutomaton()
  const start = to.state()
  const occurrences: DomainOccurrence[] = []
  let at = start
  for (const node of template.nodes) {
    if (node.type === 'literal') at = to.read(at, unitsOf(canonicalText(node.encoded)))
    else {
      at = addExpression(to, node, at, occurrences.length, domain)
      const { reserved } = operators[node.operator]
      occurrences.push(...node.variables.map(({ name, prefix = 0 }) => ({ name, prefix, reserved })))
    }
  }
  return { automaton: to.finish(start, at), occurrences }
}
