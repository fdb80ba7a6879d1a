import type { CharacterSet } from './characters.ts'

/** An expression whose text can end in several places: one edge for all templates that have it at the same place. */
export interface OpenEdge {
  readonly shape: string
  /** The characters that open it, or -1. */
  readonly first: number
  readonly second: number
  readonly run: CharacterSet
  /** The link to the node behind it. */
  readonly to: number
}

/**
 * A tree of literals and expressions in one list of numbers, as a walk through a large one is as fast as it touches
 * few places in memory. A node is the place after its text, and named by the cell where its fields begin; behind them
 * stand its children, by the codes of their first characters. A node that gets more of them moves, so that what is
 * built goes by links: a link is the one cell that says where a node is.
 */
export interface IndexTree {
  cells: Int32Array
  /** The same cells by halves, for texts. */
  halves: Uint16Array
  /** How many cells are in use. */
  size: number
  /** Lists by the numbers in fields of nodes; the first is for none. */
  readonly edges: OpenEdge[][]
  readonly ends: (readonly number[])[]
}

/** The link to the root. */
export const ROOT = 0

// The fields of a node.
/** Where the codes of its text stand in the halves, but for the first, which its parent knows; how long it is. */
export const TEXT = 0
export const SIZE = 1
/** The code of the first child that there is room for, and for how many. */
const BASE = 2
const SPAN = 3
/**
 * The node behind an expression that ends where its run of characters ends, or 0; less than 0, as in {@link END}, where
 * a single template ends behind it, nothing else is there, and no open edge leads to it.
 */
export const SETTLED = 4
/** The number of its open edges, or 0. */
export const OPEN = 5
/** 1 more than the number of what ends here, or 0; less than 0 the number of a list of several. */
export const END = 6
const FIELDS = 7

/** Makes room for as many cells, and answers where. */
function allot(tree: IndexTree, count: number): number {
  const start = tree.size
  tree.size += count
  if (tree.size > tree.cells.length) {
    const larger = new Int32Array(tree.size * 2)
    larger.set(tree.cells)
    tree.cells = larger
    tree.halves = new Uint16Array(larger.buffer)
  }
  return start
}

/** Makes a tree of a root alone. */
export function createTree(): IndexTree {
  const cells = new Int32Array(128)
  const tree = { cells, halves: new Uint16Array(cells.buffer), size: 1, edges: [[]], ends: [[]] }
  const root = allot(tree, FIELDS)
  tree.cells[ROOT] = root
  return tree
}

/** The child whose text starts with the character of this code, or 0. */
export function childOf(cells: Int32Array, node: number, code: number): number {
  const offset = code - cells[node + BASE]!
  return offset >= 0 && offset < cells[node + SPAN]! ? cells[node + FIELDS + offset]! : 0
}

/** The link to a child; the node moves where there is no room for it. */
function childLink(tree: IndexTree, link: number, code: number): number {
  const node = tree.cells[link]!
  const base = tree.cells[node + BASE]!
  const span = tree.cells[node + SPAN]!
  if (code >= base && code < base + span) return node + FIELDS + code - base
  if (span === 1 && tree.cells[node + FIELDS] === 0) {
    tree.cells[node + BASE] = code
    return node + FIELDS
  }
  const low = span === 0 ? code : Math.min(base, code)
  // For twice as many as before, so that few places are left behind.
  const wide = span === 0 ? 1 : Math.max(span * 2, base + span - low, code + 1 - low)
  const moved = allot(tree, FIELDS + wide)
  const { cells } = tree
  cells.copyWithin(moved, node, node + FIELDS)
  cells.copyWithin(moved + FIELDS + base - low, node + FIELDS, node + FIELDS + span)
  cells[moved + BASE] = low
  cells[moved + SPAN] = wide
  cells[link] = moved
  return moved + FIELDS + code - low
}

/** The link to the node behind the settled expression of a node. */
export function settledOf(tree: IndexTree, link: number): number {
  const to = tree.cells[link]! + SETTLED
  const there = tree.cells[to]!
  if (there <= 0) {
    // With room for a child: most often one follows.
    const added = allot(tree, FIELDS + 1)
    tree.cells[added + SPAN] = 1
    tree.cells[added + END] = -there
    tree.cells[to] = added
  }
  return to
}

/** The link to the node behind an open edge of this shape. */
export function openOf(tree: IndexTree, link: number, edge: Omit<OpenEdge, 'to'>): number {
  const { edges } = tree
  const place = tree.cells[link]! + OPEN
  if (tree.cells[place] === 0) tree.cells[place] = edges.push([]) - 1
  const some = edges[tree.cells[place]!]!
  const there = some.find(({ shape }) => shape === edge.shape)
  if (there !== undefined) return there.to
  const to = allot(tree, 1 + FIELDS)
  tree.cells[to] = to + 1
  some.push({ ...edge, to })
  return to
}

/** What ends at a node. */
export function endsOf({ cells, ends }: IndexTree, node: number): readonly number[] {
  const end = node < 0 ? -node : cells[node + END]!
  return end > 0 ? [end - 1] : ends[-end]!
}

/** Sets what ends at a node. */
export function setEnds({ cells, ends }: IndexTree, node: number, some: readonly number[]): void {
  const before = cells[node + END]!
  if (some.length < 2) cells[node + END] = (some[0] ?? -1) + 1
  else if (before < 0) ends[-before] = some
  else cells[node + END] = 1 - ends.push(some)
}

/** The nodes right behind the expressions of a node. */
export function behindEdges({ cells, edges }: IndexTree, node: number): number[] {
  if (node < 0) return []
  const settled = cells[node + SETTLED]!
  const open = edges[cells[node + OPEN]!]!.map(({ to }) => cells[to]!)
  return settled === 0 ? open : [settled, ...open]
}

/** The nodes right behind a node. */
export function nodesBehind(tree: IndexTree, node: number): number[] {
  const behind = behindEdges(tree, node)
  if (node < 0) return behind
  const children = tree.cells.subarray(node + FIELDS, node + FIELDS + tree.cells[node + SPAN]!)
  return [...behind, ...children.filter((child) => child !== 0)]
}

/**
 * The link to the node for `text` after a node; nodes are split where texts part. `pass` sees each node that is left
 * behind.
 */
export function follow(tree: IndexTree, link: number, text: string, pass?: (node: number) => void): number {
  let at = link
  let from = 0
  while (from < text.length) {
    pass?.(tree.cells[at]!)
    at = childLink(tree, at, text.charCodeAt(from))
    const child = tree.cells[at]!
    if (child === 0) {
      const size = text.length - from
      const added = allot(tree, FIELDS + (size >> 1))
      const start = (added + FIELDS) * 2 - 1
      tree.cells.set([start, size], added)
      for (let each = 1; each < size; each += 1) tree.halves[start + each] = text.charCodeAt(from + each)
      tree.cells[at] = added
      return at
    }
    const start = tree.cells[child + TEXT]!
    const size = tree.cells[child + SIZE]!
    let shared = 1
    while (shared < size && tree.halves[start + shared] === text.charCodeAt(from + shared)) shared += 1
    if (shared < size) {
      const middle = allot(tree, FIELDS + 1)
      const { cells, halves } = tree
      cells.set([start, shared, halves[start + shared]!, 1], middle)
      cells[middle + FIELDS] = child
      cells.set([start + shared, size - shared], child)
      cells[at] = middle
    }
    from += shared
  }
  return at
}
