import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ed25519Signer } from '../file.ts'
import { toHex, utf8 } from './bytes.ts'
import { parseCheckpoint } from './checkpoint.ts'
import { createDecisionLog } from './log.ts'
import { memoryStore } from './memory-store.ts'
import { leafHash } from './merkle.ts'
import { verifyConsistency, verifyInclusion } from './proof.ts'
import { proveConsistency, proveInclusion } from './prove.ts'
import { decision } from './testing/entries.ts'
import { plainStore, writeTree } from './testing/tampering.ts'

const signer = ed25519Signer({ name: 'log.example', privateKey: generateKeyPairSync('ed25519').privateKey })

describe('proofs of a log', () => {
  it('show somebody who has a checkpoint and one line that the record is in the log', async () => {
    const store = memoryStore()
    const log = createDecisionLog({ store, signer })
    const receipts = []
    for (let at = 0; at < 20; at += 1) receipts.push(await log.append(decision(`call-${at}`)))
    const checkpoint = parseCheckpoint((await log.checkpoint())?.note ?? '')
    await log.append(decision('later'))
    for (const { tree, index } of receipts) {
      const proof = await proveInclusion(store, { tree, index }, checkpoint.size)
      let line = ''
      for await (const batch of store.read(tree))
        line = Buffer.from(batch.lines[index] as Uint8Array).toString()
      const leaf = leafHash(utf8(line.replace(/,"hash":"[^"]+"}$/, '}')))
      expect(toHex(leaf)).toBe(toHex(proof.leaf))
      expect(verifyInclusion(leaf, index, checkpoint.size, proof.path, checkpoint.root)).toBe(true)
      const forged = leafHash(utf8(line.replace('allow', 'deny')))
      expect(verifyInclusion(forged, index, checkpoint.size, proof.path, checkpoint.root)).toBe(false)
    }
  })

  it('show somebody who has two checkpoints that the log was only added to', async () => {
    const written = await writeTree(24, { signer, checkpointAt: [6, 13, 20] })
    const store = plainStore(written)
    const heads = written.checkpoints.map(parseCheckpoint)
    for (const from of heads) {
      for (const to of heads.filter(({ size }) => size >= from.size)) {
        const proof = await proveConsistency(store, written.tree, from.size, to.size)
        expect(verifyConsistency(from, to, proof.path)).toBe(true)
        expect(toHex(proof.to.root)).toBe(toHex(to.root))
      }
    }
    const whole = await proveConsistency(store, written.tree, 20)
    expect(whole.to.size).toBe(24)
    expect(verifyConsistency(heads[2] as (typeof heads)[number], whole.to, whole.path)).toBe(true)
  })

  it('are refused with the reason where there is nothing to prove', async () => {
    const written = await writeTree(5)
    const store = plainStore(written)
    const { tree } = written
    const code = (expected: string) => expect.objectContaining({ code: expected })
    await expect(proveInclusion(store, { tree, index: 5 })).rejects.toEqual(code('out-of-range'))
    await expect(proveInclusion(store, { tree, index: 2 }, 9)).rejects.toEqual(code('out-of-range'))
    await expect(proveConsistency(store, tree, 6)).rejects.toEqual(code('out-of-range'))
    await expect(proveInclusion(store, { tree: 'other', index: 0 })).rejects.toEqual(code('unknown-tree'))
    const holed = plainStore({ ...written, lines: written.lines.toSpliced(2, 1) })
    await expect(proveInclusion(holed, { tree, index: 3 })).rejects.toEqual(code('bad-record'))
  })
})
