import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDecisionLog, type DecisionEntry, type DecisionLog } from '@truename/decision-log'
import { ed25519Signer, fileStore, type SyncPolicy } from '@truename/decision-log/file'
import { perSecond, table } from '../lib/markdown.ts'
import type { Suite } from '../lib/suite.ts'

const signer = ed25519Signer({
  name: 'bench.example',
  privateKey: generateKeyPairSync('ed25519').privateKey,
})

const policies: readonly { readonly name: string; readonly sync: SyncPolicy }[] = [
  { name: 'never', sync: 'never' },
  { name: 'every second (the default)', sync: { everyMs: 1000 } },
  { name: 'always', sync: 'always' },
]

const batchSize = 1000

const entry = (call: string): DecisionEntry => ({
  type: 'decision',
  call,
  key: { server: 'shop', kind: 'tool', name: 'search' },
  method: 'tools/call',
  flat: 'shop__search',
  caller: { profile: 'default' },
  verdict: 'allow',
  rule: 'rules[2]',
  reason: 'Rule 2 allows this pair.',
  pin: { state: 'approved', digest: '9d1b5d3a7c1f4e5d8a6b0c2e4f60718293a4b5c6d7e8f90a1b2c3d4e5f607182' },
  connection: { generation: 1, verifiedAgoMs: 1200 },
  arguments: { query: 'winter boots', limit: 20, filter: { size: [41, 42], colour: 'brown' } },
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
})

interface Timed {
  readonly wall: number
  readonly processor: number
}

/** Milliseconds on the clock, and of processor time of this process. */
async function timed(work: () => Promise<void>): Promise<Timed> {
  const start = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { wall: performance.now() - start, processor: (user + system) / 1000 }
}

async function inFolder<T>(
  sync: SyncPolicy,
  work: (log: DecisionLog, folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'truename-bench-log-'))
  const log = createDecisionLog({ store: fileStore(folder, { sync }), signer })
  try {
    return await work(log, folder)
  } finally {
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function appendBatches(log: DecisionLog, records: number): Promise<void> {
  for (let written = 0; written < records; written += batchSize)
    await Promise.all(Array.from({ length: batchSize }, (_, at) => log.append(entry(`call-${written + at}`))))
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** What one record adds to a call that waits for it, in microseconds. */
async function appendAlone(
  log: DecisionLog,
  records: number,
): Promise<{ median: number; high: number; processor: number }> {
  for (let at = 0; at < records / 5; at += 1) await log.append(entry(`warm-${at}`))
  const times: number[] = []
  const { processor } = await timed(async () => {
    for (let at = 0; at < records; at += 1) {
      const start = performance.now()
      await log.append(entry(`call-${at}`))
      times.push((performance.now() - start) * 1000)
    }
  })
  times.sort((a, b) => a - b)
  return {
    median: quantile(times, 0.5),
    high: quantile(times, 0.99),
    processor: (processor / records) * 1000,
  }
}

const microseconds = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} µs`
const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`
const judged = (text: string, met: boolean): string => (met ? text : `**${text}** (a loss)`)

export const suite: Suite = {
  title: 'Writing and verifying the decision log',
  run: async ({ quick, log: show }) => {
    const alone: string[][] = []
    const batched: string[][] = []
    for (const { name, sync } of policies) {
      const slow = sync === 'always'
      show(`append, sync ${name}`)
      const one = await inFolder(sync, (log) => appendAlone(log, quick || slow ? 2000 : 20_000))
      alone.push([
        name,
        slow ? microseconds(one.median) : judged(microseconds(one.median), one.median < 50),
        microseconds(one.high),
        microseconds(one.processor),
      ])
      const records = quick ? 20_000 : 200_000
      const many = await inFolder(sync, async (log) => {
        await appendBatches(log, 20_000)
        return timed(() => appendBatches(log, records))
      })
      const rate = (records / many.wall) * 1000
      batched.push([
        name,
        slow ? perSecond(rate) : judged(perSecond(rate), rate >= 50_000),
        perSecond((records / many.processor) * 1000),
      ])
    }

    const records = quick ? 50_000 : 1_000_000
    show(`verify ${records} records`)
    const verified = await inFolder('never', async (log, folder) => {
      await appendBatches(log, records)
      await log.flush()
      const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
      const memory: number[] = []
      let ok = false
      const time = await timed(async () => {
        const result = await log.verify(undefined, {
          onProgress: () => memory.push(process.memoryUsage().rss),
        })
        ok = result.ok && result.records > records
      })
      if (!ok) throw new Error('The log that was just written does not verify.')
      const early = Math.max(...memory.slice(0, Math.ceil(memory.length / 10)))
      const most = Math.max(...memory)
      let found = 0
      const search = await timed(async () => {
        for await (const _record of log.query({ call: 'call-4711' })) found += 1
      })
      if (found !== 1) throw new Error(`Found ${found} records of a call that has one.`)
      return { time, bytes, early, most, search }
    })
    const perMillion = (verified.time.wall / records) * 1e6
    const growth = verified.most / verified.early

    return `Each record is a decision as the proxy writes it, with its arguments as a digest; the log is signed, with a
checkpoint every 1,000 records. A policy says when records are synced to the disk: whatever it is, an acknowledged record
survives the end of the process, and \`always\` is what survives a loss of power.

What one record adds to a call that waits for it (wanted without a sync per record: under 50 µs):

${table(['sync', 'median', '99 of 100', 'processor time each'], alone)}

${batchSize.toLocaleString('en')} records at a time (wanted without a sync per record: 50,000 a second):

${table(['sync', 'records a second', 'by processor time'], batched)}

Verifying and searching ${records.toLocaleString('en')} records, ${megabytes(verified.bytes)} in segments of 64 MiB (wanted: a million in under 10 s, memory flat):

${table(
  ['', 'time', 'processor time'],
  [
    ['verify', judged(seconds(verified.time.wall), perMillion < 10_000), seconds(verified.time.processor)],
    ['find one call among all records', seconds(verified.search.wall), seconds(verified.search.processor)],
  ],
)}

Resident memory while verifying: ${megabytes(verified.early)} at most in the first tenth, ${judged(`${megabytes(verified.most)} at most in all`, growth < 1.3)}.`
  },
}
