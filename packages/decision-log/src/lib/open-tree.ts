import { utf8 } from './bytes.ts'
import { type Checkpoint, makeCheckpoint } from './checkpoint.ts'
import { lineOverhead, writeIndex, writeLineEnd } from './line.ts'
import { addLeaf, createFrontier, type Frontier, rootOf, type Sha256 } from './merkle.ts'
import { formatVerifierKey, type Signer } from './note.ts'
import type { Span } from './outbox.ts'
import { escapeHidden } from './prepare.ts'
import { type HeaderEntry, schemaVersion } from './record.ts'
import type { LogStore, TreeWriter } from './store.ts'

// RFC 9162, section 2.1.1.
const leafPrefix = 0
const newline = 0x0a
const largestRoom = 4 * 1024 * 1024

/** The tree that a log is writing. */
export interface OpenTree {
  readonly name: string
  readonly origin: string
  readonly writer: TreeWriter
  frontier: Frontier
  /** Where its next lines are put together. */
  room: Uint8Array
  /** How many records its last checkpoint covers. */
  sealed: number
}

/** Room for lines; that of a large batch is not kept. */
function roomFor(tree: OpenTree, length: number): Uint8Array {
  if (length <= tree.room.length) return tree.room
  const room = new Uint8Array(length)
  if (length <= largestRoom) tree.room = room
  return room
}

/**
 * The next lines of a tree, as bytes with a newline behind each, from the JSON of records without index, tree and
 * opening brace. The tree grows by them. They are hashed where they stand, with the prefix of a leaf for a moment in the
 * place of the newline before them. The bytes are used again by the next call.
 */
export function nextLines(
  tree: OpenTree,
  bodies: Uint8Array,
  spans: readonly Span[],
  hash: Sha256,
): Uint8Array {
  const place = utf8(`,"tree":"${tree.name}",`)
  const perLine = place.length + lineOverhead + 30
  let most = 1
  for (const { start, end } of spans) most += end - start + perLine
  const bytes = roomFor(tree, most)
  let at = 1
  for (const { start: from, end } of spans) {
    const start = at
    at = writeIndex(bytes, at, tree.frontier.size)
    bytes.set(place, at)
    at += place.length
    bytes.set(bodies.subarray(from, end), at)
    at += end - from
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
  const tree: OpenTree = {
    name,
    origin,
    writer,
    frontier: createFrontier(),
    room: new Uint8Array(0),
    sealed: 0,
  }
  const header: HeaderEntry = { type: 'log', origin, ...(signer ? { key: formatVerifierKey(signer) } : {}) }
  const body = utf8(escapeHidden(JSON.stringify({ schema: schemaVersion, id, time, ...header })).slice(1))
  try {
    await writer.append(nextLines(tree, body, [{ start: 0, end: body.length }], hash), 0)
  } catch (error) {
    await writer.close().catch(() => undefined)
    throw error
  }
  return tree
}

/** What a tree is at some moment. */
export interface TreeHead {
  readonly size: number
  readonly root: Uint8Array
}

export const headOf = ({ frontier }: OpenTree, hash: Sha256): TreeHead => ({
  size: frontier.size,
  root: rootOf(frontier, hash) as Uint8Array,
})

/** Makes a checkpoint of what was written, once that is synced: no checkpoint ever covers what can be lost. */
export async function sealTree(
  tree: OpenTree,
  { size, root }: TreeHead,
  signer: Signer | undefined,
): Promise<Checkpoint> {
  await tree.writer.sync()
  const checkpoint = await makeCheckpoint(tree.origin, size, root, signer)
  if (size > tree.sealed) await tree.writer.checkpoint(checkpoint.note)
  tree.sealed = size
  return checkpoint
}
