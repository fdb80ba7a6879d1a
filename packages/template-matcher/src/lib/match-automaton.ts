import { type Automaton, type AutomatonBuilder, buildAutomaton } from './automaton.ts'
import { type CharacterSet, characterSet, unreserved } from './characters.ts'
import type { QueryPart } from './parts.ts'
import type { Program } from './program.ts'
import { addSlots } from './slots-automaton.ts'
import { type Unit, unitsOf } from './units.ts'

interface KeyNode {
  readonly at: number
  readonly children: Map<Unit, KeyNode>
  isCounted?: boolean
}

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
  const root: KeyNode = { at: from, children: new Map() }
  for (const [key, number] of counted) {
    let node = root
    let before = root
    let last: Unit | undefined
    for (const unit of unitsOf(key)) {
      before = node
      last = unit
      const child = node.children.get(unit) ?? { at: to.read(node.at, [unit]), children: new Map() }
      node.children.set(unit, child)
      node = child
    }
    node.isCounted = true
    if (last === undefined) end(from, number)
    else {
      const ended = to.state()
      to.edge(before.at, last, ended, number)
      end(ended)
    }
  }
  const visit = ({ at, isCounted, children }: KeyNode): void => {
    if (!isCounted) end(at)
    to.edge(at, set, other, undefined, [...children.keys()])
    for (const child of children.values()) visit(child)
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
function addQuery(to: AutomatonBuilder, part: QueryPart, from: number, counted: ReadonlySet<string>): number {
  const { variables, byKey, opening } = part
  const exit = to.state()
  to.skip(from, exit)
  const base = part.set
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
          set: CharacterSet,
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
            characterSet(plain ? ',' : '', base),
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
              addAnyKey(to, start, unreserved, numbers, (at, number) => {
                const before = to.state()
                to.edge(at, '=', before, number)
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
