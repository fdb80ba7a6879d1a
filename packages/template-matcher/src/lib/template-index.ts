import type { Template } from '@truename/uri-codec'
import { canonicalText } from './canonical.ts'
import {
  type CharacterSet,
  careless,
  characterSet,
  reserved,
  runEnd,
  unitSize,
  unreserved,
} from './characters.ts'
import {
  childOf,
  createNode,
  type ExpressionEdge,
  edgesOf,
  endsOf,
  follow,
  type IndexNode,
  nodesBehind,
  setEnds,
} from './index-node.ts'
import { type Part, programOf } from './program.ts'
import { ignorableRun } from './query-pairs.ts'

type Step =
  | { readonly text: string }
  | {
      readonly shape: string
      readonly first: number
      readonly second: number
      readonly run: CharacterSet
      readonly settled: boolean
    }

/** What plain variables are written with, commas of lists included. */
const plainText = characterSet(',', unreserved)
const queryText = characterSet('&=,', unreserved)
const settledStep: Step = { shape: 'settled', first: -1, second: -1, run: plainText, settled: true }

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

const knownNames = new Map<string, readonly string[]>()

/**
 * The names of a template's variables where all are plain, none is repeated, and each ends at the literal after it or
 * at the end; else `undefined`. Where such a template ends and starts is all there is to know of a match.
 */
export function settledNames({ nodes, variables }: Template): readonly string[] | undefined {
  const names: string[] = []
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at]!
    if (node.type === 'literal') continue
    const [variable] = node.variables
    if (
      node.operator !== '' ||
      node.variables.length > 1 ||
      variable!.explode ||
      variable!.prefix !== undefined
    )
      return undefined
    const next = nodes[at + 1]
    if (next !== undefined && (next.type !== 'literal' || plainText[next.encoded.charCodeAt(0)] !== 0))
      return undefined
    names.push(variable!.name)
  }
  if (names.length !== variables.length) return undefined
  // Many templates of a set name the same variables: one list for all of them stays close at hand.
  const key = names.join(',')
  const known = knownNames.get(key)
  if (known !== undefined) return known
  if (knownNames.size > 1000) knownNames.clear()
  knownNames.set(key, names)
  return names
}

/**
 * Many templates in one tree: literals as in a radix tree, and one edge for each shape of expression, whatever its
 * variables are called. What a walk finds is left in `hits` until the next walk.
 */
export interface TemplateIndex<E> {
  insert(template: Template, entry: E): void
  remove(template: Template, entry: E): void
  /**
   * Finds every entry whose template can match the text, some more than once, and answers how many. Entries whose
   * template is settled match; others have to be matched by themselves.
   */
  walk(text: string): number
  readonly hits: readonly E[]
  /** Start and end of each expression of the first hit, if its template is settled. */
  readonly spans: readonly number[]
  /** The entries that the tree does not tell apart from one: all others match no URI that it matches. */
  rivals(template: Template, entry: E): readonly E[]
}

/** Makes an index. */
export function createTemplateIndex<E>(options: {
  readonly tolerant: boolean
  readonly ignoreUnknown: boolean
}): TemplateIndex<E> {
  const { tolerant, ignoreUnknown } = options
  const root = createNode<E>('')

  function* stepsOf(template: Template): Generator<Step> {
    if (!tolerant && settledNames(template) !== undefined) {
      for (const node of template.nodes)
        yield node.type === 'literal' ? { text: canonicalText(node.encoded) } : settledStep
      return
    }
    const { parts } = programOf(template, tolerant)
    for (const [at, part] of parts.entries()) {
      const next = parts[at + 1]
      if (part.type === 'literal') yield part
      else if (
        !tolerant &&
        part.type === 'slots' &&
        part.plain &&
        part.operator === '' &&
        (next === undefined || (next.type === 'literal' && plainText[next.text.charCodeAt(0)] === 0))
      )
        yield settledStep
      else {
        const { first } = part
        const second = part.type === 'query' ? part.second : -1
        const shape = part.type === 'query' ? `query ${first} ${second}` : part.operator
        yield { shape, first, second, run: broadSet(part, tolerant, ignoreUnknown), settled: false }
      }
    }
  }

  function place(template: Template): IndexNode<E> {
    let node = root
    for (const step of stepsOf(template)) {
      if ('text' in step) {
        node = follow(node, step.text)
        continue
      }
      let edge = edgesOf(node).find(({ shape }) => shape === step.shape)
      if (edge === undefined) {
        edge = { ...step, to: createNode<E>(''), next: node.edge }
        node.edge = edge
      }
      node = edge.to
    }
    return node
  }

  // The places that are still to be looked at; kept between walks.
  const nodes: IndexNode<E>[] = []
  const places: number[] = []
  /** How many settled expressions lead to a place, or -1 where another expression does. */
  const depths: number[] = []
  /** Where the expression that ends at a place starts, or -1 where a literal leads to it. */
  const starts: number[] = []
  const path: number[] = []
  const spans: number[] = []
  const hits: E[] = []
  let top = 0
  let seen: Map<IndexNode<E>, Uint8Array> | undefined

  function push(node: IndexNode<E>, at: number, depth: number, start: number): void {
    nodes[top] = node
    places[top] = at
    depths[top] = depth
    starts[top] = start
    top += 1
  }

  /** Where paths can meet again, each place is visited once. */
  function pushOnce(node: IndexNode<E>, at: number, text: string): void {
    const canStart =
      (at === text.length && node.end !== undefined) ||
      node.edge !== undefined ||
      childOf(node, text.charCodeAt(at)) !== undefined
    if (!canStart) return
    seen ??= new Map()
    let row = seen.get(node)
    if (row === undefined) {
      row = new Uint8Array(text.length + 1)
      seen.set(node, row)
    }
    if (row[at] === 1) return
    row[at] = 1
    push(node, at, -1, -1)
  }

  function walkEdges(node: IndexNode<E>, text: string, at: number, depth: number): void {
    for (let edge: ExpressionEdge<E> | undefined = node.edge; edge !== undefined; edge = edge.next) {
      const { settled, run, first, second, to } = edge
      if (settled) {
        const end = runEnd(text, at, run)
        if (depth < 0) pushOnce(to, end, text)
        else push(to, end, depth + 1, at)
        continue
      }
      pushOnce(to, at, text)
      const code = text.charCodeAt(at)
      if (first >= 0 && code !== first && code !== second) continue
      let end = first < 0 ? at : at + 1
      pushOnce(to, end, text)
      for (let size = unitSize(text, end, run); size > 0; size = unitSize(text, end, run)) {
        end += size
        pushOnce(to, end, text)
      }
    }
  }

  function walk(text: string): number {
    let count = 0
    seen = undefined
    top = 0
    push(root, 0, 0, -1)
    while (top > 0) {
      top -= 1
      const node = nodes[top]!
      const depth = depths[top]!
      const start = starts[top]!
      let at = places[top]!
      if (start >= 0) {
        path[depth * 2 - 2] = start
        path[depth * 2 - 1] = at
      }
      const { size } = node
      if (size > 0) {
        if (size > 1) {
          // The first character is known to be the same. Faster than `startsWith` for texts as short as these.
          const literal = node.text
          let same = 1
          while (same < size && text.charCodeAt(at + same) === literal.charCodeAt(same)) same += 1
          if (same < size) continue
        }
        at += size
      }
      if (at === text.length && node.end !== undefined) {
        if (count === 0) for (let each = 0; each < depth * 2; each += 1) spans[each] = path[each]!
        hits[count++] = node.end
        for (const each of node.moreEnds) hits[count++] = each
      }
      if (node.edge !== undefined) walkEdges(node, text, at, depth)
      if (at === text.length) continue
      const child = childOf(node, text.charCodeAt(at))
      if (child !== undefined) push(child, at, depth, -1)
    }
    return count
  }

  function rivals(template: Template, entry: E): E[] {
    const found: E[] = []
    const below = (from: readonly IndexNode<E>[]): void => {
      const waiting = [...from]
      for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
        for (const each of endsOf(node)) if (each !== entry) found.push(each)
        waiting.push(...nodesBehind(node))
      }
    }
    let node = root
    for (const step of stepsOf(template)) {
      if ('text' in step) {
        node = follow(node, step.text, (passed) => below(edgesOf(passed).map(({ to }) => to)))
        continue
      }
      const edge = edgesOf(node).find(({ shape }) => shape === step.shape)!
      for (const each of endsOf(node)) if (each !== entry) found.push(each)
      below(nodesBehind(node).filter((each) => each !== edge.to))
      if (!edge.settled) {
        // Behind an expression that can end in several places the same text may stand for anything.
        below([edge.to])
        return found
      }
      node = edge.to
    }
    for (const each of endsOf(node)) if (each !== entry) found.push(each)
    below(edgesOf(node).map(({ to }) => to))
    return found
  }

  return {
    hits,
    spans,
    walk,
    rivals,
    insert(template, entry) {
      const node = place(template)
      setEnds(node, [...endsOf(node), entry])
    },
    remove(template, entry) {
      const node = place(template)
      setEnds(
        node,
        endsOf(node).filter((each) => each !== entry),
      )
    },
  }
}
