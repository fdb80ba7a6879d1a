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
  SETTLED,
  SIZE,
  setEnds,
  settledOf,
  TEXT,
} from './index-tree.ts'
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

/** How a place was reached: somehow, or inside the run of characters of an open edge. */
const REACHED = 1
const INSIDE = 2

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
let lastNames: readonly string[] = []

function shared(names: readonly string[]): readonly string[] {
  if (names.length === lastNames.length && names.every((name, at) => name === lastNames[at])) return lastNames
  const key = names.join()
  let known = knownNames.get(key)
  if (known === undefined) {
    // As keys of objects are kept, so that setting them is no search for their text.
    known = names.flatMap((name) => Object.keys({ [name]: 0 }))
    if (knownNames.size > 1000) knownNames.clear()
    knownNames.set(key, known)
  }
  lastNames = known
  return known
}

/**
 * The names of a template's variables where all are plain, none is repeated, and each ends at the literal after it or
 * at the end; else `undefined`. Where such a template ends and starts is all there is to know of a match.
 */
export function settledNames({ nodes, variables }: Template): readonly string[] | undefined {
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
  insert(template: Template, id: number): void
  remove(template: Template, id: number): void
  /**
   * Finds every template that can match the text, some more than once, and answers how many. Those that are settled
   * match; others have to be matched by themselves.
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
export function createTemplateIndex(tolerant: boolean, ignoreUnknown: boolean): TemplateIndex {
  const tree = createTree()

  function stepsOf(template: Template): Step[] {
    if (!tolerant && settledNames(template) !== undefined)
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

  const behind = (node: number, step: Step): number =>
    typeof step === 'string'
      ? follow(tree, node, step)
      : step === settled
        ? settledOf(tree, node)
        : openOf(tree, node, step)

  /** The places that are still to be looked at, three numbers for each; kept between walks. */
  const waiting: number[] = []
  const path: number[] = []
  const spans: number[] = []
  const hits: number[] = []
  let top = 0
  let whole = true
  let seen: Map<number, Uint8Array> | undefined
  let runEnds: Int32Array | undefined

  /** `depth`: how many settled expressions lead to the place, or -1 where another expression does. */
  function push(node: number, at: number, depth: number): void {
    waiting[top] = node
    waiting[top + 1] = at
    waiting[top + 2] = depth
    top += 3
  }

  /** How each place behind a node was reached: 0 not yet, {@link REACHED}, or {@link INSIDE}. */
  function rowOf(node: number, text: string): Uint8Array {
    seen ??= new Map()
    let row = seen.get(node)
    if (row === undefined) {
      row = new Uint8Array(text.length + 1)
      seen.set(node, row)
    }
    return row
  }

  /** Where paths can meet again, each place is visited once. */
  function pushOnce(row: Uint8Array, node: number, at: number, text: string, how: number): void {
    const before = row[at]!
    if (before < how) row[at] = how
    if (before > 0) return
    const { cells } = tree
    const canStart =
      (at === text.length && cells[node + END] !== 0) ||
      cells[node + SETTLED] !== 0 ||
      cells[node + OPEN] !== 0 ||
      (at < text.length && childOf(cells, node, text.charCodeAt(at)) !== 0)
    if (canStart) push(node, at, -1)
  }

  function walkOpen(edges: readonly OpenEdge[], text: string, at: number): void {
    for (const { run, first, second, to } of edges) {
      const row = rowOf(to, text)
      pushOnce(row, to, at, text, REACHED)
      const code = at < text.length ? text.charCodeAt(at) : -1
      if (first >= 0 && code !== first && code !== second) continue
      let end = first < 0 ? at : at + 1
      // What follows a place inside a run is the same wherever the run began.
      for (let size = 1; size > 0 && row[end] !== INSIDE; end += size) {
        pushOnce(row, to, end, text, INSIDE)
        size = unitSize(text, end, run)
      }
    }
  }

  /** {@link runEnd} for places that many paths lead to: each character is looked at a fixed number of times. */
  function knownRunEnd(text: string, from: number): number {
    runEnds ??= new Int32Array(text.length + 1)
    let at = from
    while (runEnds[at] === 0) {
      const size = unitSize(text, at, plainText)
      runEnds[at] = size === 0 ? at + 1 : -size
      at += size
    }
    // The end, plus 1, is filled in for all that was passed.
    const end = runEnds[at]!
    for (let each = from; each < at; ) {
      const size = -runEnds[each]!
      runEnds[each] = end
      each += size
    }
    return end - 1
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
    const { cells } = tree
    const { length } = text
    let count = 0
    let node = 0
    let at = 0
    let depth = 0
    top = 0
    whole = true
    seen = undefined
    runEnds = undefined
    for (;;) {
      const size = cells[node + SIZE]!
      let goesOn = at + size <= length
      if (goesOn && size > 1) {
        // The first character is known to be the same.
        const literal = cells[node + TEXT]!
        let same = 1
        while (same < size && text.charCodeAt(at + same) === cells[literal + same]) same += 1
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
          if (depth < 0) at = knownRunEnd(text, at)
          else {
            path[depth * 2] = at
            while (at < length && wholeText[text.charCodeAt(at)] === TAKE) at += 1
            if (at < length && plainText[text.charCodeAt(at)]! > 0) {
              whole = false
              at = runEnd(text, at, plainText)
            }
            path[depth * 2 + 1] = at
            depth += 1
          }
          if (next < 0) {
            if (at === length) count = hit(next, count, depth)
          } else if (depth < 0) pushOnce(rowOf(next, text), next, at, text, REACHED)
          else {
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
    let node = 0
    for (const step of stepsOf(template)) {
      if (typeof step === 'string') {
        node = follow(tree, node, step, (passed) => below(behindEdges(tree, passed)))
        continue
      }
      const to = step === settled ? tree.cells[node + SETTLED]! : openOf(tree, node, step)
      at(node)
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
      let node = 0
      const steps = stepsOf(template)
      for (const [at, step] of steps.entries()) {
        if (step === settled && at + 1 === steps.length && tree.cells[node + SETTLED] === 0) {
          tree.cells[node + SETTLED] = -id - 1
          return
        }
        node = behind(node, step)
      }
      setEnds(tree, node, [...endsOf(tree, node), id])
    },
    remove(template, id) {
      const node = stepsOf(template).reduce(behind, 0)
      setEnds(
        tree,
        node,
        endsOf(tree, node).filter((each) => each !== id),
      )
    },
  }
}
