import { type Automaton, type AutomatonBuilder, buildAutomaton } from './automaton.ts'
import { type CharacterSet, characterSet, unreserved } from './characters.ts'
import type { PartVariable, QueryPart } from './parts.ts'
import type { Program } from './program.ts'
import { addSlots } from './slots-automaton.ts'
import { subsets } from './subsets.ts'
import { type Unit, unitsOf } from './units.ts'

/**
 * A key that may be any text, with the counted ones told apart; calls `end` where one ends. They are counted with their
 * last unit, since no `=` follows where `;` writes an empty value, or with the `=` where they have none.
 */
function addAnyKey(
  to: AutomatonBuilder,
  from: number,
  set: CharacterSet,
  counted: ReadonlyMap<string, number>,
  end: (at: number, counted?: number) => void,
): void {
  const other = to.state()
  to.edge(other, set, other)
  end(other)
  /** Adds what is left of the counted keys behind a state that they share, and of any other. */
  const addRests = (
    at: number,
    rests: readonly (readonly [rest: readonly Unit[], number: number])[],
  ): void => {
    if (!rests.some(([rest]) => rest.length === 0)) end(at)
    const units = new Set(rests.flatMap(([rest]) => rest.slice(0, 1)))
    for (const unit of units) {
      const behind = rests.flatMap(([[first, ...rest], number]) =>
        first === unit ? [[rest, number] as const] : [],
      )
      for (const [rest, number] of behind) {
        if (rest.length > 0) continue
        const ended = to.state()
        to.edge(at, unit, ended, number)
        end(ended)
      }
      addRests(to.read(at, [unit]), behind)
    }
    to.edge(at, set, other, undefined, [...units])
  }
  const empty = counted.get('')
  if (empty !== undefined) end(from, empty)
  addRests(
    from,
    [...counted].map(([key, number]) => [unitsOf(key), number] as const),
  )
}

/** All ways to choose which exploded variables are lists; the others are maps. */
function listChoices(part: QueryPart): ReadonlySet<string>[] {
  const keys = [...new Set(part.variables.filter(({ explode }) => explode).map(({ key }) => key))]
  return keys.length > 4 ? [new Set(keys)] : subsets(keys)
}

/**
 * The texts of one query, pairs in any order. How often a key comes is only seen to for `counted` keys: all of them
 * at once would cost a state for each subset.
 */
function addQuery(to: AutomatonBuilder, part: QueryPart, from: number, counted: ReadonlySet<string>): number {
  const { variables, opening, set } = part
  const exit = to.state()
  to.skip(from, exit)
  for (const lists of listChoices(part)) {
    const isMap = ({ explode, key }: PartVariable): boolean => explode && !lists.has(key)
    const numbers = new Map(
      [...counted]
        .filter((key) => !lists.has(key))
        .map((key) => {
          const owners = variables.filter((each) => isMap(each) || (each.key === key && !each.explode))
          return [key, to.key(owners.length)] as const
        }),
    )
    for (const first of ['?', '&']) {
      const isOpening = (owner: PartVariable): boolean => variables.indexOf(owner) < opening
      const usable = variables.filter((each) => first === '?' || !isOpening(each))
      if (usable.length === 0 || (first === '?' && opening === 0)) continue
      // `{?…}` writes its `?` only where one of its own variables is there: then the second gate is reached.
      const gates = [to.state(), to.state()]
      to.skip(to.read(from, [first]), gates[first === '?' ? 0 : 1]!)
      for (const [level, gate] of gates.entries()) {
        /** A pair that can be of these variables, its key added by `addKeys`. */
        const addPair = (
          owners: readonly PartVariable[],
          chars: CharacterSet,
          limit: number,
          addKeys: (end: (at: number, counted?: number) => void) => void,
        ): void => {
          const after = owners.some(isOpening) ? 1 : level
          const value = to.state(undefined, limit)
          addKeys((at, number) => {
            const before = to.state()
            to.edge(at, '=', before, number)
            to.skip(before, value)
          })
          to.edge(value, chars, value)
          if (after === 1) to.skip(value, exit)
          to.edge(value, '&', gates[after]!)
        }
        for (const key of new Set(usable.map((each) => each.key))) {
          const owners = usable.filter((each) => each.key === key && !isMap(each))
          if (owners.length === 0) continue
          const isPlain = owners.some(({ explode, prefix }) => !explode && prefix === 0)
          const prefixes = owners.map(({ prefix }) => prefix)
          const limit = prefixes.includes(0) ? 0 : Math.max(...prefixes)
          addPair(owners, characterSet(isPlain ? ',' : '', set), limit, (end) =>
            end(to.read(gate, unitsOf(key)), numbers.get(key)),
          )
        }
        for (const opens of [true, false]) {
          const owners = usable.filter((each) => isMap(each) && isOpening(each) === opens)
          if (owners.length > 0)
            addPair(owners, set, 0, (end) => addAnyKey(to, gate, unreserved, numbers, end))
        }
      }
    }
  }
  return exit
}

/**
 * The URIs that a program matches, in canonical spelling, but for what no finite automaton sees: repeated variables
 * that must agree, and keys that must not be repeated unless they are `counted`.
 */
export function matchAutomaton(program: Program, counted: ReadonlySet<string>): Automaton {
  const to = buildAutomaton()
  const start = to.state()
  const accept = program.parts.reduce((at, part) => {
    if (part.type === 'literal') return to.read(at, unitsOf(part.text))
    if (part.type === 'query') return addQuery(to, part, at, counted)
    return addSlots(to, part, at, {
      composite: true,
      nameUnits: unitsOf,
      addKeys: (_, from, set, end) =>
        addAnyKey(to, from, set, new Map([...counted].map((key) => [key, to.key(1)])), end),
    })
  }, start)
  return to.finish(start, accept)
}
