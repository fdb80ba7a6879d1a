import {
  type CharacterSet,
  characterSet,
  EQUALS,
  ignorable,
  runEnd,
  unreserved,
  without,
} from './characters.ts'
import type { RawPiece } from './match.ts'
import type { ExpressionPart, Part } from './parts.ts'

/** How a value is written: as one text, as items, or as the keys and values of members. */
export type Form = 'text' | 'list' | 'map'

/** One piece of a text, a fixed text or a run of characters, and what can stand behind it. */
export interface Node {
  readonly type: RawPiece['type']
  /** The part of the template that writes it; `undefined` where a part ends. */
  readonly part: Part | undefined
  /** The place of the variable that is written, each occurrence in the template counted; -1 for none. */
  readonly owner: number
  readonly form?: Form
  /** A fixed text, canonical in its triplets; `''` for where paths only part. */
  readonly text?: string
  /** The same as the template has it, where it is from there. */
  readonly right?: string
  /** The characters of a run. */
  readonly set?: CharacterSet | undefined
  /** The fewest characters of a run, and the most code points, or 0 for no limit. */
  readonly fewest?: number
  readonly limit?: number
  /** Whether a run can start at a place. */
  readonly allowed?: ((text: string, at: number) => boolean) | undefined
  /** Where a part starts that is one run of characters, or nothing: that run. */
  readonly run?: Node | undefined
  /** The nodes that can stand behind it, the preferred first. */
  readonly next: readonly Node[]
  /** The same by the key that stands behind it, where it is one of these. */
  readonly keyed?: ReadonlyMap<string, readonly Node[]>
}

/** Which readings a graph has. */
export interface Readings {
  /** Whether plain variables may be lists, and exploded ones maps. */
  readonly composite: boolean
  /** Which parameters of a query are ignored: none, those that no map can hold, or all that no variable names. */
  readonly ignoring: 'none' | 'others' | 'all'
  /** Whether a variable must be there (true) or must not (false). */
  readonly isPresent?: ((name: string) => boolean | undefined) | undefined
}

/** All ways to read a template: the nodes where each part starts, and an empty one at the end. */
export function graphOf(
  parts: readonly Part[],
  { composite, ignoring, isPresent }: Readings,
): readonly Node[] {
  let part: Part | undefined
  /** The variable that is written. */
  let owner = 0

  const add = (node: Partial<Node>, ...next: readonly Node[]): Node => ({
    type: 'delimiter',
    part,
    owner: -1,
    next,
    ...node,
  })
  const fixed = (text: string, ...next: readonly Node[]): Node => add({ text }, ...next)
  const exit = fixed('')

  /** The ways to write the value of a variable, before what follows. */
  function waysOf(
    { variables, rule, set, merge, loose, apart = false }: ExpressionPart,
    j: number,
  ): ((next: readonly Node[]) => Node)[] {
    const { name, key, explode, prefix, listed } = variables[j]!
    const { named, separator, ifEmpty } = rule
    // `;` writes no `=` before an empty value.
    const isBare = named && ifEmpty === ''
    const value = (form: Form): Partial<Node> => ({ type: 'value', owner, form })
    const filled = (run: Partial<Node>, next: readonly Node[]): Node[] => [
      fixed('=', add({ ...run, fewest: +(isBare || apart), next })),
      ...(isBare && !apart ? [add({ ...run, set: undefined, next })] : []),
    ]
    const lists = !loose && (listed || (composite && !apart && !explode && prefix === 0)) ? ',' : ''
    const run = explode
      ? { ...value('list'), set: apart ? set : without(set, separator) }
      : { ...value('text'), set: characterSet(lists + (merge ? separator : ''), set), limit: prefix }
    const keys = {
      ...value('map'),
      type: 'key',
      set: apart ? set : named && !isBare ? unreserved : without(set, '='),
      fewest: +apart,
    } as const
    const ways = [
      (next: readonly Node[]) =>
        named ? add({ text: key, right: name }, ...filled(run, next)) : add({ ...run, fewest: +apart, next }),
    ]
    if (explode && composite && (named || !loose || apart))
      ways.push((next) => add(keys, ...filled({ ...value('map'), set }, next)))
    return ways
  }

  function slots(each: ExpressionPart): Node {
    const { variables, rule } = each
    const { first, separator, named } = rule
    const base = owner
    let gates: Node[] = []
    /** Where it ends, unless one of what follows must be there. */
    let exits = [exit]
    for (let j = variables.length - 1; j >= 0; j -= 1) {
      owner = base + j
      const presence = isPresent?.(variables[j]!.name)
      if (presence === false) continue
      const following = gates.map((gate) => fixed(separator, gate))
      const ends = exits
      const starts = waysOf(each, j).map((way) => {
        const next: Node[] = []
        const start = way(next)
        const again = variables[j]!.explode ? [fixed(separator, start)] : []
        next.push(...(named ? again : following), ...(named ? following : again), ...ends)
        return start
      })
      const ways = presence ? starts : [...starts, ...gates]
      gates = [ways.length > 1 ? fixed('', ...ways) : ways[0]!]
      if (presence) exits = []
    }
    const run = variables.length === 1 && gates[0]?.set && gates[0].form === 'text' ? gates[0] : undefined
    const next = [...gates.map((gate) => (first === '' ? gate : fixed(first, gate))), ...exits]
    return add({ text: '', run, next })
  }

  function query(each: ExpressionPart): Node {
    const { variables, opening, set } = each
    const base = owner
    const isMap = variables.some(({ explode }) => explode)
    const isOther = (text: string, at: number): boolean => {
      const end = runEnd(text, at, unreserved)
      return text.charCodeAt(end) !== EQUALS || runEnd(text, end + 1, set) < runEnd(text, at, ignorable)
    }
    /** The pairs of the variables from the one at `from` on. */
    const pairs = (from: number): Node => {
      const others: Node[] = []
      const keyed = new Map<string, Node[]>()
      const start = add({ text: '', keyed, next: others })
      const next = [fixed('&', start), exit]
      for (let j = from; j < variables.length; j += 1) {
        owner = base + j
        const { key } = variables[j]!
        const [way, ...maps] = waysOf(each, j)
        keyed.set(key, [...(keyed.get(key) ?? []), way!(next)])
        if (ignoring !== 'all') others.push(...maps.map((map) => map(next)))
      }
      for (const own of keyed.values()) own.push(...others)
      if (ignoring !== 'none')
        others.push(
          add({ set: ignorable, next, allowed: isMap && ignoring === 'others' ? isOther : undefined }),
        )
      return start
    }
    return fixed(
      '',
      ...(opening > 0 ? [fixed('?', pairs(0))] : []),
      ...(opening < variables.length ? [fixed('&', pairs(opening))] : []),
      exit,
    )
  }

  let owners = 0
  return [
    ...parts.map((each) => {
      part = each
      if (each.type === 'literal') return add({ type: 'literal', text: each.text, right: each.right }, exit)
      owner = owners
      owners += each.variables.length
      return each.type === 'query' ? query(each) : slots(each)
    }),
    fixed('', exit),
  ]
}
