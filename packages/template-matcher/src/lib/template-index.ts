import type { Template } from '@truename/uri-codec'
import { type CharacterSet, runEnd, TAKE, unitSize, unreserved, without } from './characters.ts'
import { plainText, type Spelling, type Step, settled, settledNames, stepsOf } from './index-steps.ts'
import {
  behindEdges,
  childOf,
  createTree,
  END,
  endsOf,
  follow,
  nodesBehind,
  OPEN,
  type OpenEdge,
  openOf,
  ROOT,
  SETTLED,
  SIZE,
  setEnds,
  settledOf,
  TEXT,
} from './index-tree.ts'
import { defaultLimits, MatchLimitError } from './limits.ts'

/** What values are written with that are not decoded. */
const wholeText = without(unreserved, '%')

// Marks of places behind a node.
const VISITED = 1
/** A run of characters before it that goes on here has been seen to its end. */
const INSIDE = 2
/** Steps that the memory for one place behind a node costs. */
const stepsOfMark = 20

/**
 * Many templates in one tree: literals as in a radix tree, and one edge for each shape of expression, whatever its
 * variables are called. Templates go by numbers. What a walk finds stays until the next walk.
 */
export interface TemplateIndex {
  /**
   * Answers the names of the template's variables if it is settled: where its expressions stand is all there is to know
   * of a match.
   */
  insert(template: Template, id: number): readonly string[] | undefined
  remove(template: Template, id: number): void
  /**
   * Finds every template that can match the text, some more than once, and answers how many. Those that are settled
   * match; others have to be matched by themselves.
   * @throws {MatchLimitError} where that takes too many steps
   */
  walk(text: string): number
  readonly hits: readonly number[]
  /** Start and end of each expression of the first hit, if its template is settled. */
  readonly spans: readonly number[]
  /** Whether no settled expression held a triplet or a comma, so that values are what stands there. */
  isWhole(): boolean
  /** The templates that the tree does not tell apart from one: all others match no URI that it matches. */
  rivals(template: Template, id: number): readonly number[]
}

/** Makes an index. */
export function createTemplateIndex(spelling: Spelling, maxSteps = defaultLimits.steps): TemplateIndex {
  const tree = createTree()
  const names = (template: Template): readonly string[] | undefined =>
    spelling.tolerant ? undefined : settledNames(template)

  /** The node of a link; the cells are looked up when the link is there, as making it may replace them. */
  const nodeAt = (link: number): number => tree.cells[link]!

  /** From link to link. */
  const behind = (link: number, step: Step): number =>
    typeof step === 'string'
      ? follow(tree, link, step)
      : step === settled
        ? settledOf(tree, link)
        : openOf(tree, link, step)

  /** The places that are still to be looked at, three numbers for each; kept between walks. */
  const waiting: number[] = []
  const path: number[] = []
  const spans: number[] = []
  const hits: number[] = []
  let top = 0
  let whole = true
  // A row of marks for each node that several paths lead to, by the places in the text.
  let marks = new Uint8Array(64)
  const marked: number[] = []
  let rows = 0

  /** `depth`: how many settled expressions lead to the place, or -1 where another expression does. */
  function push(node: number, at: number, depth: number): void {
    waiting[top] = node
    waiting[top + 1] = at
    waiting[top + 2] = depth
    top += 3
  }

  /** Where the marks for the places behind a node begin. */
  function rowOf(node: number, length: number): number {
    const { cells } = tree
    // Such a node has no text, so that the field is free.
    let row = cells[node + TEXT]!
    if (marked[row] !== node || row >= rows) {
      row = rows
      rows += 1
      cells[node + TEXT] = row
      marked[row] = node
      const end = rows * (length + 1)
      const steps = end * stepsOfMark
      if (steps > maxSteps) throw new MatchLimitError('too-many-steps', maxSteps, steps)
      if (end > marks.length) {
        const larger = new Uint8Array(end * 2)
        larger.set(marks)
        marks = larger
      }
      marks.fill(0, end - length - 1, end)
    }
    return row * (length + 1)
  }

  /** Where paths can meet again, each place is visited once. */
  function pushOnce(node: number, at: number, mark: number, text: string): void {
    const { cells } = tree
    const canStart =
      cells[node + SETTLED] !== 0 ||
      cells[node + OPEN] !== 0 ||
      (at < text.length ? childOf(cells, node, text.charCodeAt(at)) : cells[node + END]) !== 0
    if (!canStart || (marks[mark]! & VISITED) !== 0) return
    marks[mark]! |= VISITED
    push(node, at, -1)
  }

  /** Visits the node at the end of a run of characters, or anywhere in it. */
  function spread(node: number, run: CharacterSet, from: number, text: string, anywhere: boolean): void {
    const row = rowOf(node, text.length)
    let at = from
    // What follows a place inside a run is the same wherever the run began.
    for (let size = 1; size > 0 && (marks[row + at]! & INSIDE) === 0; at += size) {
      marks[row + at]! |= INSIDE
      size = unitSize(text, at, run)
      if (anywhere || size === 0) pushOnce(node, at, row + at, text)
    }
  }

  function walkOpen(edges: readonly OpenEdge[], text: string, at: number): void {
    for (const { run, first, second, to } of edges) {
      const node = tree.cells[to]!
      const code = at < text.length ? text.charCodeAt(at) : -1
      pushOnce(node, at, rowOf(node, text.length) + at, text)
      if (first < 0) spread(node, run, at, text, true)
      else if (code === first || code === second) spread(node, run, at + 1, text, true)
    }
  }

  /** Takes down what ends at a node; answers how many hits there are then. */
  function hit(node: number, before: number, depth: number): number {
    if (before === 0) for (let each = 0; each < depth * 2; each += 1) spans[each] = path[each]!
    const end = node < 0 ? -node : tree.cells[node + END]!
    if (end > 0) {
      hits[before] = end - 1
      return before + 1
    }
    let count = before
    for (const each of endsOf(tree, node)) hits[count++] = each
    return count
  }

  function walk(text: string): number {
    const { cells, halves } = tree
    const { length } = text
    let count = 0
    let node = cells[ROOT]!
    let at = 0
    let depth = 0
    top = 0
    whole = true
    rows = 0
    if (marks.length > 1 << 16) marks = new Uint8Array(64)
    for (;;) {
      const size = cells[node + SIZE]!
      let goesOn = at + size <= length
      if (goesOn && size > 1) {
        // The first character is known to be the same.
        const literal = cells[node + TEXT]!
        let same = 1
        while (same < size && text.charCodeAt(at + same) === halves[literal + same]) same += 1
        goesOn = same === size
      }
      if (goesOn) {
        at += size
        if (at === length && cells[node + END] !== 0) count = hit(node, count, depth)
        if (cells[node + OPEN] !== 0) walkOpen(tree.edges[cells[node + OPEN]!]!, text, at)
        const child = at < length ? childOf(cells, node, text.charCodeAt(at)) : 0
        const next = cells[node + SETTLED]!
        if (next === 0) {
          if (child !== 0) {
            node = child
            continue
          }
        } else {
          if (child !== 0) push(child, at, depth)
          if (depth < 0) spread(next, plainText, at, text, false)
          else {
            path[depth * 2] = at
            while (at < length && wholeText[text.charCodeAt(at)] === TAKE) at += 1
            if (at < length && plainText[text.charCodeAt(at)]! > 0) {
              whole = false
              at = runEnd(text, at, plainText)
            }
            path[depth * 2 + 1] = at
            depth += 1
            if (next > 0) {
              node = next
              continue
            }
            if (at === length) count = hit(next, count, depth)
          }
        }
      }
      if (top === 0) return count
      top -= 3
      node = waiting[top]!
      at = waiting[top + 1]!
      depth = waiting[top + 2]!
    }
  }

  function rivals(template: Template, id: number): number[] {
    const found: number[] = []
    const at = (node: number): void => {
      for (const each of endsOf(tree, node)) if (each !== id) found.push(each)
    }
    const below = (from: readonly number[]): void => {
      const left = [...from]
      for (let node = left.pop(); node !== undefined; node = left.pop()) {
        at(node)
        left.push(...nodesBehind(tree, node))
      }
    }
    let node = tree.cells[ROOT]!
    let link = ROOT
    for (const step of stepsOf(template, names(template), spelling)) {
      if (typeof step === 'string') {
        link = follow(tree, link, step, (passed) => below(behindEdges(tree, passed)))
        node = tree.cells[link]!
        continue
      }
      at(node)
      link = step === settled ? node + SETTLED : openOf(tree, link, step)
      const to = tree.cells[link]!
      below(nodesBehind(tree, node).filter((each) => each !== to))
      if (step !== settled) {
        // Behind an expression that can end in several places the same text may stand for anything.
        below([to])
        return found
      }
      node = to
    }
    at(node)
    below(behindEdges(tree, node))
    return found
  }

  return {
    hits,
    spans,
    walk,
    isWhole: () => whole,
    rivals,
    insert(template, id) {
      const settledOnes = names(template)
      const steps = stepsOf(template, settledOnes, spelling)
      const last = settledOnes !== undefined && steps.at(-1) === settled ? steps.pop() : undefined
      const link = steps.reduce(behind, ROOT)
      const place = tree.cells[link]! + SETTLED
      if (last !== undefined && tree.cells[place] === 0) tree.cells[place] = -id - 1
      else {
        const node = nodeAt(last === undefined ? link : settledOf(tree, link))
        setEnds(tree, node, [...endsOf(tree, node), id])
      }
      return settledOnes
    },
    remove(template, id) {
      const node = nodeAt(stepsOf(template, names(template), spelling).reduce(behind, ROOT))
      setEnds(
        tree,
        node,
        endsOf(tree, node).filter((each) => each !== id),
      )
    },
  }
}
