import { type Automaton, buildAutomaton } from './automaton.ts'
import type { Node } from './graph.ts'
import type { ExpressionPart } from './parts.ts'
import type { Readable } from './program.ts'
import { subsets } from './subsets.ts'
import { type Unit, unitsOf } from './units.ts'

/** How the pairs of a query are read. */
interface Asked {
  /** The keys of exploded variables that are lists; the others are maps. */
  readonly lists: ReadonlySet<string>
  /** The numbers of the keys that are counted. */
  readonly numbers: ReadonlyMap<string, number>
  /** What goes on once a variable of the `{?…}` is there; `undefined` where that makes no difference. */
  readonly opened?: Asked
}

const unasked: Asked = { lists: new Set(), numbers: new Map() }

/** All ways to choose which exploded variables are lists. */
function listChoices({ variables }: ExpressionPart): readonly ReadonlySet<string>[] {
  const keys = [...new Set(variables.filter(({ explode }) => explode).map(({ key }) => key))]
  return keys.length > 4 ? [new Set(keys)] : subsets(keys)
}

interface KeyNode {
  readonly at: number
  readonly children: Map<Unit, KeyNode>
  isCounted?: boolean
}

/**
 * The automaton of a graph: the texts that it reads, but for what no finite automaton sees: repeated variables that must
 * agree, and keys of pairs and members that must not be repeated unless they are `counted`. All of them at once would
 * cost a state for each subset.
 */
export function automatonOf(
  starts: readonly Node[],
  { occurrences }: Readable,
  counted: ReadonlySet<string> = new Set(),
): Automaton {
  const to = buildAutomaton()
  const accept = to.state()
  const known = new Map<Asked, Map<Node, number>>()
  const waiting: {
    readonly index: number
    readonly node: Node
    readonly asked: Asked
    readonly state: number
  }[] = []

  /** The state before a node of a part. */
  function stateOf(index: number, node: Node, asked: Asked): number {
    const states = known.get(asked) ?? new Map<Node, number>()
    known.set(asked, states)
    const state = states.get(node) ?? to.state()
    if (!states.has(node)) waiting.push({ index, node, asked, state })
    states.set(node, state)
    return state
  }

  function isOpening({ type, owner, part }: Node): boolean {
    if (type !== 'value' || part?.type !== 'query') return false
    return owner < occurrences.findIndex((one) => one.part === part) + part.opening
  }

  /** Goes on from a state behind a node. */
  function follow(from: number, index: number, node: Node, asked: Asked): void {
    const after = isOpening(node) ? (asked.opened ?? asked) : asked
    for (const next of new Set([...(node.keyed?.values() ?? [])].flat().concat(node.next))) {
      const { owner, form } = next
      if (next.part === undefined) {
        const start = starts[index + 1]
        // `{?…}` writes its `?` only where one of its own variables is there.
        if (!after.opened) to.skip(from, start ? stateOf(index + 1, start, unasked) : accept)
        continue
      }
      const key = after === unasked ? undefined : occurrences[owner]?.key
      if (key !== undefined && form === (after.lists.has(key) ? 'map' : 'list')) continue
      to.skip(from, stateOf(index, next, after))
    }
  }

  /** How pairs are read where these are lists. */
  function ask({ variables, opening }: ExpressionPart, lists: ReadonlySet<string>, opens: boolean): Asked {
    const isMap = (at: number): boolean => variables[at]!.explode && !lists.has(variables[at]!.key)
    const places = [...variables.keys()]
    const numbers = new Map(
      [...counted]
        .filter((key) => !lists.has(key))
        .map((key) => [key, to.key(places.filter((at) => isMap(at) || variables[at]!.key === key).length)]),
    )
    const opened = { lists, numbers }
    return opens && opening < variables.length ? { ...opened, opened } : opened
  }

  /**
   * A key that may be any text, with the counted ones told apart; calls `end` where one ends. They are counted with their
   * last unit, since no `=` follows where `;` writes an empty value, or with the `=` where they have none.
   */
  function addAnyKey(
    from: number,
    { set }: Node,
    numbers: ReadonlyMap<string, number>,
    end: (at: number, counted?: number) => void,
  ): void {
    const other = to.state()
    to.edge(other, set!, other)
    end(other)
    const root: KeyNode = { at: from, children: new Map() }
    for (const [key, number] of numbers) {
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
      to.edge(at, set!, other, undefined, [...children.keys()])
      for (const child of children.values()) visit(child)
    }
    visit(root)
  }

  const begin = stateOf(0, starts[0]!, unasked)
  for (const { index, node, asked, state } of waiting) {
    const go = (from: number, behind = node): void => follow(from, index, behind, asked)
    const { part, type, owner, form, text, right, set, limit, fewest = 0, next } = node
    if (text !== undefined) {
      const units = unitsOf(text)
      const number = right === undefined ? undefined : asked.numbers.get(text)
      if (part?.type === 'query' && asked === unasked && text !== '') {
        const opened = to.read(state, units)
        for (const lists of listChoices(part)) follow(opened, index, node, ask(part, lists, text === '?'))
      } else if (number === undefined) go(to.read(state, units))
      else {
        const end = to.state()
        to.edge(to.read(state, units.slice(0, -1)), units.at(-1)!, end, number)
        go(end)
      }
    } else if (type === 'key' && counted.size > 0) {
      const numbers =
        part?.type === 'query' ? asked.numbers : new Map([...counted].map((key) => [key, to.key(1)]))
      addAnyKey(state, node, numbers, (at, number) => {
        if (number === undefined) return go(at)
        const [equals, ...others] = next
        const filled = to.state()
        to.edge(at, '=', filled, number)
        go(filled, equals)
        if (others.length > 0) go(at, { ...node, next: others })
      })
    } else if (set === undefined) go(state)
    else {
      const run = to.state(owner, form, limit, part?.type === 'slots' && part.rule.reserved)
      if (fewest > 0) to.edge(state, set, run)
      else to.skip(state, run)
      to.edge(run, set, run)
      go(run)
    }
  }
  return to.finish(begin, accept)
}
