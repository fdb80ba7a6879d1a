import { utf8Into } from './bytes.ts'
import { type Checkpoint, makeCheckpoint } from './checkpoint.ts'
import { lineOverhead, writeLineEnd } from './line.ts'
import { addLeaf, createFrontier, type Frontier, rootOf, type Sha256 } from './merkle.ts'
import { formatVerifierKey, type Signer } from './note.ts'
import { type HeaderEntry, schemaVersion } from './record.ts'
import type { LogStore, TreeWriter } from './store.ts'

// RFC 9162, section 2.1.1.
const leafPrefix = 0
const newline = 0x0a

/** The tree that a log is writing. */
export interface OpenTree {
  readonly name: string
  readonly origin: string
  readonly writer: TreeWriter
  frontier: Frontier
  /** How many records its last checkpoint covers. */
  sealed: number
}

/**
 * The next lines of a tree, as bytes with a newline behind each, from the JSON of records without index, tree and
 * opening brace. The tree grows by them. Each text is turned into bytes once: they are hashed where they stand, with
 * the prefix of a leaf for a moment in the place of the newline before them.
 */
export function nextLines(tree: OpenTree, bodies: readonly string[], hash: Sha256): Uint8Array {
  const place = `,"tree":"${tree.name}",`
  const perLine = place.length + lineOverhead + 30
  // Three bytes are the most that one UTF-16 unit takes.
  const bytes = new Uint8Array(1 + bodies.reduce((sum, body) => sum + 3 * body.length + perLine, 0))
  let at = 1
  for (const body of bodies) {
    const start = at
    at += utf8Into(`{"index":${tree.frontier.size}${place}`, bytes, at)
    at += utf8Into(body, bytes, at)
    bytes[start - 1] = leafPrefix
    const leaf = hash(bytes.subarray(start - 1, at))
    bytes[start - 1] = newline
    at = writeLineEnd(bytes, at - 1, addLeaf(tree.frontier, leaf, hash) as Uint8Array)
  }
  return bytes.subarray(1, at)
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
  const body = JSON.stringify({ schema: schemaVersion, id, time, ...header }).slice(1)
  try {
    await writer.append(nextLines(tree, [body], hash), 0)
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
