import type { CharacterSet } from './characters.ts'

/** An expression that several templates have at the same place: one edge for all of them. */
export interface ExpressionEdge<E> {
  readonly shape: string
  /** The characters that open it, or -1. */
  readonly first: number
  readonly second: number
  readonly run: CharacterSet
  /** Whether its text ends where its run of characters ends, so that what follows stands in one place. */
  readonly settled: boolean
  readonly to: IndexNode<E>
  /** The next edge of the same node. */
  readonly next: ExpressionEdge<E> | undefined
}

/**
 * A place in an index, after the literal `text`. A walk through a large tree is as fast as it touches few places in
 * memory: what there is one of, as most often, is in the node itself, and a child is found without a search.
 */
export interface IndexNode<E> {
  /** The length of `text`. */
  size: number
  /** The code of the first character of the only child, or the lowest of several. */
  base: number
  only: IndexNode<E> | undefined
  /** Several children by the code of their first character, less `base`. */
  children: readonly (IndexNode<E> | undefined)[]
  edge: ExpressionEdge<E> | undefined
  text: string
  /** The entry whose template ends here; more of them in `moreEnds`. */
  end: E | undefined
  moreEnds: readonly E[]
}

const none: readonly never[] = []

/** A node without anything behind it. */
export const createNode = <E>(text: string): IndexNode<E> => ({
  size: text.length,
  base: -1,
  only: undefined,
  children: none,
  edge: undefined,
  text,
  end: undefined,
  moreEnds: none,
})

/** The child whose text starts with the character of this code. */
export const childOf = <E>(node: IndexNode<E>, code: number): IndexNode<E> | undefined =>
  node.only === undefined ? node.children[code - node.base] : code === node.base ? node.only : undefined

/** All children of a node. */
const childrenOf = <E>({ only, children }: IndexNode<E>): IndexNode<E>[] =>
  only === undefined ? children.filter((child) => child !== undefined) : [only]

function setChildren<E>(node: IndexNode<E>, children: readonly IndexNode<E>[]): void {
  const codes = children.map(({ text }) => text.charCodeAt(0))
  node.base = Math.min(...codes)
  node.only = children.length === 1 ? children[0] : undefined
  if (children.length === 1) node.children = none
  else {
    const table = new Array<IndexNode<E> | undefined>(Math.max(...codes) - node.base + 1).fill(undefined)
    for (const [at, child] of children.entries()) table[codes[at]! - node.base] = child
    node.children = table
  }
}

/** The edges of a node. */
export function edgesOf<E>(node: IndexNode<E>): ExpressionEdge<E>[] {
  const edges: ExpressionEdge<E>[] = []
  for (let edge = node.edge; edge !== undefined; edge = edge.next) edges.push(edge)
  return edges
}

/** The entries whose templates end at a node. */
export const endsOf = <E>({ end, moreEnds }: IndexNode<E>): readonly E[] =>
  end === undefined ? none : [end, ...moreEnds]

/** Sets the entries whose templates end at a node. */
export function setEnds<E>(node: IndexNode<E>, [end, ...more]: readonly E[]): void {
  node.end = end
  node.moreEnds = more.length === 0 ? none : more
}

/** The nodes right behind a node. */
export const nodesBehind = <E>(node: IndexNode<E>): IndexNode<E>[] => [
  ...childrenOf(node),
  ...edgesOf(node).map(({ to }) => to),
]

/** The node for `text` after `node`; nodes are split where texts part. `pass` sees each node that is left behind. */
export function follow<E>(
  node: IndexNode<E>,
  text: string,
  pass?: (node: IndexNode<E>) => void,
): IndexNode<E> {
  let at = node
  let from = 0
  while (from < text.length) {
    pass?.(at)
    const child = childOf(at, text.charCodeAt(from))
    if (child === undefined) {
      const added = createNode<E>(text.slice(from))
      setChildren(at, [...childrenOf(at), added])
      return added
    }
    let shared = 1
    while (shared < child.size && child.text.charCodeAt(shared) === text.charCodeAt(from + shared))
      shared += 1
    if (shared < child.size) {
      const middle = createNode<E>(child.text.slice(0, shared))
      const siblings = childrenOf(at).filter((each) => each !== child)
      child.text = child.text.slice(shared)
      child.size = child.text.length
      setChildren(middle, [child])
      setChildren(at, [...siblings, middle])
      at = middle
    } else at = child
    from += shared
  }
  return at
}
