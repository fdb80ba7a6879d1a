import { type Operator, operators } from '@truename/uri-codec'
import type { CharacterSet } from './characters.ts'
import { broadSet, SETTLED_CODE, type Spelling, type Step } from './index-steps.ts'

/** An expression whose text can end in several places: one edge for all templates that have it at the same place. */
export interface OpenEdge {
  readonly operator: Operator
  /** The code of the character that opens it; not a number where none does. */
  readonly first: number
  readonly run: CharacterSet
  /** The link to the node behind it. */
  readonly to: number
  /** What is at that node, to which several paths may lead. */
  readonly junction: Junction
}

/** What is at a node besides its children, where that is more than one template that ends there. */
export interface Junction {
  ends: number[]
  readonly edges: OpenEdge[]
  /** Where a walk keeps its marks for the places behind the node, and which walk. */
  row: number
  walk: number
}

/**
 * A radix tree of texts and expressions in one list of numbers, as a walk through a large one is as fast as it touches
 * few places in memory. A node is the place after its text, and named by the cell where it begins: {@link headOf how it
 * is laid out}, {@link EXTRA what is there}, its children by the codes of their first characters, and its text but for
 * the first character, which its parent knows. A node that gets more children moves, so that what is built goes by
 * links: a link is the one cell that says where a node is.
 */
export interface IndexTree {
  /** Another list where the tree has grown. */
  cells: Int32Array
  /** The same cells by bytes, for texts. */
  bytes: Uint8Array
  /** By the numbers in nodes; the first is for none. */
  readonly junctions: readonly Junction[]
  /** The link to the node behind a step, made where it is not there; `pass` sees each node that is left behind. */
  follow(link: number, step: Step, pass?: Pass): number
  addEnd(node: number, id: number): void
  removeEnd(node: number, id: number): void
  /** What ends at a node. */
  endsOf(node: number): readonly number[]
  /** The nodes right behind a node, or only those that an expression leads to. */
  nodesBehind(node: number, afterText?: boolean): number[]
}

/** Sees a node, the one behind it, and whether an expression leads there. */
export type Pass = (node: number, to: number, isExpression: boolean) => void

/** The link to the root. */
export const ROOT = 0
/** Behind the head: 1 more than the number of the template that ends there, or 0; less than 0 a {@link Junction}. */
export const EXTRA = 1
const FIELDS = 2
const longestText = 0xffff

/** How many bytes of text there are, for how many children there is room, and the code of the first. */
const headOf = (size: number, span: number, base: number): number => (size << 15) | (span << 7) | base
export const sizeOf = (head: number): number => head >> 15
const spanOf = (head: number): number => (head >> 7) & 0xff
const baseOf = (head: number): number => head & 0x7f
const textCells = (size: number): number => (size + 3) >> 2
/** Where the text of a node begins among the bytes. */
export const textAt = (node: number, head: number): number => (node + FIELDS + spanOf(head)) << 2

const junctionOf = (ends: number[]): Junction => ({ ends, edges: [], row: 0, walk: 0 })

/** The child whose text starts with the character of this code, or 0. */
export function childOf(cells: Int32Array, node: number, code: number): number {
  const head = cells[node]!
  const offset = code - baseOf(head)
  return offset >= 0 && offset < spanOf(head) ? cells[node + FIELDS + offset]! : 0
}

/** Makes a tree of a root alone. */
export function createTree(spelling: Spelling): IndexTree {
  let cells = new Int32Array()
  let bytes = new Uint8Array()
  /** How many cells are in use. */
  let used = 1
  /** What nodes have left behind, by how many cells that is; the first cell of each names the next. */
  const left: number[] = []
  const junctions = [junctionOf([])]

  /** Makes room for as many cells, and answers where. */
  function allot(count: number): number {
    const again = left[count] ?? 0
    if (again > 0) {
      left[count] = cells[again]!
      cells.fill(0, again, again + count)
      return again
    }
    const start = used
    used += count
    if (used > cells.length) {
      const before = cells
      cells = new Int32Array(used * 2)
      cells.set(before)
      bytes = new Uint8Array(cells.buffer)
      tree.cells = cells
      tree.bytes = bytes
    }
    return start
  }

  /** Makes a node of `size` characters of a text, with room for children. */
  function nodeOf(text: string, from: number, size: number, span: number, base: number): number {
    const node = allot(FIELDS + span + textCells(size))
    const head = headOf(size, span, base)
    cells[node] = head
    const start = textAt(node, head)
    for (let each = 0; each < size; each += 1) bytes[start + each] = text.charCodeAt(from + each)
    return node
  }

  /** The link to a child; the node moves where there is no room for it. */
  function childLink(link: number, code: number): number {
    const node = cells[link]!
    const head = cells[node]!
    const span = spanOf(head)
    const base = span === 0 ? code : baseOf(head)
    if (code >= base && code < base + span) return node + FIELDS + code - base
    const low = Math.min(base, code)
    const wide = Math.max(base + span, code + 1) - low
    const size = sizeOf(head)
    const text = textCells(size)
    const moved = allot(FIELDS + wide + text)
    cells[moved] = headOf(size, wide, low)
    cells[moved + EXTRA] = cells[node + EXTRA]!
    const children = node + FIELDS
    cells.copyWithin(moved + FIELDS + base - low, children, children + span)
    cells.copyWithin(moved + FIELDS + wide, children + span, children + span + text)
    cells[link] = moved
    cells[node] = left[FIELDS + span + text] ?? 0
    left[FIELDS + span + text] = node
    return moved + FIELDS + code - low
  }

  /** The junction at a node, made where there is none. */
  function junctionFor(node: number): Junction {
    const end = cells[node + EXTRA]!
    if (end < 0) return junctions[-end]!
    const made = junctionOf(end > 0 ? [end - 1] : [])
    cells[node + EXTRA] = 1 - junctions.push(made)
    return made
  }

  const junctionAt = (node: number): Junction => junctions[Math.max(0, -cells[node + EXTRA]!)]!

  /** The link to the node behind an open edge of this operator. */
  function openLink(link: number, operator: Operator): number {
    const { edges } = junctionFor(cells[link]!)
    const there = edges.find((edge) => edge.operator === operator)
    if (there !== undefined) return there.to
    const to = allot(1 + FIELDS)
    cells[to] = to + 1
    const first = operators[operator].first.charCodeAt(0)
    const run = broadSet(operator, spelling)
    edges.push({ operator, first, run, to, junction: junctionFor(to + 1) })
    return to
  }

  /** The link to the node for `text` after a node; nodes are split where texts part. */
  function textLink(link: number, text: string, pass: Pass | undefined): number {
    let at = link
    let from = 0
    while (from < text.length) {
      const code = text.charCodeAt(from)
      pass?.(cells[at]!, childOf(cells, cells[at]!, code), code === SETTLED_CODE)
      at = childLink(at, code)
      from += 1
      const child = cells[at]!
      if (child === 0) {
        const size = Math.min(text.length - from, longestText)
        const added = nodeOf(text, from, size, 0, 0)
        cells[at] = added
        from += size
        continue
      }
      const head = cells[child]!
      const start = textAt(child, head)
      const size = sizeOf(head)
      let shared = 0
      while (shared < size && bytes[start + shared] === text.charCodeAt(from + shared)) shared += 1
      if (shared < size) {
        const middle = nodeOf(text, from, shared, 1, bytes[start + shared]!)
        cells[middle + FIELDS] = child
        bytes.copyWithin(start, start + shared + 1, start + size)
        cells[child] = headOf(size - shared - 1, spanOf(head), baseOf(head))
        cells[at] = middle
      }
      from += shared
    }
    return at
  }

  const tree: IndexTree = {
    cells,
    bytes,
    junctions,
    follow(link, step, pass) {
      if (typeof step === 'string') return textLink(link, step, pass)
      const to = openLink(link, step.operator)
      pass?.(cells[link]!, cells[to]!, true)
      return to
    },
    addEnd(node, id) {
      if (cells[node + EXTRA] === 0) cells[node + EXTRA] = id + 1
      else junctionFor(node).ends.push(id)
    },
    removeEnd(node, id) {
      const junction = junctionFor(node)
      junction.ends = junction.ends.filter((each) => each !== id)
    },
    endsOf(node) {
      const end = cells[node + EXTRA]!
      return end > 0 ? [end - 1] : junctionAt(node).ends
    },
    nodesBehind(node, afterText = true) {
      const behind = junctionAt(node).edges.map(({ to }) => cells[to]!)
      const settled = childOf(cells, node, SETTLED_CODE)
      const children = cells.subarray(node + FIELDS, node + FIELDS + spanOf(cells[node]!))
      for (const child of children) if (child !== 0 && (afterText || child === settled)) behind.push(child)
      return behind
    },
  }
  const root = allot(FIELDS)
  cells[ROOT] = root
  return tree
}
