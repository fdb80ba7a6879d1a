import { toBase64, utf8 } from '../bytes.ts'
import type { Json } from '../json.ts'
import { lineBytes } from '../line.ts'
import { createDecisionLog } from '../log.ts'
import type { DecisionLogOptions } from '../log-options.ts'
import { memoryStore } from '../memory-store.ts'
import { addLeaf, createFrontier, leafHash } from '../merkle.ts'
import type { LogStore } from '../store.ts'
import { decision, steppingClock } from './entries.ts'

/** A tree as somebody with access to the store sees it, and can change it. */
export interface Plain {
  readonly tree: string
  readonly lines: readonly string[]
  readonly checkpoints: readonly string[]
}

/** A store that holds these lines, whatever they are. */
export function plainStore(...trees: readonly Plain[]): LogStore {
  const find = (tree: string): Plain | undefined => trees.find((item) => item.tree === tree)
  return {
    openTree: () => Promise.reject(new Error('This store is for reading.')),
    trees: async () => trees.map(({ tree }) => tree),
    async *read(tree) {
      const lines = (find(tree)?.lines ?? []).map(lineBytes)
      yield { segment: 'plain', firstLine: 1, lines }
    },
    checkpoints: async (tree) => find(tree)?.checkpoints ?? [],
    close: async () => {},
  }
}

/** A tree with so many records, the header included, and the checkpoints that were asked for on the way. */
export async function writeTree(
  records: number,
  options: Omit<DecisionLogOptions, 'store'> & { readonly checkpointAt?: readonly number[] } = {},
): Promise<Plain> {
  const store = memoryStore()
  const log = createDecisionLog({ clock: steppingClock(), checkpoints: false, ...options, store })
  for (let at = 1; at < records; at += 1) {
    await log.append(decision(`call-${at}`))
    if (options.checkpointAt?.includes(at + 1)) await log.checkpoint()
  }
  const [tree = ''] = await store.trees()
  const lines: string[] = []
  for await (const batch of store.read(tree))
    lines.push(...batch.lines.map((line) => Buffer.from(line).toString()))
  return { tree, lines, checkpoints: await store.checkpoints(tree) }
}

/** A line as the log writes it. */
export const formatLine = (leaf: string, node: Uint8Array): string =>
  `${leaf.slice(0, -1)},"hash":"${toBase64(node)}"}`

/** Makes a tree anew from records, with hashes that agree with each other: the best that a forger without the key can do. */
export function forge(
  lines: readonly string[],
  change: (record: Record<string, Json>, index: number) => Json,
): string[] {
  const frontier = createFrontier()
  return lines.map((line, index) => {
    const { hash: _hash, ...record } = JSON.parse(line) as Record<string, Json>
    const leaf = JSON.stringify({ ...(change(record, index) as object), index })
    const ordered = JSON.stringify({ index, ...JSON.parse(leaf) })
    return formatLine(ordered, addLeaf(frontier, leafHash(utf8(ordered))) as Uint8Array)
  })
}
