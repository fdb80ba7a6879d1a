import { canonicalText } from './canonical.ts'
import { runEnd, unitSize, unreserved } from './characters.ts'
import { countPoints, startCost } from './code-points.ts'
import type { Node } from './graph.ts'
import { fixedEnd } from './literal.ts'

/** A node on a path, and the text that it reads. */
export interface Place {
  readonly node: Node
  readonly from: number
  readonly to: number
  /** The place before it; `undefined` where the text starts. */
  readonly before: Place | undefined
  /** The value that was written last before it. */
  readonly value: Place | undefined
}

/** How many ways to the same place of an expression are looked at then. */
const waysBound = 64

/** A node to be entered behind a place; what it reads, once it was looked at. */
interface Entered {
  readonly node: Node
  readonly before: Place
  readonly next: readonly Node[]
  /** Where it can end that was not gone on from, the first to be tried last. */
  ends?: number[]
  /** Where the part ends with it once all is tried that can stand behind it there. */
  leaving?: number | undefined
}

/** Where a part can end, the preferred last: each place times the number of the nodes, and which of them ends there. */
interface Exits {
  readonly codes: number[]
  readonly nodes: readonly Entered[]
}

/** Whether a part takes as little as it can (convention C6). */
const isLazy = ({ part }: Node): boolean => part?.type === 'slots' && part.rule.reserved

/** The key of the member whose value stands behind a place: before its `=`, if it has one. */
function keyBefore(text: string, { node, from, to, before }: Place): string {
  return canonicalText(node.type === 'key' ? text.slice(from, to) : text.slice(before!.from, before!.to))
}

/**
 * Gives the readings of a text by a graph to `accept`, the preferred first, until it answers true. Each part is read as
 * far as it can be (`{+v}` and `{#v}` as little), and where that leads to nothing less far. What leads to nothing is not
 * looked at twice, so that the first reading is found in a number of steps that grows with the text.
 *
 * Where the first reading is not accepted, others are looked for within a bound: only such as do not contradict
 * themselves, those in the order of the template first. `accept` is asked about the first few `parts` of them too, and
 * where it answers false they are not gone on with. `repeats`: whether that can depend on how each part is read. Answers
 * whether nothing was left to look for.
 */
export function walk(
  starts: readonly Node[],
  text: string,
  repeats: boolean,
  count: (steps: number) => void,
  accept: (last: Place, parts: number, inOrder: boolean) => boolean,
  patience = 2_000_000,
): boolean {
  const end = text.length
  /** Whether there are no triplets in it, nor what should have been. */
  const isPlain = !/[^!#-$&-;=?-[\]_a-z~]/.test(text)
  let isWhole = true
  /** For each node, places that were looked at, each with the place behind it. */
  const looked = new Map<Node, Int32Array>()
  /** Code points up to each place, and with what `{+v}` keeps. */
  const counts: Int32Array[] = []
  let spent = 0
  const step = (steps: number): void => {
    spent += steps
    count(steps)
  }

  /** The row of a node where paths meet: not one of a fixed text, nor behind where a pair of a query starts. */
  function rowOf(node: Node): Int32Array | undefined {
    const { part, text: fixed } = node
    if (fixed || part?.type === 'literal' || (fixed === undefined && part?.type === 'query')) return undefined
    let row = looked.get(node)
    if (row === undefined) {
      // Memory counts as work.
      step(end * 4)
      row = new Int32Array(end + 2)
      looked.set(node, row)
    }
    return row
  }

  /** The first place from `at` on that was not looked at. */
  function skipSeen(row: Int32Array, at: number): number {
    let fresh = at
    while (row[fresh]! > 0) fresh = row[fresh]!
    for (let each = at; each !== fresh; ) {
      const next = row[each]!
      row[each] = fresh
      each = next
    }
    return fresh
  }

  /** The last place that a value which starts at `at` can reach with so many code points, by what was counted up to it. */
  function reachOf(isReserved: boolean, at: number, limit: number): { used: Int32Array; most: number } {
    const used = counts[+isReserved] ?? countPoints(isReserved, text)
    counts[+isReserved] = used
    return { used, most: used[at]! + limit + startCost(isReserved, text, at) }
  }

  /** The places where a node can end that starts at `at`; `isNew`: those that were not looked at. */
  function endsOf(node: Node, at: number, isNew: boolean): number[] {
    const { type, part, text: fixed, set, fewest = 0, limit = 0, allowed } = node
    if (fixed) {
      const to = fixedEnd(text, at, fixed, type === 'literal', isPlain)
      return to < 0 ? [] : [to]
    }
    if (allowed?.(text, at) === false) return []
    const reach = limit > 0 ? reachOf(part?.type === 'slots' && part.rule.reserved, at, limit) : undefined
    const seen = isNew ? rowOf(node) : undefined
    const ends: number[] = []
    for (let to = at; ; ) {
      if (seen !== undefined) to = skipSeen(seen, to)
      if (to > end || (reach !== undefined && reach.used[to]! > reach.most)) break
      const next = to + ((set !== undefined && unitSize(text, to, set)) || end + 1 - to)
      if (to - at >= fewest) {
        ends.push(to)
        if (seen !== undefined) seen[to] = next
      }
      to = next
    }
    if (ends.length > 1) step(ends.length * 32)
    return ends
  }

  /** Whether a value cannot stand behind a place: there is a text of its variable, a list beside a map, or that member. */
  function contradicts({ type, part, owner, form }: Node, before: Place, inOrder: boolean): boolean {
    if (type !== 'value') return false
    let hops = 0
    for (let value = before.value; value?.node.part === part && value !== undefined; value = value.value) {
      const { node } = value
      if (inOrder && hops === 0 && node.owner > owner) return true
      hops += 1
      if (hops % 32 === 0) step(1)
      if (node.owner !== owner) continue
      if (form === 'text' || form !== node.form) return true
      if (form === 'map' && keyBefore(text, value.before!) === keyBefore(text, before)) return true
    }
    return false
  }

  /** The place where an entered node ends. */
  const placeAt = ({ node, before }: Entered, to: number): Place => ({
    node,
    from: before.to,
    to,
    before,
    value: before.node.type === 'value' ? before : before.value,
  })

  /** What is entered behind a place: after a key of a query, what has that key. */
  function enter(node: Node, before: Place): Entered {
    const { to } = before
    const next = node.keyed?.get(canonicalText(text.slice(to, runEnd(text, to, unreserved)))) ?? node.next
    return { node, before, next }
  }

  /** Where a part can end that starts behind a place. */
  function exitsOf(start: Node, first: Place, claims: boolean, inOrder: boolean): Exits {
    const found: { readonly to: number; readonly node: number }[] = []
    const nodes: Entered[] = []
    const pending = [enter(start, first)]
    // Of contradictions it depends on the way to a place what can follow: then several ways are looked at, and counted.
    const ways = claims ? new Map<Node, Map<number, number>>() : undefined
    const isOpen = (node: Node, to: number): boolean => {
      if (ways === undefined) return true
      const known = ways.get(node) ?? new Map<number, number>()
      ways.set(node, known)
      const count = (known.get(to) ?? 0) + 1
      known.set(to, count)
      return count <= waysBound
    }
    while (pending.length > 0 && (!claims || spent < patience)) {
      const top = pending.at(-1)!
      const { node, before, next } = top
      if (top.ends === undefined) {
        step(1)
        // The shortest is tried first: what is last takes what is left.
        const ends = claims && contradicts(node, before, inOrder) ? [] : endsOf(node, before.to, !claims)
        top.ends = ends.reverse()
      }
      if (top.leaving !== undefined) {
        if (nodes.at(-1) !== top) nodes.push(top)
        found.push({ to: top.leaving, node: nodes.length - 1 })
        top.leaving = undefined
      }
      const to = top.ends.pop()
      if (to === undefined) pending.pop()
      if (to === undefined || !isOpen(node, to)) continue
      let place: Place | undefined
      for (let each = next.length - 1; each >= 0; each -= 1) {
        const behind = next[each]!
        if (behind.part === undefined) top.leaving = to
        else if (behind.right !== undefined || behind.text?.length !== 1 || text[to] === behind.text) {
          place ??= placeAt(top, to)
          pending.push(enter(behind, place))
        }
      }
    }
    const order = isLazy(start) ? -1 : 1
    const sorted = found.reverse().sort((left, right) => order * (left.to - right.to))
    return { codes: sorted.map(({ to, node }) => to * nodes.length + node), nodes }
  }

  /** The same where a part is a run of characters, as most are, or nothing. */
  function plainExits(start: Node, run: Node, before: Place): Exits {
    const [first] = start.next
    const opening = first === run ? undefined : placeAt(enter(first!, before), before.to + 1)
    const isOpen = opening === undefined || text[before.to] === first!.text
    const ends = isOpen ? endsOf(run, (opening ?? before).to, true) : []
    const absent = before.to * 2 + 1
    const codes = isLazy(start) ? [] : [absent]
    if (isLazy(start)) ends.reverse()
    for (const to of ends) codes.push(to * 2)
    // Where the value is empty, that is what it is taken for.
    if (isLazy(start)) codes.splice(ends.at(-1) === before.to ? -1 : codes.length, 0, absent)
    return { codes, nodes: [enter(run, opening ?? before), enter(start, before)] }
  }

  /** Looks for readings; whether one was found that was not accepted. `claims`: only such as do not contradict themselves. */
  function explore(claims: boolean, inOrder: boolean): boolean {
    /** Starts of parts that lead to no reading. */
    const hopeless = new Set<number>()
    const pending: { exits: Exits; key: number; isUseful: boolean }[] = []
    const open = (before: Place): void => {
      const key = pending.length * (end + 1) + before.to
      if (hopeless.has(key)) return
      const start = starts[pending.length]!
      const { run } = start
      // Most are at a place that was looked at.
      const seen = claims ? undefined : rowOf(start)
      if (seen !== undefined && seen[before.to]! > 0) return
      if (seen !== undefined && run !== undefined) seen[before.to] = before.to + 1
      const exits =
        run !== undefined && !claims
          ? plainExits(start, run, before)
          : exitsOf(start, before, claims, inOrder)
      pending.push({ exits, key, isUseful: false })
    }
    spent = 0
    open({ node: starts[0]!, from: 0, to: 0, before: undefined, value: undefined })
    while (pending.length > 0 && (!claims || spent < patience)) {
      step(1)
      const top = pending.at(-1)!
      const { codes, nodes } = top.exits
      const code = codes.pop()
      if (code === undefined) {
        pending.pop()
        if (top.isUseful) {
          if (pending.length > 0) pending.at(-1)!.isUseful = true
        } else if (claims) hopeless.add(top.key)
        continue
      }
      // Where no variable is repeated, one way to read a part is as good as any other.
      const to = Math.floor(code / nodes.length)
      while (!repeats && Math.floor(codes.at(-1)! / nodes.length) === to) codes.pop()
      const place = placeAt(nodes[code % nodes.length]!, to)
      const isLast = pending.length === starts.length
      if (isLast && place.to < end) continue
      if (isLast || claims) {
        // What is compared costs more the longer it is.
        step(16 + (end >> 6))
        const isAccepted = accept(place, pending.length, inOrder)
        top.isUseful ||= isLast || !isAccepted
        if (isLast && (isAccepted || !claims)) return !isAccepted
        if (isLast || !isAccepted) continue
      }
      open(place)
    }
    isWhole &&= !claims || spent < patience
    return claims
  }
  if (explore(false, true) && explore(true, true)) explore(true, false)
  return isWhole
}
