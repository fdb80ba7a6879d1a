import type { Template } from '@truename/uri-codec'
import { type CharacterSet, runEnd, TAKE, unitSize, unreserved, without } from './characters.ts'
import { plainText, type Spelling, type Step, settledNames, stepsOf } from './index-steps.ts'
import {
  childOf,
  createTree,
  EXTRA,
  endsOf,
  follow,
  type Junction,
  junctionFor,
  type OpenEdge,
  openOf,
  ROOT,
  SETTLED,
  SETTLED_CODE,
  setEnds,
  sizeOf,
  textAt,
} from './index-tree.ts'
import { defaultLimits } from './limits.ts'
import { createMarks, INSIDE, VISITED } from './marks.ts'
import { rivalsIn } from './rivals.ts'

/** What values are written with that are not decoded. */
const wholeText = without(unreserved, '%')

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

  /** From link to link. */
  function behind(link: number, step: Step): number {
    const isText = typeof step === 'string'
    const to = isText ? follow(tree, link, step) : openOf(tree, link, step)
    // Several paths may lead there.
    if (!isText || step === SETTLED) junctionFor(tree, tree.cells[to]!)
    return to
  }

  /** The node that a template ends at; made where it is not there. */
  function nodeOf(template: Template, settledOnes: readonly string[] | undefined): number {
    const link = stepsOf(template, settledOnes, spelling).reduce(behind, ROOT)
    // Only now, as making the link may replace the cells.
    return tree.cells[link]!
  }

  /** The places that are still to be looked at, three numbers for each; kept between walks. */
  const waiting: number[] = []
  const path: number[] = []
  const spans: number[] = []
  const hits: number[] = []
  let top = 0
  let whole = true
  const marks = createMarks(maxSteps)

  /** `depth`: how many settled expressions lead to the place, or -1 where another expression does. */
  function push(node: number, at: number, depth: number): void {
    waiting[top] = node
    waiting[top + 1] = at
    waiting[top + 2] = depth
    top += 3
  }

  /** Where paths can meet again, each place is visited once. */
  function pushOnce(node: number, { edges, ends }: Junction, at: number, mark: number, text: string): void {
    const { cells } = tree
    const canStart =
      edges.length > 0 ||
      childOf(cells, node, SETTLED_CODE) !== 0 ||
      (at < text.length ? childOf(cells, node, text.charCodeAt(at)) !== 0 : ends.length > 0)
    if (canStart && marks.isNew(mark, VISITED)) push(node, at, -1)
  }

  /** Visits the node at the end of a run of characters, or anywhere in it. */
  function spread(node: number, run: CharacterSet, from: number, text: string, anywhere: boolean): void {
    const junction = tree.junctions[-tree.cells[node + EXTRA]!]!
    const row = marks.rowOf(junction, text.length)
    let at = from
    // What follows a place inside a run is the same wherever the run began.
    for (let size = 1; size > 0 && marks.isNew(row + at, INSIDE); at += size) {
      size = unitSize(text, at, run)
      if (anywhere || size === 0) pushOnce(node, junction, at, row + at, text)
    }
  }

  function walkOpen(edges: readonly OpenEdge[], text: string, at: number): void {
    for (const { run, first, second, to } of edges) {
      const node = tree.cells[to]!
      const junction = tree.junctions[-tree.cells[node + EXTRA]!]!
      const code = at < text.length ? text.charCodeAt(at) : -1
      pushOnce(node, junction, at, marks.rowOf(junction, text.length) + at, text)
      if (first < 0) spread(node, run, at, text, true)
      else if (code === first || code === second) spread(node, run, at + 1, text, true)
    }
  }

  /** Takes down what ends at a node; answers how many hits there are then. */
  function hit(end: number, before: number, depth: number): number {
    if (before === 0) for (let each = 0; each < depth * 2; each += 1) spans[each] = path[each]!
    if (end > 0) {
      hits[before] = end - 1
      return before + 1
    }
    let count = before
    for (const each of tree.junctions[-end]!.ends) hits[count++] = each
    return count
  }

  /** Takes down where an expression stands that ends with its run of characters, and answers where that is. */
  function settle(text: string, from: number, depth: number): number {
    let at = from
    while (at < text.length && wholeText[text.charCodeAt(at)] === TAKE) at += 1
    if (at < text.length && plainText[text.charCodeAt(at)]! > 0) {
      whole = false
      at = runEnd(text, at, plainText)
    }
    path[depth * 2] = from
    path[depth * 2 + 1] = at
    return at
  }

  function walk(text: string): number {
    const { cells, bytes } = tree
    const { length } = text
    let count = 0
    let node = cells[ROOT]!
    let at = 0
    let depth = 0
    top = 0
    whole = true
    marks.clear()
    for (;;) {
      const head = cells[node]!
      let place = textAt(node, head)
      const end = place + sizeOf(head)
      while (place < end) {
        const code = bytes[place]!
        // Never behind an open edge.
        if (code === SETTLED_CODE) {
          at = settle(text, at, depth)
          depth += 1
        } else if (at < length && text.charCodeAt(at) === code) at += 1
        else break
        place += 1
      }
      if (place === end) {
        const extra = cells[node + EXTRA]!
        if (extra !== 0) {
          if (at === length) count = hit(extra, count, depth)
          if (extra < 0) walkOpen(tree.junctions[-extra]!.edges, text, at)
        }
        const code = at < length ? text.charCodeAt(at) : -1
        const child = code === SETTLED_CODE ? 0 : childOf(cells, node, code)
        const next = childOf(cells, node, SETTLED_CODE)
        if (next === 0) {
          if (child !== 0) {
            node = child
            at += 1
            continue
          }
        } else {
          if (child !== 0) push(child, at + 1, depth)
          if (depth < 0) spread(next, plainText, at, text, false)
          else {
            at = settle(text, at, depth)
            depth += 1
            node = next
            continue
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

  return {
    hits,
    spans,
    walk,
    isWhole: () => whole,
    rivals: (template, id) => rivalsIn(tree, stepsOf(template, names(template), spelling), id),
    insert(template, id) {
      const settledOnes = names(template)
      const node = nodeOf(template, settledOnes)
      setEnds(tree, node, [...endsOf(tree, node), id])
      return settledOnes
    },
    remove(template, id) {
      const node = nodeOf(template, names(template))
      setEnds(
        tree,
        node,
        endsOf(tree, node).filter((each) => each !== id),
      )
    },
  }
}
