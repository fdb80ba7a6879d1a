import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ed25519Signer } from '../file.ts'
import { parseCheckpoint } from './checkpoint.ts'
import { createDecisionLog } from './log.ts'
import { memoryStore } from './memory-store.ts'
import type { LogStore } from './store.ts'
import { decision } from './testing/entries.ts'

const signer = ed25519Signer({ name: 'log.example', privateKey: generateKeyPairSync('ed25519').privateKey })

/** A store whose syncs wait until they are let go, or fail. */
function slowStore(): { store: LogStore; release: (how?: 'failed') => void; waiting: () => number } {
  const store = memoryStore()
  const syncs: ((how?: 'failed') => void)[] = []
  return {
    release: (how) => {
      for (const go of syncs.splice(0)) go(how)
    },
    waiting: () => syncs.length,
    store: {
      ...store,
      async openTree(tree) {
        const writer = await store.openTree(tree)
        return {
          ...writer,
          sync: () =>
            new Promise((done, failed) => {
              syncs.push((how) => (how === 'failed' ? failed(new Error('EIO: i/o error, fsync')) : done()))
            }),
        }
      },
    },
  }
}

const sizes = async (store: LogStore): Promise<number[]> => {
  const [tree = ''] = await store.trees()
  return (await store.checkpoints(tree)).map((note) => parseCheckpoint(note).size)
}

describe('a checkpoint that waits for the disk', () => {
  it('keeps no record waiting, and covers what was there when it was begun', async () => {
    const { store, release, waiting } = slowStore()
    const log = createDecisionLog({ store, signer, checkpoints: { records: 10 } })
    for (let at = 0; at < 35; at += 1) await log.append(decision(`${at}`))
    expect(waiting()).toBe(1)
    expect(await sizes(store)).toEqual([])
    release()
    await expect.poll(() => sizes(store)).toEqual([10])
    // One at a time: what became due in the meantime is made with the next record, once, of all there is.
    await log.append(decision('35'))
    await expect.poll(waiting).toBe(1)
    release()
    await expect.poll(() => sizes(store)).toEqual([10, 37])
    const over = log.close()
    release()
    await over
    expect(await createDecisionLog({ store, signer }).verify()).toMatchObject({ ok: true, records: 37 })
  })

  it('is waited for by flush, by who asks for one, and when the log is closed', async () => {
    const { store, release, waiting } = slowStore()
    const told: number[] = []
    const log = createDecisionLog({
      store,
      signer,
      checkpoints: { records: 3 },
      onCheckpoint: ({ size }) => void told.push(size),
    })
    for (const call of ['a', 'b']) await log.append(decision(call))
    const done: string[] = []
    const asked = log.checkpoint().then((checkpoint) => done.push(`asked ${checkpoint?.size}`))
    const flushed = log.flush().then(() => done.push('flushed'))
    await expect.poll(waiting).toBeGreaterThan(0)
    expect(done).toEqual([])
    while (done.length < 2) {
      release()
      await new Promise((next) => setTimeout(next, 1))
    }
    await Promise.all([asked, flushed])
    await log.append(decision('c'))
    const closing = log.close().then(() => done.push('closed'))
    await expect.poll(waiting).toBe(1)
    expect(done).not.toContain('closed')
    release()
    await closing
    expect(told).toEqual([3, 3, 4])
    expect(await sizes(store)).toEqual([3, 4])
  })

  it('that fails is told, and is made again with the next record', async () => {
    const { store, release, waiting } = slowStore()
    const errors: string[] = []
    const log = createDecisionLog({
      store,
      signer,
      checkpoints: { records: 2 },
      onError: ({ code }) => errors.push(code),
    })
    await log.append(decision('a'))
    await expect.poll(waiting).toBe(1)
    release('failed')
    await expect.poll(() => errors).toEqual(['write-failed'])
    await log.append(decision('b'))
    await expect.poll(waiting).toBe(1)
    release()
    await expect.poll(() => sizes(store)).toEqual([3])
    await log.close()
  })
})
