import { type Checkpoint, makeCheckpoint } from './checkpoint.ts'
import { formatLine, hashLeafText } from './line.ts'
import { addLeaf, createFrontier, type Frontier, rootOf, type Sha256 } from './merkle.ts'
import { formatVerifierKey, type Signer } from './note.ts'
import { type HeaderEntry, schemaVersion } from './record.ts'
import type { LogStore, TreeWriter } from './store.ts'

/** The tree that a log is writing. */
export interface OpenTree {
  readonly name: string
  readonly origin: string
  readonly writer: TreeWriter
  frontier: Frontier
  /** How many records its last checkpoint covers. */
  sealed: number
}

/** The next line of a tree, from the JSON of a record behind its place. The tree grows by it. */
export function nextLine(tree: OpenTree, body: string, hash: Sha256): string {
  const leaf = `{"index":${tree.frontier.size},"tree":"${tree.name}",${body.slice(1)}`
  const node = addLeaf(tree.frontier, hashLeafText(leaf, hash), hash)
  return formatLine(leaf, node as Uint8Array)
}

/** Begins a tree, with a header that binds it to its name and its checkpoints. */
export async function openTree(
  store: LogStore,
  name: string,
  time: string,
  options: {
    readonly origin: string
    readonly signer: Signer | undefined
    readonly hash: Sha256
    readonly id: string
  },
): Promise<OpenTree> {
  const { signer, hash, id } = options
  const origin = `${options.origin}/${name}`
  const writer = await store.openTree(name)
  const tree: OpenTree = { name, origin, writer, frontier: createFrontier(), sealed: 0 }
  const header: HeaderEntry = { type: 'log', origin, ...(signer ? { key: formatVerifierKey(signer) } : {}) }
  const body = JSON.stringify({ schema: schemaVersion, id, time, ...header })
  try {
    await writer.append([nextLine(tree, body, hash)], 0)
  } catch (error) {
    await writer.close().catch(() => undefined)
    throw error
  }
  return tree
}

/** Makes a checkpoint of what was written, once that is synced: no checkpoint ever covers what can be lost. */
export async function sealTree(
  tree: OpenTree,
  signer: Signer | undefined,
  hash: Sha256,
): Promise<Checkpoint> {
  await tree.writer.sync()
  const { size } = tree.frontier
  const root = rootOf(tree.frontier, hash) as Uint8Array
  const checkpoint = await makeCheckpoint(tree.origin, size, root, signer)
  if (size > tree.sealed) await tree.writer.checkpoint(checkpoint.note)
  tree.sealed = size
  return checkpoint
}
