import type { Template } from '@truename/uri-codec'
import { runEnd, TAKE, unitSize, unreserved, without } from './characters.ts'
import { pathOf, plainText, SETTLED_CODE, type Spelling, type Step } from './index-steps.ts'
import { childOf, createTree, EXTRA, type OpenEdge, ROOT, sizeOf, textAt } from './index-tree.ts'
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
  /** The templates that the tree does not tell apart from one, and this itself: no other matches a URI that it matches. */
  rivals(template: Template): readonly number[]
}

/** Makes an index. */
export function createTemplateIndex(spelling: Spelling, maxSteps = defaultLimits.steps): TemplateIndex {
  const tree = createTree(spelling)

  /** The node that steps lead to; made where it is not there. */
  function nodeOf(steps: readonly Step[]): number {
    const link = steps.reduce((from, step) => tree.follow(from, step), ROOT)
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

  /** `depth`: how many settled expressions lead to the place, or -1 where an open edge does. */
  function push(node: number, at: number, depth: number): void {
    waiting[top] = node
    waiting[top + 1] = at
    waiting[top + 2] = depth
    top += 3
  }

  /** Visits the nodes behind edges, wherever in the text that can be. */
  function walkOpen(edges: readonly OpenEdge[], text: string, from: number): void {
    for (const { first, run, to, junction } of edges) {
      const node = tree.cells[to]!
      const row = marks.rowOf(junction, text.length)
      /** Where paths can meet again, each place is visited once. */
      const visit = (at: number): void => {
        const canStart =
          junction.edges.length > 0 ||
          (at < text.length ? childOf(tree.cells, node, text.charCodeAt(at)) !== 0 : junction.ends.length > 0)
        if (canStart && marks.isNew(row + at, VISITED)) push(node, at, -1)
      }
      let at = from
      if (first >= 0) {
        visit(at)
        if (at === text.length || text.charCodeAt(at) !== first) continue
        at += 1
      }
      // What follows a place inside a run is the same wherever the run began.
      for (let size = 1; size > 0 && marks.isNew(row + at, INSIDE); at += size) {
        size = unitSize(text, at, run)
        visit(at)
      }
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
          at = settle(text, at, depth)
          depth += 1
          node = next
          continue
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
    rivals: (template) => rivalsIn(tree, pathOf(template, spelling).steps),
    insert(template, id) {
      const { names, steps } = pathOf(template, spelling)
      tree.addEnd(nodeOf(steps), id)
      return names
    },
    remove: (template, id) => tree.removeEnd(nodeOf(pathOf(template, spelling).steps), id),
  }
}
