import { type Automaton, type AutomatonBuilder, buildAutomaton, type Role } from './automaton.ts'
import { type CharacterSet, characterSet, without } from './characters.ts'
import type { SlotsPart } from './parts.ts'
import type { Unit } from './units.ts'

/** Adds keys that may be any text of a set, from a state on; calls `end` at the end of each kind of key. */
export type AddKeys = (
  to: AutomatonBuilder,
  from: number,
  set: CharacterSet,
  end: (at: number, counted?: number) => void,
) => void

/** Which texts of an expression an automaton reads. */
export interface SlotsReading {
  /** Whether plain variables may hold lists, and exploded ones maps. */
  readonly composite: boolean
  /** Whether every choice of values has a path, told apart by the text or not; no value is empty then. */
  readonly apart?: boolean
  /** Whether a variable must be there (true) or must not (false). */
  readonly isPresent?: ((name: string) => boolean | undefined) | undefined
  /** The place of the first variable among all of the template. */
  readonly offset?: number
  /** What a name is read in: one step unless given. */
  readonly nameUnits?: (name: string) => readonly Unit[]
  /** How the keys of maps are read. */
  readonly addKeys?: AddKeys
}

/**
 * Adds the texts of one expression whose variables stand in order, the ways to give its slots to them in the order of
 * conventions C3 and C4. Answers the state behind it.
 */
export function addSlots(
  to: AutomatonBuilder,
  part: SlotsPart,
  from: number,
  { composite, apart = false, offset = 0, nameUnits = (name) => [name], addKeys, isPresent }: SlotsReading,
): number {
  const { variables, named, reserved, set } = part
  const separator = String.fromCharCode(part.separator)
  const exit = to.state()
  const gates = variables.map(() => to.state())
  to.skip(part.first < 0 ? from : to.read(from, [String.fromCharCode(part.first)]), gates[0]!)
  /** Skips all variables from `j` on, where none of them must be there. */
  const skipRest = (state: number, j: number): void => {
    if (!variables.slice(j).some(({ name }) => isPresent?.(name))) to.skip(state, exit)
  }
  skipRest(from, 0)
  for (const [j, { explode, prefix, key, name, listed }] of variables.entries()) {
    const gate = gates[j]!
    const next = gates[j + 1]
    const skipThis = (): void => {
      if (next !== undefined && !isPresent?.(name)) to.skip(gate, next)
    }
    if (isPresent?.(name) === false) {
      skipThis()
      continue
    }
    /** What can follow a value. A named list takes all it can; without names one slot is left to each variable. */
    const close = (state: number, again?: number): void => {
      skipRest(state, j + 1)
      for (const target of named ? [again, next] : [next, again])
        if (target !== undefined) to.edge(state, separator, target)
    }
    const roleOf = (form: Role['form']): Role => ({ variable: offset + j, form })
    /** What stands for an empty value where there is no `=`. */
    const addEmpty = (before: number, role: Role, again?: number): void => {
      if (apart) return
      const empty = to.state(role)
      to.skip(before, empty)
      close(empty, again)
    }
    /** A text from `start` on, behind a name if there is one. */
    const addText = (start: number, chars: CharacterSet, role: Role, again?: number): void => {
      const text = to.state(role, prefix, reserved)
      close(text, again)
      to.edge(text, chars, text)
      let before = start
      if (named) {
        const keyed = to.read(start, nameUnits(key))
        addEmpty(keyed, role, again)
        before = to.read(keyed, ['='])
      }
      if (named || apart) to.edge(before, chars, text)
      else to.skip(before, text)
    }
    const start = to.state()
    to.skip(gate, start)
    if (!explode) {
      const lists = part.delimited && (listed || (composite && prefix === 0 && !apart))
      addText(start, characterSet((lists ? ',' : '') + (part.merge ? separator : ''), set), roleOf('text'))
    } else {
      addText(start, apart ? set : without(set, separator), roleOf('list'), start)
      if (composite && (apart || named || part.delimited)) {
        const member = to.state()
        to.skip(gate, member)
        const keyRole = roleOf('map')
        const valueRole = roleOf('map')
        const value = to.state(valueRole)
        close(value, member)
        to.edge(value, set, value)
        const addValue = (keyed: number, counted?: number): void => {
          const filled = to.state()
          to.edge(keyed, '=', filled, counted)
          if (named || apart) {
            to.edge(filled, set, value)
            addEmpty(keyed, valueRole, member)
          } else to.skip(filled, value)
        }
        const keys = apart ? set : without(set, '=')
        if (addKeys !== undefined) addKeys(to, member, keys, addValue)
        else {
          const any = to.state(keyRole)
          if (apart) to.edge(member, set, any)
          else to.skip(member, any)
          to.edge(any, keys, any)
          addValue(any)
        }
      }
    }
    skipThis()
  }
  return exit
}

/** The automaton of one expression, made once. */
export function slotsAutomaton(part: SlotsPart, composite: boolean): Automaton {
  const known = part.automata[+composite]
  if (known !== undefined) return known
  const to = buildAutomaton()
  const start = to.state()
  const automaton = to.finish(start, addSlots(to, part, start, { composite }))
  part.automata[+composite] = automaton
  return automaton
}
