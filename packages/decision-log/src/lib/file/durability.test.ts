import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDecisionLog } from '../log.ts'
import { decision } from '../testing/entries.ts'
import { createLossyDisk, type LossyDisk } from '../testing/lossy-disk.ts'
import { collect } from '../testing/store-contract.ts'
import { type FileStoreOptions, fileStoreOn } from './file-store.ts'
import { ed25519Signer } from './signing-key.ts'

const signer = ed25519Signer({ name: 'log.example', privateKey: generateKeyPairSync('ed25519').privateKey })
const share = fc.double({ min: 0, max: 1, noNaN: true })
const count = fc.integer({ min: 0, max: 12 })

const openOn = (disk: LossyDisk, options: FileStoreOptions, checkpoints = false) =>
  createDecisionLog({
    store: fileStoreOn(disk, '/log', { rotate: { bytes: 3000 }, ...options }),
    signer,
    checkpoints: checkpoints ? { records: 4 } : false,
  })

/** What another process finds after the power came back. */
async function survivors(disk: LossyDisk, options: FileStoreOptions) {
  const log = openOn(disk, options)
  const verification = await log.verify()
  const calls = (await collect(log, { type: 'decision' })).map((record) => 'call' in record && record.call)
  return { verification, calls }
}

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `call-${from + at}`)

afterEach(() => vi.useRealTimers())

describe('what a sync policy promises when the power fails', () => {
  it('always: every acknowledged record is there', async () => {
    await fc.assert(
      fc.asyncProperty(count, fc.boolean(), share, async (records, checkpoints, left) => {
        const disk = createLossyDisk()
        const log = openOn(disk, { sync: 'always' }, checkpoints)
        for (const call of names(0, records)) await log.append(decision(call))
        // One more that is not acknowledged before the power fails.
        void log.append(decision('in flight')).catch(() => undefined)
        disk.losePower(left)
        const { verification, calls } = await survivors(disk, { sync: 'always' })
        expect(calls.slice(0, records)).toEqual(names(0, records))
        expect(verification.ok).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('always: records appended at the same time share a sync', async () => {
    const disk = createLossyDisk()
    const log = openOn(disk, { sync: 'always', rotate: { bytes: 1e9 } })
    await log.append(decision('first'))
    const before = disk.syncs
    await Promise.all(names(0, 50).map((call) => log.append(decision(call))))
    expect(disk.syncs - before).toBe(1)
  })

  it('everyMs: every record older than that is there, and none is torn out of the middle', async () => {
    vi.useFakeTimers()
    await fc.assert(
      fc.asyncProperty(count, count, share, async (older, younger, left) => {
        const disk = createLossyDisk()
        const log = openOn(disk, { sync: { everyMs: 1000 } })
        for (const call of names(0, older)) await log.append(decision(call))
        await vi.advanceTimersByTimeAsync(1000)
        for (const call of names(older, older + younger)) await log.append(decision(call))
        disk.losePower(left)
        const { verification, calls } = await survivors(disk, {})
        expect(calls.length).toBeGreaterThanOrEqual(older)
        expect(calls).toEqual(names(0, older + younger).slice(0, calls.length))
        expect(verification.ok).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('everyMs: what is younger can be lost (so the test above can fail)', async () => {
    vi.useFakeTimers()
    const disk = createLossyDisk()
    const log = openOn(disk, { sync: { everyMs: 1000 } })
    await log.append(decision('a'))
    await vi.advanceTimersByTimeAsync(1000)
    await log.append(decision('b'))
    disk.losePower(0)
    expect((await survivors(disk, {})).calls).toEqual(['a'])
  })

  it('never: everything can be lost but what a checkpoint covers, and no checkpoint covers what is lost', async () => {
    const lost = createLossyDisk()
    await openOn(lost, { sync: 'never' }).append(decision('a'))
    lost.losePower(0)
    expect((await survivors(lost, {})).calls).toEqual([])
    await fc.assert(
      fc.asyncProperty(count, count, share, async (before, after, left) => {
        const disk = createLossyDisk()
        const options = { sync: 'never', checkpointDirectory: '/elsewhere' } as const
        const log = openOn(disk, options)
        for (const call of names(0, before)) await log.append(decision(call))
        await log.checkpoint()
        for (const call of names(before, before + after)) await log.append(decision(call))
        disk.losePower(left)
        const { verification, calls } = await survivors(disk, options)
        expect(calls.slice(0, before)).toEqual(names(0, before))
        expect(verification.findings.filter(({ severity }) => severity === 'error')).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

describe('a disk that fails', () => {
  it('that is full refuses records, loses none that were acknowledged, and goes on when there is room', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 600 }), fc.boolean(), async (room, failTruncate) => {
        const disk = createLossyDisk()
        disk.failTruncate = failTruncate
        const log = openOn(disk, { sync: 'always', rotate: { bytes: 1e9 } })
        await log.append(decision('a'))
        disk.fill(room)
        await expect(log.append(decision('b'))).rejects.toMatchObject({ code: 'write-failed' })
        disk.fill(Number.POSITIVE_INFINITY)
        await log.append(decision('c'))
        const { verification, calls } = await survivors(disk, {})
        expect(calls).toEqual(['a', 'c'])
        expect(verification.ok).toBe(true)
        expect(verification.trees).toHaveLength(failTruncate ? 2 : 1)
        const kinds = verification.findings.map(({ kind }) => kind).filter((kind) => kind !== 'unsealed')
        expect(kinds).toEqual(failTruncate ? ['torn'] : [])
      }),
      { numRuns: 40 },
    )
  })

  it('that is full when a checkpoint is written spoils none of the others', async () => {
    const disk = createLossyDisk()
    const log = openOn(disk, { sync: 'always' })
    await log.append(decision('a'))
    await log.checkpoint()
    await log.append(decision('b'))
    disk.fill(20)
    await expect(log.checkpoint()).rejects.toMatchObject({ code: 'write-failed' })
    disk.fill(Number.POSITIVE_INFINITY)
    await log.append(decision('c'))
    await log.checkpoint()
    const { verification } = await survivors(disk, {})
    expect(verification).toMatchObject({ ok: true, trees: [{ checkpoints: 2, sealed: 4 }], findings: [] })
  })

  it('that cannot sync is not believed again: a new tree is begun', async () => {
    const disk = createLossyDisk()
    const log = openOn(disk, { sync: 'always' })
    await log.append(decision('a'))
    disk.failSync = true
    await expect(log.append(decision('b'))).rejects.toMatchObject({ code: 'write-failed' })
    disk.failSync = false
    await log.append(decision('c'))
    disk.losePower(0)
    const { verification, calls } = await survivors(disk, {})
    expect(calls).toEqual(['a', 'c'])
    expect(verification.trees).toHaveLength(2)
  })
})
