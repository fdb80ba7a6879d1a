import { describe, expect, it } from 'vitest'
import { toHex, utf8 } from './bytes.ts'
import { leafHash, nodeHash, treeRoot } from './merkle.ts'
import { nodeSha256 } from './node-sha256.ts'
import {
  verifyConsistency as checkConsistency,
  verifyInclusion as checkInclusion,
  consistencyPath,
  inclusionPath,
} from './proof.ts'

// The same nodes are hashed again and again.
const seen = new Map<string, Uint8Array>()
const hash = (data: Uint8Array): Uint8Array => {
  const text = Buffer.from(data).toString('latin1')
  const known = seen.get(text) ?? nodeSha256(data)
  seen.set(text, known)
  return known
}
type Tail<List extends readonly unknown[]> = List extends readonly [...infer Rest, unknown?] ? Rest : never
const verifyInclusion = (...given: Tail<Parameters<typeof checkInclusion>>) => checkInclusion(...given, hash)
const verifyConsistency = (...given: Tail<Parameters<typeof checkConsistency>>) =>
  checkConsistency(...given, hash)

const largest = 300
const leaves = Array.from({ length: largest }, (_, at) => leafHash(utf8(`leaf ${at}`)))

// RFC 9162, section 2.1.1, word by word: an oracle that shares nothing with the frontier.
const memo = new Map<number, Uint8Array>()
function rootOfRange(start: number, end: number): Uint8Array {
  if (end === start) return treeRoot([])
  if (end - start === 1) return leaves[start] as Uint8Array
  const known = memo.get(start * 1000 + end)
  if (known) return known
  let k = 1
  while (k * 2 < end - start) k *= 2
  const root = nodeHash(rootOfRange(start, start + k), rootOfRange(start + k, end))
  memo.set(start * 1000 + end, root)
  return root
}
const hashes = (path: readonly (readonly [number, number])[]): Uint8Array[] =>
  path.map(([start, end]) => rootOfRange(start, end))
const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte))

describe('inclusion proofs', () => {
  it('hold for every leaf of every tree of up to 300 leaves, for that leaf and tree only', () => {
    for (let size = 1; size <= largest; size += 1) {
      const root = rootOfRange(0, size)
      expect(toHex(treeRoot(leaves.slice(0, size)))).toBe(toHex(root))
      for (let index = 0; index < size; index += 1) {
        const leaf = leaves[index] as Uint8Array
        const proof = hashes(inclusionPath(index, size))
        if (!verifyInclusion(leaf, index, size, proof, root)) expect.fail(`leaf ${index} of ${size}`)
        if ((index * 7 + size) % 61 !== 0) continue
        const other = (index + 1) % size
        const wrong = [
          verifyInclusion(flipped(leaf), index, size, proof, root),
          verifyInclusion(leaf, index, size, proof, flipped(root)),
          verifyInclusion(leaf, index, size, [...proof, root], root),
          size > 1 && verifyInclusion(leaf, index, size, proof.slice(1), root),
          size > 1 && verifyInclusion(leaf, other, size, proof, root),
          size > 1 &&
            verifyInclusion(leaf, index, size, proof.with(0, flipped(proof[0] as Uint8Array)), root),
          verifyInclusion(leaf, size, size, proof, root),
          verifyInclusion(leaf, -1, size, proof, root),
        ]
        expect(wrong, `leaf ${index} of ${size}`).not.toContain(true)
      }
    }
  })
})

describe('consistency proofs', () => {
  it('hold between every two trees of up to 300 leaves, and for those only', () => {
    for (let to = 1; to <= largest; to += 1) {
      for (let from = 0; from <= to; from += 1) {
        const old = { size: from, root: rootOfRange(0, from) }
        const now = { size: to, root: rootOfRange(0, to) }
        const proof = hashes(consistencyPath(from, to))
        if (!verifyConsistency(old, now, proof)) expect.fail(`${from} to ${to}`)
        if ((from * 7 + to) % 61 !== 0) continue
        const wrong = [
          from > 0 && verifyConsistency({ ...old, root: flipped(old.root) }, now, proof),
          from > 0 && verifyConsistency(old, { ...now, root: flipped(now.root) }, proof),
          verifyConsistency(old, now, [...proof, now.root]),
          proof.length > 0 && verifyConsistency(old, now, proof.slice(1)),
          proof.length > 0 && verifyConsistency(old, now, proof.with(0, flipped(proof[0] as Uint8Array))),
          from < to && verifyConsistency(now, old, proof),
          verifyConsistency({ ...old, size: -1 }, now, proof),
        ]
        expect(wrong, `${from} to ${to}`).not.toContain(true)
      }
    }
  })
})

// The leaves, and the proofs, that Certificate Transparency's implementations of RFC 6962 are tested with.
const published = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const publishedLeaves = published.map((leaf) => leafHash(Buffer.from(leaf, 'hex')))
const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex')
const roots: Record<number, string> = {
  2: 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  3: 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  5: '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  6: '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  8: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
}

describe('the published proofs of RFC 6962 trees', () => {
  const inclusions: [index: number, size: number, path: string[]][] = [
    [
      0,
      8,
      [
        '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
      ],
    ],
    [
      5,
      8,
      [
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
    [
      1,
      5,
      [
        '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    ],
  ]
  it.each(inclusions)('include leaf %i in the tree of %i', (index, size, path) => {
    const leaf = publishedLeaves[index] as Uint8Array
    expect(verifyInclusion(leaf, index, size, path.map(bytes), bytes(roots[size] as string))).toBe(true)
    const own = inclusionPath(index, size).map(([from, to]) =>
      toHex(treeRoot(publishedLeaves.slice(from, to))),
    )
    expect(own).toEqual(path)
  })

  const consistencies: [from: number, to: number, path: string[]][] = [
    [
      6,
      8,
      [
        '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [
      2,
      5,
      [
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    ],
  ]
  it.each(consistencies)('lead from the tree of %i to the tree of %i', (from, to, path) => {
    const at = (size: number) => ({ size, root: bytes(roots[size] as string) })
    expect(verifyConsistency(at(from), at(to), path.map(bytes))).toBe(true)
    const own = consistencyPath(from, to).map(([start, end]) =>
      toHex(treeRoot(publishedLeaves.slice(start, end))),
    )
    expect(own).toEqual(path)
  })
})
