import { type Automaton, type AutomatonBuilder, buildAutomaton } from './automaton.ts'
import type { Program, QueryPart, SlotsPart } from './program.ts'
import {
  carelessUnits,
  changedSet,
  exceptUnits,
  reservedUnits,
  type UnitSet,
  unitsOf,
  unreservedUnits,
} from './units.ts'

const character = (code: number): string => String.fromCharCode(code)

/** The texts of one expression whose variables stand in order: what `walkSlots` walks, as an automaton. */
function addSlots(
  to: AutomatonBuilder,
  part: SlotsPart,
  from: number,
  tolerant: boolean,
  counted: ReadonlySet<string>,
): number {
  const { variables, named, reserved, merge, operator } = part
  const separator = character(part.separator)
  const exit = to.state()
  to.skip(from, exit)
  const strict = reserved ? reservedUnits : unreservedUnits
  const base = !tolerant ? strict : changedSet(carelessUnits, reserved ? '?#' : '', named ? separator : '')
  const gates = variables.map(() => to.state())
  to.skip(part.first < 0 ? from : to.read(from, [character(part.first)]), gates[0]!)
  for (const [j, { explode, prefix, key }] of variables.entries()) {
    const gate = gates[j]!
    if (j > 0) to.skip(gates[j - 1]!, gate)
    const close = (state: number, again?: number): void => {
      to.skip(state, exit)
      if (j + 1 < variables.length) to.edge(state, separator, gates[j + 1]!)
      if (again !== undefined) to.edge(state, separator, again)
    }
    /** A value: any text without a name, else a name alone or a name with a text. */
    const addValue = (start: number, set: UnitSet, limit: number, again?: number): void => {
      const text = to.state(undefined, limit, reserved)
      to.edge(text, set, text)
      close(text, again)
      if (!named) to.skip(start, text)
      else {
        const keyed = to.read(start, unitsOf(key))
        close(keyed, again)
        to.edge(to.read(keyed, ['=']), set, text)
      }
    }
    if (!explode) {
      const lists = part.listsInText && prefix === 0
      const merges = merge || (operator === '' && lists)
      addValue(gate, changedSet(base, (lists ? ',' : '') + (merges ? separator : ''), ''), prefix)
      continue
    }
    const list = to.state()
    to.skip(gate, list)
    addValue(list, changedSet(base, '', separator), 0, list)
    if (!named && !part.mapsApart) continue
    const member = to.state()
    to.skip(gate, member)
    const memberKey = to.state()
    to.skip(member, memberKey)
    const value = to.state()
    to.edge(value, base, value)
    close(value, member)
    const numbers = new Map([...counted].map((text) => [text, to.key(1)] as const))
    addAnyKey(to, memberKey, base, numbers.keys(), (at, text) => {
      const filled = to.state()
      to.edge(at, '=', filled, text === undefined ? undefined : numbers.get(text))
      if (!named) to.skip(filled, value)
      else {
        close(at, member)
        to.edge(filled, base, value)
      }
    })
  }
  return exit
}

/** A key of a query pair that may be any text, with the counted ones told apart; calls `end` before each `=`. */
function addAnyKey(
  to: AutomatonBuilder,
  from: number,
  set: UnitSet,
  counted: Iterable<string>,
  end: (at: number, key?: string) => void,
): void {
  const other = to.state()
  to.edge(other, set, other)
  end(other)
  interface Node {
    readonly at: number
    readonly children: Map<string, Node>
    key?: string
  }
  const root: Node = { at: from, children: new Map() }
  for (const key of counted) {
    let node = root
    for (const unit of unitsOf(key)) {
      const child = node.children.get(unit) ?? { at: to.read(node.at, [unit]), children: new Map() }
      node.children.set(unit, child)
      node = child
    }
    node.key = key
  }
  const visit = (node: Node): void => {
    end(node.at, node.key)
    to.edge(node.at, exceptUnits(set, [...node.children.keys()]), other)
    for (const child of node.children.values()) visit(child)
  }
  visit(root)
}

/** All ways to choose which exploded variables are lists; the others are maps. */
function listChoices(part: QueryPart): ReadonlySet<string>[] {
  const keys = [...new Set(part.variables.filter(({ explode }) => explode).map(({ key }) => key))]
  if (keys.length > 4) return [new Set(keys)]
  return Array.from(
    { length: 1 << keys.length },
    (_, bits) => new Set(keys.filter((_key, at) => (bits >> at) & 1)),
  )
}

/**
 * The texts of one query, pairs in any order. How often a key comes is only seen to for `counted` keys: all of them
 * at once would cost a state for each subset.
 */
function addQuery(
  to: AutomatonBuilder,
  part: QueryPart,
  from: number,
  tolerant: boolean,
  counted: ReadonlySet<string>,
): number {
  const { variables, byKey, opening } = part
  const exit = to.state()
  to.skip(from, exit)
  const base = tolerant ? changedSet(carelessUnits, '', '&') : unreservedUnits
  for (const lists of listChoices(part)) {
    const maps = variables.filter(({ explode, key }) => explode && !lists.has(key))
    const opens = (j: number): boolean => j < opening
    const numbers = new Map(
      [...counted]
        .filter((key) => !lists.has(key))
        .map((key) => {
          const singles = byKey.get(key)?.filter((j) => !variables[j]!.explode).length ?? 0
          return [key, to.key(singles + maps.length)] as const
        }),
    )
    for (const first of ['?', '&']) {
      const asked = first === '?'
      if (asked ? opening === 0 : opening === variables.length) continue
      // `{?…}` writes its `?` only where one of its own variables is there.
      const levels = asked ? [to.state(), to.state()] : [to.state()]
      to.skip(to.read(from, [first]), levels[0]!)
      for (const [level, gate] of levels.entries()) {
        const addPair = (
          equals: (value: number) => void,
          set: UnitSet,
          limit: number,
          isOpening: boolean,
        ): void => {
          const after = asked && isOpening ? 1 : level
          const value = to.state(undefined, limit)
          equals(value)
          to.edge(value, set, value)
          if (!asked || after === 1) to.skip(value, exit)
          to.edge(value, '&', levels[after]!)
        }
        for (const [key, owners] of byKey) {
          const usable = owners
            .filter((j) => asked || !opens(j))
            .filter((j) => !variables[j]!.explode || lists.has(key))
          if (usable.length === 0) continue
          const plain = usable.some((j) => !variables[j]!.explode && variables[j]!.prefix === 0)
          const limited = usable.every((j) => variables[j]!.prefix > 0)
          const limit = limited ? Math.max(...usable.map((j) => variables[j]!.prefix)) : 0
          addPair(
            (value) => {
              const before = to.state()
              to.edge(to.read(gate, unitsOf(key)), '=', before, numbers.get(key))
              to.skip(before, value)
            },
            changedSet(base, plain ? ',' : '', ''),
            limit,
            usable.some(opens),
          )
        }
        for (const isOpening of [true, false]) {
          if (!maps.some((variable) => opens(variables.indexOf(variable)) === isOpening)) continue
          if (isOpening && !asked) continue
          addPair(
            (value) => {
              const start = to.state()
              to.skip(gate, start)
              addAnyKey(to, start, unreservedUnits, numbers.keys(), (at, key) => {
                const before = to.state()
                to.edge(at, '=', before, key === undefined ? undefined : numbers.get(key))
                to.skip(before, value)
              })
            },
            base,
            0,
            isOpening,
          )
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
    if (part.type === 'slots') return addSlots(to, part, at, program.tolerant, counted)
    return addQuery(to, part, at, program.tolerant, counted)
  }, start)
  return to.finish(start, accept)
}
