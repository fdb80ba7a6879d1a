import type { CharacterSet } from './characters.ts'

/** An expression whose text can end in several places: one edge for all templates that have it at the same place. */
export interface OpenEdge {
  readonly shape: string
  /** The characters that open it, or -1. */
  readonly first: number
  readonly second: number
  readonly run: CharacterSet
  readonly to: number
}

/**
 * A tree of literals and expressions in one list of numbers, as a walk through a large one is as fast as it touches
 * few places in memory. A node is the place after its text; it is named by where its fields begin, the root is 0.
 */
export interface IndexTree {
  cells: Int32Array
  /** How many cells are in use. */
  size: number
  /** By the number in a node's field. */
  readonly edges: OpenEdge[][]
  /** What else ends at a node whose field {@link END} is negative. */
  readonly moreEnds: Map<number, readonly number[]>
}

// The fields of a node.
/** Where the codes of its text stand in the cells, but for the first, which its parent knows; how long it is. */
export const TEXT = 0
export const SIZE = 1
/** How many codes the table of children spans, from which code, and where it is; for an only child where that is. */
export const SPAN = 2
export const BASE = 3
export const CHILD = 4
/**
 * The node behind an expression that ends where its run of characters ends, or 0; less than 0, as in {@link END}, where
 * a single template ends behind it, nothing else is there, and no open edge leads to it.
 */
export const SETTLED = 5
/** The place of its open edges, or 0. */
export const OPEN = 6
/** 1 more than the number of what ends here, less than 0 where that is not all, or 0. */
export const END = 7
const FIELDS = 8

const none: readonly never[] = []

/** Makes room for as many cells, and answers where. */
function allot(tree: IndexTree, count: number): number {
  const start = tree.size
  tree.size += count
  if (tree.size > tree.cells.length) {
    const larger = new Int32Array(tree.size * 2)
    larger.set(tree.cells)
    tree.cells = larger
  }
  return start
}

/** Makes a tree of a root alone. */
export const createTree = (): IndexTree => ({
  cells: new Int32Array(128),
  size: FIELDS,
  edges: [none as never],
  moreEnds: new Map(),
})

/** The child whose text starts with the character of this code, or 0. */
export function childOf(cells: Int32Array, node: number, code: number): number {
  const span = cells[node + SPAN]!
  const offset = code - cells[node + BASE]!
  if (!(offset >= 0 && offset < span)) return 0
  const child = cells[node + CHILD]!
  return span === 1 ? child : cells[child + offset]!
}

function setChild(tree: IndexTree, node: number, code: number, child: number): void {
  const { cells } = tree
  const span = cells[node + SPAN]!
  const base = cells[node + BASE]!
  const offset = code - base
  if (span === 0) {
    cells[node + SPAN] = 1
    cells[node + BASE] = code
    cells[node + CHILD] = child
  } else if (offset >= 0 && offset < span)
    cells[span === 1 ? node + CHILD : cells[node + CHILD]! + offset] = child
  else {
    const low = Math.min(base, code)
    // Twice as many as before, so that few tables are left behind.
    const wide = Math.max(span * 2, base + span - low, code + 1 - low)
    const table = allot(tree, wide)
    for (let at = 0; at < span; at += 1)
      tree.cells[table + base - low + at] =
        span === 1 ? cells[node + CHILD]! : cells[cells[node + CHILD]! + at]!
    tree.cells[table + code - low] = child
    tree.cells.set([wide, low, table], node + SPAN)
  }
}

/** The node behind the settled expression of a node. */
export function settledOf(tree: IndexTree, node: number): number {
  const there = tree.cells[node + SETTLED]!
  if (there > 0) return there
  const added = allot(tree, FIELDS)
  tree.cells[added + END] = -there
  tree.cells[node + SETTLED] = added
  return added
}

/** The node behind an open edge of this shape. */
export function openOf(tree: IndexTree, node: number, edge: Omit<OpenEdge, 'to'>): number {
  const { edges } = tree
  let place = tree.cells[node + OPEN]!
  if (place === 0) {
    place = edges.push([]) - 1
    tree.cells[node + OPEN] = place
  }
  const there = edges[place]!.find(({ shape }) => shape === edge.shape)
  if (there !== undefined) return there.to
  const to = allot(tree, FIELDS)
  edges[place]!.push({ ...edge, to })
  return to
}

/** What ends at a node. */
export function endsOf({ cells, moreEnds }: IndexTree, node: number): readonly number[] {
  const end = node < 0 ? -node : cells[node + END]!
  return end === 0 ? none : end > 0 ? [end - 1] : [-end - 1, ...moreEnds.get(node)!]
}

/** Sets what ends at a node. */
export function setEnds(
  { cells, moreEnds }: IndexTree,
  node: number,
  [end, ...more]: readonly number[],
): void {
  cells[node + END] = end === undefined ? 0 : more.length === 0 ? end + 1 : -end - 1
  if (more.length === 0) moreEnds.delete(node)
  else moreEnds.set(node, more)
}

/** The nodes right behind the expressions of a node. */
export function behindEdges({ cells, edges }: IndexTree, node: number): number[] {
  if (node < 0) return []
  const settled = cells[node + SETTLED]!
  const open = edges[cells[node + OPEN]!]!.map(({ to }) => to)
  return settled === 0 ? open : [settled, ...open]
}

/** The nodes right behind a node. */
export function nodesBehind(tree: IndexTree, node: number): number[] {
  const { cells } = tree
  const nodes = behindEdges(tree, node)
  if (node < 0) return nodes
  const base = cells[node + BASE]!
  for (let code = base; code < base + cells[node + SPAN]!; code += 1) {
    const child = childOf(cells, node, code)
    if (child !== 0) nodes.push(child)
  }
  return nodes
}

/** The node for `text` after `node`; nodes are split where texts part. `pass` sees each node that is left behind. */
export function follow(tree: IndexTree, node: number, text: string, pass?: (node: number) => void): number {
  let at = node
  let from = 0
  while (from < text.length) {
    pass?.(at)
    const code = text.charCodeAt(from)
    const child = childOf(tree.cells, at, code)
    if (child === 0) {
      const size = text.length - from
      const added = allot(tree, FIELDS + size - 1)
      const start = added + FIELDS - 1
      tree.cells.set([start, size], added + TEXT)
      for (let each = 1; each < size; each += 1) tree.cells[start + each] = text.charCodeAt(from + each)
      setChild(tree, at, code, added)
      return added
    }
    const start = tree.cells[child + TEXT]!
    const size = tree.cells[child + SIZE]!
    let shared = 1
    while (shared < size && tree.cells[start + shared] === text.charCodeAt(from + shared)) shared += 1
    if (shared < size) {
      const middle = allot(tree, FIELDS)
      const { cells } = tree
      cells.set([start, shared], middle + TEXT)
      cells.set([start + shared, size - shared], child + TEXT)
      setChild(tree, middle, cells[start + shared]!, child)
      setChild(tree, at, code, middle)
      at = middle
    } else at = child
    from += shared
  }
  return at
}
