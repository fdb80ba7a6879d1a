import { DecisionLogError } from './errors.ts'
import { leafHashOf, splitLine } from './line.ts'
import { addLeaf, createFrontier, type Frontier, rootOf, type Sha256, sha256 } from './merkle.ts'
import { consistencyPath, inclusionPath } from './proof.ts'
import type { LogStore } from './store.ts'

/** Shows that a record is in a tree; `verifyInclusion` checks it. */
export interface InclusionProof {
  readonly tree: string
  readonly index: number
  readonly size: number
  /** The hash of the record's leaf. */
  readonly leaf: Uint8Array
  readonly path: readonly Uint8Array[]
  readonly root: Uint8Array
}

/** Shows that a tree was only added to; `verifyConsistency` checks it. */
export interface ConsistencyProof {
  readonly tree: string
  readonly from: { readonly size: number; readonly root: Uint8Array }
  readonly to: { readonly size: number; readonly root: Uint8Array }
  readonly path: readonly Uint8Array[]
}

type Range = readonly [start: number, end: number]

interface Hashed {
  readonly roots: readonly Uint8Array[]
  readonly size: number
}

const roots = (frontiers: readonly Frontier[], hash: Sha256): readonly Uint8Array[] =>
  frontiers.map((frontier) => rootOf(frontier, hash) as Uint8Array)

/** Reads a tree once, and hashes the leaves of each range. */
async function hashRanges(
  store: LogStore,
  tree: string,
  ranges: readonly Range[],
  hash: Sha256,
): Promise<Hashed> {
  const frontiers = ranges.map(() => createFrontier())
  const end = Math.max(...ranges.map(([, last]) => last))
  let size = 0
  const reading = store.read(tree)[Symbol.asyncIterator]()
  try {
    for (let batch = await reading.next(); !batch.done && size < end; batch = await reading.next()) {
      for (const line of batch.value.lines) {
        if (size >= end) break
        const parts = splitLine(line)
        if (parts?.index !== size)
          throw new DecisionLogError(
            'bad-record',
            `Line ${batch.value.firstLine} and following of ${batch.value.segment} do not hold record ${size}: verify the log first.`,
            { tree, index: size, segment: batch.value.segment },
          )
        const leaf = leafHashOf(line, parts, hash)
        for (const [at, [first, last]] of ranges.entries())
          if (first <= size && size < last) addLeaf(frontiers[at] as Frontier, leaf, hash)
        size += 1
      }
    }
  } finally {
    await reading.return?.()
  }
  if (size === 0) throw new DecisionLogError('unknown-tree', `There is no tree ${tree}.`, { tree })
  return { roots: roots(frontiers, hash), size }
}

async function sizeOf(store: LogStore, tree: string): Promise<number> {
  let size = 0
  for await (const batch of store.read(tree)) size += batch.lines.length
  return size
}

const outOfRange = (what: string, evidence: Readonly<Record<string, unknown>>): DecisionLogError =>
  new DecisionLogError('out-of-range', what, evidence)

/**
 * Proves that a record is in its tree (RFC 9162, section 2.1.3), as the tree was at `size`; by default as it is.
 * @throws DecisionLogError `unknown-tree`, `out-of-range`, `bad-record`
 */
export async function proveInclusion(
  store: LogStore,
  place: { readonly tree: string; readonly index: number },
  size?: number,
): Promise<InclusionProof> {
  const { tree, index } = place
  const whole = size ?? (await sizeOf(store, tree))
  if (whole === 0) throw new DecisionLogError('unknown-tree', `There is no tree ${tree}.`, { tree })
  if (!Number.isSafeInteger(index) || index < 0 || index >= whole)
    throw outOfRange(`A tree of ${whole} records has no record ${index}.`, { tree, index, size: whole })
  const hash = store.sha256 ?? sha256
  const ranges: readonly Range[] = [[0, whole], [index, index + 1], ...inclusionPath(index, whole)]
  const { roots: hashes, size: read } = await hashRanges(store, tree, ranges, hash)
  if (read < whole) throw outOfRange(`The tree has ${read} records, not ${whole}.`, { tree, size: read })
  const [root, leaf, ...path] = hashes as [Uint8Array, Uint8Array, ...Uint8Array[]]
  return { tree, index, size: whole, leaf, path, root }
}

/**
 * Proves that what was the tree at size `from` is the beginning of what it was at size `to` (RFC 9162, section
 * 2.1.4); by default of what it is.
 * @throws DecisionLogError `unknown-tree`, `out-of-range`, `bad-record`
 */
export async function proveConsistency(
  store: LogStore,
  tree: string,
  from: number,
  to?: number,
): Promise<ConsistencyProof> {
  const whole = to ?? (await sizeOf(store, tree))
  if (whole === 0) throw new DecisionLogError('unknown-tree', `There is no tree ${tree}.`, { tree })
  if (!Number.isSafeInteger(from) || from < 0 || from > whole)
    throw outOfRange(`A tree of ${whole} records never was one of ${from}.`, { tree, from, to: whole })
  const hash = store.sha256 ?? sha256
  const ranges: readonly Range[] = [[0, from], [0, whole], ...consistencyPath(from, whole)]
  const { roots: hashes, size: read } = await hashRanges(store, tree, ranges, hash)
  if (read < whole) throw outOfRange(`The tree has ${read} records, not ${whole}.`, { tree, size: read })
  const [old, root, ...path] = hashes as [Uint8Array, Uint8Array, ...Uint8Array[]]
  return { tree, from: { size: from, root: old }, to: { size: whole, root }, path }
}
