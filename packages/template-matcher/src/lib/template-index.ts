import type { Template } from '@truename/uri-codec'
import { canonicalText } from './canonical.ts'
import {
  type CharacterSet,
  careless,
  characterSet,
  reserved,
  runEnd,
  TAKE,
  unitSize,
  unreserved,
  without,
} from './characters.ts'
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
import { type Part, programOf } from './program.ts'
import { ignorableRun } from './query-pairs.ts'

/** A literal, an expression that ends where its run of characters ends, or another expression. */
type Step = string | typeof settled | Omit<OpenEdge, 'to'>

const settled = Symbol('settled')
/** What plain variables are written with, commas of lists included. */
const plainText = characterSet(',', unreserved)
/** What values are written with that are not decoded. */
const wholeText = without(unreserved, '%')
const queryText = characterSet('&=,', unreserved)

// Marks of places behind a node.
const VISITED = 1
/** A run of characters before it that goes on here has been seen to its end. */
const INSIDE = 2
/** Steps that the memory for one place behind a node costs. */
const stepsOfMark = 20

/** All that the text of an expression can be written with. */
function broadSet(
  part: Exclude<Part, { type: 'literal' }>,
  tolerant: boolean,
  ignoreUnknown: boolean,
): CharacterSet {
  if (part.type === 'query') return ignoreUnknown ? ignorableRun : tolerant ? careless : queryText
  if (part.reserved) return tolerant ? characterSet('?#', careless) : reserved
  return tolerant ? careless : characterSet(`,=${String.fromCharCode(part.separator)}`, unreserved)
}

// Many templates of a set name the same variables: one list for all of them stays close at hand.
const knownNames = new Map<string, readonly string[]>()

function shared(names: readonly string[]): readonly string[] {
  const key = names.join()
  const known = knownNames.get(key)
  if (known !== undefined) return known
  // As keys of objects are kept, so that setting them is no search for their text.
  const kept = names.flatMap((name) => Object.keys({ [name]: 0 }))
  if (knownNames.size > 1000) knownNames.clear()
  knownNames.set(key, kept)
  return kept
}

/**
 * The names of a template's variables where all are plain, none is repeated, and each ends at the literal after it or
 * at the end; else `undefined`. Where such a template ends and starts is all there is to know of a match.
 */
function settledNames({ nodes, variables }: Template): readonly string[] | undefined {
  const names: string[] = []
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at]!
    if (node.type === 'literal') continue
    const { name, explode, prefix } = node.variables[0]!
    if (node.operator !== '' || node.variables.length > 1 || explode || prefix !== undefined) return undefined
    const next = nodes[at + 1]
    if (next !== undefined && (next.type !== 'literal' || plainText[next.encoded.charCodeAt(0)] !== 0))
      return undefined
    names.push(name)
  }
  return names.length === variables.length && !names.includes('__proto__') ? shared(names) : undefined
}

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
export function createTemplateIndex(
  tolerant: boolean,
  ignoreUnknown: boolean,
  maxSteps = defaultLimits.steps,
): TemplateIndex {
  const tree = createTree()

  const namesOf = (template: Template): readonly string[] | undefined =>
    tolerant ? undefined : settledNames(template)

  function stepsOf(template: Template, names = namesOf(template)): Step[] {
    if (names !== undefined)
      return template.nodes.map((node) => (node.type === 'literal' ? canonicalText(node.encoded) : settled))
    const { parts } = programOf(template, tolerant)
    return parts.map((part, at) => {
      if (part.type === 'literal') return part.text
      const next = parts[at + 1]
      if (
        !tolerant &&
        part.type === 'slots' &&
        part.plain &&
        part.operator === '' &&
        (next === undefined || (next.type === 'literal' && plainText[next.text.charCodeAt(0)] === 0))
      )
        return settled
      const { first } = part
      const second = part.type === 'query' ? part.second : -1
      const shape = part.type === 'query' ? `query ${first} ${second}` : part.operator
      return { shape, first, second, run: broadSet(part, tolerant, ignoreUnknown) }
    })
  }

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
    for (const step of stepsOf(template)) {
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
      const names = namesOf(template)
      const steps = stepsOf(template, names)
      const last = names !== undefined && steps.at(-1) === settled ? steps.pop() : undefined
      const link = steps.reduce(behind, ROOT)
      const place = tree.cells[link]! + SETTLED
      if (last !== undefined && tree.cells[place] === 0) tree.cells[place] = -id - 1
      else {
        const node = tree.cells[last === undefined ? link : settledOf(tree, link)]!
        setEnds(tree, node, [...endsOf(tree, node), id])
      }
      return names
    },
    remove(template, id) {
      const node = tree.cells[stepsOf(template).reduce(behind, ROOT)]!
      setEnds(
        tree,
        node,
        endsOf(tree, node).filter((each) => each !== id),
      )
    },
  }
}
