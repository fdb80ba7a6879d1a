import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'
import { sameBytes } from './bytes.ts'

/** SHA-256 of bytes. It must not keep what it is given, which is used again. */
export interface Sha256 {
  (data: Uint8Array): Uint8Array
  /** The same in lower-case hexadecimal, where there is a shorter way to it. */
  readonly hex?: ((data: Uint8Array) => string) | undefined
}

/** SHA-256 in JavaScript, for any runtime. */
export const sha256: Sha256 = (data) => nobleSha256(data)

// What is hashed is put together here, so that hashing allocates nothing but its result.
let scratch = new Uint8Array(4096)
const pair = new Uint8Array(65)

/** Room for the data of a leaf, behind its prefix. */
export function leafScratch(length: number): Uint8Array {
  if (scratch.length <= length) scratch = new Uint8Array(2 * length + 1)
  scratch[0] = 0
  return scratch
}

/** The hash of the leaf whose data was put into `leafScratch` from position 1 on. */
export const hashScratch = (length: number, hash: Sha256): Uint8Array => hash(scratch.subarray(0, length + 1))

/** The hash of a leaf: `SHA-256(0x00 || data)` (RFC 9162, section 2.1.1). */
export function leafHash(data: Uint8Array, hash: Sha256 = sha256): Uint8Array {
  leafScratch(data.length).set(data, 1)
  return hashScratch(data.length, hash)
}

/** The hash of an inner node: `SHA-256(0x01 || left || right)` (RFC 9162, section 2.1.1). Both are 32 bytes. */
export function nodeHash(left: Uint8Array, right: Uint8Array, hash: Sha256 = sha256): Uint8Array {
  pair[0] = 1
  pair.set(left, 1)
  pair.set(right, 33)
  return hash(pair)
}

/** The root of the tree without leaves: the hash of nothing (RFC 9162, section 2.1.1). */
const emptyRoot = (hash: Sha256 = sha256): Uint8Array => hash(new Uint8Array(0))

/** The height of the largest perfect subtree that ends with the leaf at `index`: the trailing ones of `index`. */
export function completedHeight(index: number): number {
  let height = 0
  for (let rest = index; rest % 2 === 1; rest = (rest - 1) / 2) height += 1
  return height
}

/**
 * The right edge of a growing Merkle tree: the roots of its perfect subtrees, from left to right. It has at most
 * 53 nodes, however many leaves were added. A node is `undefined` where a verifier does not know it.
 */
export interface Frontier {
  size: number
  nodes: (Uint8Array | undefined)[]
  /** The nodes that the last leaf took up, lowest first. */
  taken: (Uint8Array | undefined)[]
}

export const createFrontier = (): Frontier => ({ size: 0, nodes: [], taken: [] })

export const copyFrontier = (frontier: Frontier): Frontier => ({
  size: frontier.size,
  nodes: [...frontier.nodes],
  taken: [...frontier.taken],
})

/** The frontier as it was before its last leaf. */
export const beforeLastLeaf = (frontier: Frontier): Frontier => ({
  size: frontier.size - 1,
  nodes: [...frontier.nodes.slice(0, -1), ...frontier.taken.toReversed()],
  taken: [],
})

/**
 * Adds a leaf and returns the node it completed: the root of the largest perfect subtree that ends with this
 * leaf, which for a leaf with an even index is its own hash; `undefined` where a part of it is unknown.
 */
export function addLeaf(
  frontier: Frontier,
  leaf: Uint8Array | undefined,
  hash: Sha256 = sha256,
): Uint8Array | undefined {
  let node = leaf
  frontier.taken.length = 0
  for (let height = completedHeight(frontier.size); height > 0; height -= 1) {
    const left = frontier.nodes.pop()
    frontier.taken.push(left)
    node = left === undefined || node === undefined ? undefined : nodeHash(left, node, hash)
  }
  frontier.nodes.push(node)
  frontier.size += 1
  return node
}

/** Puts another node in the place of the last one, for a verifier that goes on from a stated hash. */
export function replaceLastNode(frontier: Frontier, node: Uint8Array): void {
  frontier.nodes[frontier.nodes.length - 1] = node
}

/** Goes on as if the leaves up to `size` had been added, all of them unknown. */
export function skipLeaves(frontier: Frontier, size: number): void {
  const kept: (Uint8Array | undefined)[] = []
  const old = perfectSizes(frontier.size)
  for (const [at, subtree] of perfectSizes(size).entries()) {
    const same = kept.length === at && old[at] === subtree
    if (!same) break
    kept.push(frontier.nodes[at])
  }
  const nodes = perfectSizes(size).map((_, at) => kept[at])
  frontier.nodes = nodes
  frontier.taken = []
  frontier.size = size
}

/** The sizes of the perfect subtrees at the right edge of a tree, from left to right. */
function perfectSizes(size: number): readonly number[] {
  const sizes: number[] = []
  let rest = size
  for (let bit = 2 ** 52; bit >= 1; bit /= 2) {
    if (rest < bit) continue
    sizes.push(bit)
    rest -= bit
  }
  return sizes
}

/** The Merkle tree hash of all leaves so far, or `undefined` where a part of it is unknown. */
export function rootOf(frontier: Frontier, hash: Sha256 = sha256): Uint8Array | undefined {
  if (frontier.size === 0) return emptyRoot(hash)
  let root = frontier.nodes.at(-1)
  for (let at = frontier.nodes.length - 2; at >= 0; at -= 1) {
    const left = frontier.nodes[at]
    if (left === undefined || root === undefined) return undefined
    root = nodeHash(left, root, hash)
  }
  return root
}

/** The Merkle tree hash of a list of leaf hashes (RFC 9162, section 2.1.1). */
export function treeRoot(leaves: Iterable<Uint8Array>, hash: Sha256 = sha256): Uint8Array {
  const frontier = createFrontier()
  for (const leaf of leaves) addLeaf(frontier, leaf, hash)
  return rootOf(frontier, hash) as Uint8Array
}

export const sameHash = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && sameBytes(a, b)
