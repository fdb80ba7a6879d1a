import { nodeHash, type Sha256, sameHash, sha256 } from './merkle.ts'

// The largest power of two that is smaller than a number above 1 (RFC 9162, section 2.1.1).
function split(size: number): number {
  let power = 1
  while (power * 2 < size) power *= 2
  return power
}

/** The subtrees whose hashes prove that a leaf is in a tree (RFC 9162, section 2.1.3.1), deepest first. */
export function inclusionPath(
  index: number,
  size: number,
): readonly (readonly [start: number, end: number])[] {
  const path: (readonly [number, number])[] = []
  let start = 0
  let end = size
  while (end - start > 1) {
    const middle = start + split(end - start)
    if (index < middle) {
      path.push([middle, end])
      end = middle
    } else {
      path.push([start, middle])
      start = middle
    }
  }
  return path.reverse()
}

/** The subtrees whose hashes prove that one tree is the beginning of another (RFC 9162, section 2.1.4.1). */
export function consistencyPath(
  from: number,
  to: number,
): readonly (readonly [start: number, end: number])[] {
  if (from === 0 || from === to) return []
  const path: (readonly [number, number])[] = []
  let start = 0
  let end = to
  let whole = true
  while (from < end) {
    const middle = start + split(end - start)
    if (from <= middle) {
      path.push([middle, end])
      end = middle
    } else {
      path.push([start, middle])
      start = middle
      whole = false
    }
  }
  if (!whole) path.push([start, end])
  return path.reverse()
}

/** Whether a leaf is in the tree with this root (RFC 9162, section 2.1.3.2). */
export function verifyInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
  root: Uint8Array,
  hash: Sha256 = sha256,
): boolean {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false
  let at = index
  let last = size - 1
  let node = leaf
  for (const sibling of proof) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      node = nodeHash(sibling, node, hash)
      while (at % 2 === 0 && at !== 0) {
        at /= 2
        last = Math.floor(last / 2)
      }
    } else node = nodeHash(node, sibling, hash)
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && sameHash(node, root)
}

/** Whether the tree of the first root is the beginning of the tree of the second (RFC 9162, section 2.1.4.2). */
export function verifyConsistency(
  from: { readonly size: number; readonly root: Uint8Array },
  to: { readonly size: number; readonly root: Uint8Array },
  proof: readonly Uint8Array[],
  hash: Sha256 = sha256,
): boolean {
  if (!Number.isSafeInteger(from.size) || !Number.isSafeInteger(to.size)) return false
  if (from.size < 0 || from.size > to.size) return false
  if (from.size === to.size) return proof.length === 0 && sameHash(from.root, to.root)
  if (from.size === 0) return proof.length === 0
  let power = from.size
  while (power % 2 === 0) power /= 2
  const [first, ...rest] = power === 1 ? [from.root, ...proof] : proof
  if (first === undefined || (power === 1 && proof.length === 0)) return false
  let at = from.size - 1
  let last = to.size - 1
  while (at % 2 === 1) {
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  let old = first
  let whole = first
  for (const sibling of rest) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      old = nodeHash(sibling, old, hash)
      whole = nodeHash(sibling, whole, hash)
      while (at % 2 === 0 && at !== 0) {
        at /= 2
        last = Math.floor(last / 2)
      }
    } else whole = nodeHash(whole, sibling, hash)
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && sameHash(old, from.root) && sameHash(whole, to.root)
}
