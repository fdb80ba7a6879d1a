import {
  type CharacterSet,
  careless,
  characterSet,
  reserved,
  runEnd,
  unitSize,
  unreserved,
} from './characters.ts'
import type { Part, Program, SlotsPart } from './program.ts'
import { ignorableRun } from './query-pairs.ts'

type ExpressionPart = Exclude<Part, { type: 'literal' }>

const queryText = characterSet('&=,', unreserved)

/** An expression that several templates have at the same place: one edge for all of them. */
interface ExpressionEdge<E> {
  readonly shape: string
  /** The characters that open it, or -1. */
  readonly first: number
  readonly second: number
  readonly run: CharacterSet
  /** Whether its text ends where its run of characters ends, so that what follows stands in one place. */
  readonly settled: boolean
  readonly to: IndexNode<E>
}

/** A place that templates lead to, after the literal text `text`. */
export interface IndexNode<E> {
  text: string
  readonly codes: number[]
  readonly children: IndexNode<E>[]
  readonly edges: ExpressionEdge<E>[]
  readonly ends: E[]
}

const createNode = <E>(text: string): IndexNode<E> => ({ text, codes: [], children: [], edges: [], ends: [] })

/** The node for `text` after `node`; edges of the tree are split where texts part. `pass` sees each node left behind. */
function follow<E>(node: IndexNode<E>, text: string, pass?: (node: IndexNode<E>) => void): IndexNode<E> {
  let at = node
  let rest = text
  while (rest !== '') {
    pass?.(at)
    const place = at.codes.indexOf(rest.charCodeAt(0))
    if (place < 0) {
      const child = createNode<E>(rest)
      at.codes.push(rest.charCodeAt(0))
      at.children.push(child)
      return child
    }
    const child = at.children[place]!
    let shared = 1
    while (shared < child.text.length && child.text.charCodeAt(shared) === rest.charCodeAt(shared))
      shared += 1
    if (shared < child.text.length) {
      const middle = createNode<E>(child.text.slice(0, shared))
      middle.codes.push(child.text.charCodeAt(shared))
      middle.children.push(child)
      child.text = child.text.slice(shared)
      at.children[place] = middle
      at = middle
    } else at = child
    rest = rest.slice(shared)
  }
  return at
}

const isSettled = (part: SlotsPart, next: Part | undefined): boolean =>
  part.plain &&
  part.first < 0 &&
  !part.reserved &&
  (next === undefined || (next.type === 'literal' && part.run[next.text.charCodeAt(0)] === 0))

/** All that the text of an expression of this operator can be written with. */
function broadSet(part: ExpressionPart, tolerant: boolean): CharacterSet {
  if (part.type === 'query') return tolerant ? careless : queryText
  if (part.reserved) return tolerant ? careless : reserved
  return tolerant ? careless : characterSet(`,=${String.fromCharCode(part.separator)}`, unreserved)
}

/** A tree of many templates: literals as in a radix tree, one edge for each shape of expression. */
export interface TemplateIndex<E> {
  insert(program: Program, entry: E): void
  remove(program: Program, entry: E): void
  /**
   * Calls `found` for every template that can match the text, for some more than once. `spans` holds start and end of
   * each expression where that is all there is to know, else it is `undefined` and the template is to be matched by
   * itself.
   */
  walk(text: string, found: (entry: E, spans: readonly number[] | undefined) => void): void
  /** The entries that the tree does not tell apart from one: all others match no URI that it matches. */
  rivals(program: Program, entry: E): readonly E[]
}

/** Makes an index. */
export function createTemplateIndex<E>(options: {
  readonly tolerant: boolean
  readonly ignoreUnknown: boolean
}): TemplateIndex<E> {
  const { tolerant, ignoreUnknown } = options
  const root = createNode<E>('')

  const settles = ({ parts }: Program, index: number, part: ExpressionPart): boolean =>
    part.type === 'slots' && !tolerant && isSettled(part, parts[index + 1])
  const shapeOf = (program: Program, index: number, part: ExpressionPart): string =>
    `${part.type === 'query' ? `${part.first} ${part.second}` : part.operator} ${settles(program, index, part)}`

  function place(program: Program): IndexNode<E> {
    let node = root
    const { parts } = program
    for (const [index, part] of parts.entries()) {
      if (part.type === 'literal') {
        node = follow(node, part.text)
        continue
      }
      const settled = settles(program, index, part)
      const shape = shapeOf(program, index, part)
      let edge = node.edges.find((each) => each.shape === shape)
      if (edge === undefined) {
        const isAnything = part.type === 'query' && ignoreUnknown
        const run = settled ? part.run : isAnything ? ignorableRun : broadSet(part, tolerant)
        const first = part.first
        const second = part.type === 'query' ? part.second : -1
        edge = { shape, first, second, run, settled, to: createNode<E>('') }
        node.edges.push(edge)
      }
      node = edge.to
    }
    return node
  }

  const nodes: IndexNode<E>[] = []
  const places: number[] = []
  const depths: number[] = []
  /** Where the expression that leads to a place starts, or -1 where it is not the last thing before it. */
  const starts: number[] = []
  const spans: number[] = []

  function walk(text: string, found: (entry: E, spans: readonly number[] | undefined) => void): void {
    const { length } = text
    // Where paths can meet again, each place is visited once.
    let seen: Map<IndexNode<E>, Uint8Array> | undefined
    let top = 1
    nodes[0] = root
    places[0] = 0
    depths[0] = 0
    starts[0] = -1
    const pushOnce = (node: IndexNode<E>, at: number): void => {
      const canStart =
        (at === length && node.ends.length > 0) ||
        node.edges.length > 0 ||
        node.codes.includes(text.charCodeAt(at))
      if (!canStart) return
      seen ??= new Map()
      let row = seen.get(node)
      if (row === undefined) {
        row = new Uint8Array(length + 1)
        seen.set(node, row)
      }
      if (row[at] === 1) return
      row[at] = 1
      nodes[top] = node
      places[top] = at
      depths[top] = -1
      starts[top] = -1
      top += 1
    }
    while (top > 0) {
      top -= 1
      const node = nodes[top]!
      const depth = depths[top]!
      let at = places[top]!
      if (starts[top]! >= 0) {
        spans[depth * 2 - 2] = starts[top]!
        spans[depth * 2 - 1] = at
      }
      const { text: literal } = node
      if (literal !== '') {
        if (!text.startsWith(literal, at)) continue
        at += literal.length
      }
      if (at === length)
        for (let each = 0; each < node.ends.length; each += 1)
          found(node.ends[each]!, depth < 0 ? undefined : spans)
      for (let each = 0; each < node.edges.length; each += 1) {
        const edge = node.edges[each]!
        if (edge.settled) {
          const end = runEnd(text, at, edge.run)
          if (depth < 0) pushOnce(edge.to, end)
          else {
            nodes[top] = edge.to
            places[top] = end
            depths[top] = depth + 1
            starts[top] = at
            top += 1
          }
          continue
        }
        pushOnce(edge.to, at)
        const code = text.charCodeAt(at)
        if (edge.first >= 0 && code !== edge.first && code !== edge.second) continue
        let end = edge.first < 0 ? at : at + 1
        pushOnce(edge.to, end)
        for (let size = unitSize(text, end, edge.run); size > 0; size = unitSize(text, end, edge.run)) {
          end += size
          pushOnce(edge.to, end)
        }
      }
      if (node.codes.length === 0 || at === length) continue
      const child = node.codes.indexOf(text.charCodeAt(at))
      if (child < 0) continue
      nodes[top] = node.children[child]!
      places[top] = at
      depths[top] = depth
      starts[top] = -1
      top += 1
    }
  }

  function rivals(program: Program, entry: E): E[] {
    const found: E[] = []
    const below = (from: readonly IndexNode<E>[]): void => {
      const stack = [...from]
      for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
        for (const each of node.ends) if (each !== entry) found.push(each)
        stack.push(...node.children, ...node.edges.map(({ to }) => to))
      }
    }
    let node = root
    for (const [index, part] of program.parts.entries()) {
      if (part.type === 'literal') {
        node = follow(node, part.text, (passed) => below(passed.edges.map(({ to }) => to)))
        continue
      }
      const shape = shapeOf(program, index, part)
      const edge = node.edges.find((each) => each.shape === shape)!
      for (const each of node.ends) if (each !== entry) found.push(each)
      below([...node.children, ...node.edges.filter((each) => each !== edge).map(({ to }) => to)])
      if (!edge.settled) {
        // Behind an expression that can end in several places the same text may stand for anything.
        below([edge.to])
        return found
      }
      node = edge.to
    }
    for (const each of node.ends) if (each !== entry) found.push(each)
    below(node.edges.map(({ to }) => to))
    return found
  }

  return {
    rivals,
    insert(program, entry) {
      place(program).ends.push(entry)
    },
    remove(program, entry) {
      const { ends } = place(program)
      const at = ends.indexOf(entry)
      if (at >= 0) ends.splice(at, 1)
    },
    walk,
  }
}
