import { describe, expect, it } from 'vitest'
import { toHex } from './bytes.ts'
import {
  addLeaf,
  beforeLastLeaf,
  completedHeight,
  createFrontier,
  leafHash,
  rootOf,
  skipLeaves,
  treeRoot,
} from './merkle.ts'

// The leaves and roots that Certificate Transparency's implementations of RFC 6962 are tested with.
const leaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const roots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

describe('the Merkle tree', () => {
  it('has the published roots of RFC 6962 for the sizes 0 to 8', () => {
    const hashes = leaves.map((leaf) => leafHash(Buffer.from(leaf, 'hex')))
    expect(roots.map((_, size) => toHex(treeRoot(hashes.slice(0, size))))).toEqual(roots)
  })
})

describe('a frontier', () => {
  const hashes = Array.from({ length: 70 }, (_, at) => leafHash(Uint8Array.of(at)))
  const grown = (size: number) => {
    const frontier = createFrontier()
    for (const leaf of hashes.slice(0, size)) addLeaf(frontier, leaf)
    return frontier
  }

  it('gives with each leaf the root of the largest perfect subtree that ends with it', () => {
    const frontier = createFrontier()
    for (const [index, leaf] of hashes.entries()) {
      const node = addLeaf(frontier, leaf) as Uint8Array
      const length = 2 ** completedHeight(index)
      expect((index + 1) % length).toBe(0)
      expect((index + 1) % (2 * length)).not.toBe(0)
      expect(toHex(node)).toBe(toHex(treeRoot(hashes.slice(index + 1 - length, index + 1))))
    }
  })

  it('goes back by its last leaf', () => {
    for (let size = 1; size < 70; size += 1) {
      const { nodes, size: before } = beforeLastLeaf(grown(size))
      expect({ nodes, size: before }).toEqual({ nodes: grown(size - 1).nodes, size: size - 1 })
    }
  })

  it('that skipped leaves is the one that had them, with what they reach into unknown', () => {
    for (let from = 0; from < 40; from += 1) {
      for (let to = from; to < 70; to += 1) {
        const skipped = grown(from)
        skipLeaves(skipped, to)
        const whole = grown(to)
        expect(skipped.size).toBe(to)
        expect(skipped.nodes).toHaveLength(whole.nodes.length)
        let end = 0
        for (const [at, node] of skipped.nodes.entries()) {
          let length = 1
          while (length * 2 <= to - end) length *= 2
          end += length
          if (end <= from) expect(node && toHex(node)).toBe(toHex(whole.nodes[at] as Uint8Array))
          else expect(node).toBeUndefined()
        }
        expect(rootOf(skipped) === undefined).toBe(to > from)
      }
    }
  })
})
