import type { Checkpoint } from './checkpoint.ts'
import { DecisionLogError, describeFailure } from './errors.ts'
import { createTreeNames } from './ids.ts'
import type { DecisionLogOptions } from './log-options.ts'
import { copyFrontier, type Frontier, sha256 } from './merkle.ts'
import { headOf, nextLines, type OpenTree, openTree, sealTree } from './open-tree.ts'
import { createOutbox, emptied, type Outbox, type Span } from './outbox.ts'
import { createPreparation } from './prepare.ts'
import { type Filter, queryStore } from './query.ts'
import type { LogEntry, LogRecord } from './record.ts'
import { createSerial } from './serial.ts'
import { createStamps, type Stamp } from './stamps.ts'
import { type Verification, type VerifyOptions, verifyStore } from './verify.ts'

/** Says that a record is in the log, as durably as the store promises. */
export interface Receipt {
  readonly id: string
  readonly tree: string
  readonly index: number
  readonly time: string
}

/** An append-only, tamper-evident log. */
export interface DecisionLog {
  /**
   * Adds a record. The entry is read at once: later changes of it do not matter.
   * @throws DecisionLogError (as a rejection) `write-failed`, `record-too-large`, `bad-record`, `log-closed`: the
   * record is not acknowledged, and the call it was for must not be forwarded
   */
  append(entry: LogEntry): Promise<Receipt>
  /** The records of all trees of the store, in one order. */
  query(filter?: Filter): AsyncIterable<LogRecord>
  /** Checks every tree of the store, and against checkpoints that were kept elsewhere. */
  verify(
    against?: string | readonly string[],
    options?: Omit<VerifyOptions, 'against'>,
  ): Promise<Verification>
  /** Signs and keeps the state of the tree this log writes; `undefined` where nothing was written yet. */
  checkpoint(): Promise<Checkpoint | undefined>
  /** Waits until everything that was appended so far is written, and makes it as durable as the store can. */
  flush(): Promise<void>
  /** Writes what is waiting, makes a last checkpoint, and closes tree and store. */
  close(): Promise<void>
  /** The tree this log writes, once it has written something. */
  readonly tree: string | undefined
}

/** A record that is not written yet: where in the outbox its members after `index` and `tree` are. */
interface Waiting extends Span {
  readonly id: string
  readonly time: string
  readonly done: (receipt: Receipt) => void
  readonly failed: (error: DecisionLogError) => void
}

const unreadable = (error: unknown): DecisionLogError =>
  error instanceof DecisionLogError
    ? error
    : new DecisionLogError(
        'bad-record',
        `The record could not be read as JSON (${describeFailure(error)}).`,
        {},
        error,
      )

const readWhileReading = 'A record was appended by the reading of another; append it afterwards.'

const largestBatch = 4096
// In bytes.
const largestWrite = 4 * 1024 * 1024

/** Opens a log on a store. Nothing is written before the first `append`. */
export function createDecisionLog(options: DecisionLogOptions): DecisionLog {
  const { store, signer } = options
  const hash = options.sha256 ?? store.sha256 ?? sha256
  const origin = options.origin ?? signer?.name ?? 'truename.invalid/log'
  const interval = options.checkpoints ?? (signer ? { records: 1000, ms: 60_000 } : false)
  const nameTree = createTreeNames()
  const stamps = createStamps(options.clock ?? Date.now, options.ids)
  const prepare = createPreparation(options.keep ?? {}, hash)

  // Everything that adds to the open tree runs in this one line, never two at a time.
  const run = createSerial()
  // Checkpoints wait for the disk, and what comes after them does not wait for them.
  const runSeal = createSerial()
  let seals = 0
  let sealed: Promise<void> = Promise.resolve()
  let told: Promise<void> = Promise.resolve()
  let current: OpenTree | undefined
  let waiting: Waiting[] = []
  let outbox = createOutbox()
  let spare: Outbox | undefined
  let scheduled = false
  let reading = false
  let closed: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const failure = (error: unknown): DecisionLogError =>
    error instanceof DecisionLogError
      ? error
      : new DecisionLogError(
          'write-failed',
          `The decision log could not be written: ${describeFailure(error)}.`,
          { tree: current?.name },
          error,
        )

  const abandon = async (tree: OpenTree): Promise<void> => {
    current = undefined
    await sealed
    await tree.writer.close().catch(() => undefined)
  }

  const stopTimer = (): void => {
    clearTimeout(timer)
    timer = undefined
  }

  const tell = async (checkpoint: Checkpoint): Promise<Checkpoint> => {
    try {
      await options.onCheckpoint?.(checkpoint)
    } catch (error) {
      options.onError?.(failure(error))
    }
    return checkpoint
  }

  /** Makes a checkpoint of the tree as it is now. */
  const seal = (tree: OpenTree): Promise<Checkpoint> => {
    stopTimer()
    const head = headOf(tree, hash)
    seals += 1
    const made = runSeal(() => sealTree(tree, head, signer)).finally(() => {
      seals -= 1
    })
    sealed = made.then(
      () => undefined,
      () => undefined,
    )
    const whole = made.then(tell)
    told = Promise.all([told, whole]).then(
      () => undefined,
      () => undefined,
    )
    return whole
  }

  const sealQuietly = (): void => {
    if (current) seal(current).catch((error: unknown) => options.onError?.(failure(error)))
  }

  const writeBatch = async (batch: readonly Waiting[], bodies: Uint8Array): Promise<void> => {
    const first = batch[0] as Waiting
    let tree: OpenTree | undefined
    let before: Frontier | undefined
    try {
      current ??= await openTree(store, nameTree(Date.parse(first.time)), first.time, {
        origin,
        signer,
        hash,
        id: stamps.id(),
      })
      tree = current
      before = copyFrontier(tree.frontier)
      await tree.writer.append(nextLines(tree, bodies, batch, hash), before.size)
    } catch (error) {
      const clean =
        typeof error === 'object' && error !== null && (error as { clean?: unknown }).clean === true
      if (tree && before && clean) tree.frontier = before
      else if (tree) await abandon(tree)
      const reported = failure(error)
      for (const item of batch) item.failed(reported)
      return
    }
    for (let at = 0; at < batch.length; at += 1) {
      const { id, time, done } = batch[at] as Waiting
      done({ id, tree: tree.name, index: before.size + at, time })
    }
    if (!interval) return
    const due = tree.frontier.size - tree.sealed >= (interval.records ?? Number.POSITIVE_INFINITY)
    if (due && seals === 0) sealQuietly()
    else if (interval.ms !== undefined && timer === undefined) {
      timer = setTimeout(() => {
        timer = undefined
        void run(async () => sealQuietly())
      }, interval.ms)
      ;(timer as { unref?: () => void }).unref?.()
    }
  }

  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const [taken, from] = [waiting, outbox]
      waiting = []
      outbox = spare ?? createOutbox()
      spare = undefined
      for (let next = 0; next < taken.length; ) {
        const first = taken[next] as Waiting
        const batch: Waiting[] = []
        while (next < taken.length && batch.length < largestBatch) {
          const item = taken[next] as Waiting
          if (batch.length > 0 && item.end - first.start > largestWrite) break
          batch.push(item)
          next += 1
        }
        await writeBatch(batch, from.bytes)
      }
      spare = emptied(from)
    }
  }

  const startWriting = (): void => {
    if (scheduled) return
    scheduled = true
    void run(async () => {
      scheduled = false
      await writeWaiting()
    })
  }

  return {
    get tree() {
      return current?.name
    },
    append(entry) {
      if (closed) return Promise.reject(new DecisionLogError('log-closed', 'The decision log is closed.'))
      // A clock, a digest or a member of an entry may be code that appends: its bytes would stand among these.
      if (reading) return Promise.reject(new DecisionLogError('bad-record', readWhileReading))
      const start = outbox.used
      let stamp: Stamp
      reading = true
      try {
        stamp = stamps.put(outbox)
        prepare(start, entry, outbox)
      } catch (error) {
        outbox.used = start
        return Promise.reject(unreadable(error))
      } finally {
        reading = false
      }
      const { id, time } = stamp
      const end = outbox.used
      return new Promise((done, failed) => {
        waiting.push({ id, time, start, end, done, failed })
        startWriting()
      })
    },
    query: (filter = {}) => queryStore(store, filter),
    async verify(against, more = {}) {
      if (!closed) await run(async () => current?.writer.sync())
      await told
      const trust = [...(options.trust ?? []), ...(signer ? [signer] : []), ...(more.trust ?? [])]
      return verifyStore(store, { sha256: hash, ...more, trust, against })
    },
    async checkpoint() {
      if (closed) throw new DecisionLogError('log-closed', 'The decision log is closed.')
      const begun = await run(async () => {
        await writeWaiting()
        return current && { whole: seal(current) }
      })
      return begun?.whole
    },
    flush: () => {
      if (closed) return closed
      const written = run(async () => {
        await writeWaiting()
        await current?.writer.sync()
      })
      return written.then(() => told)
    },
    close() {
      closed ??= run(async () => {
        await writeWaiting()
        stopTimer()
        const tree = current
        try {
          await sealed
          if (tree && interval && tree.frontier.size > tree.sealed) await seal(tree)
          await told
        } finally {
          current = undefined
          await tree?.writer.close()
          await store.close()
        }
      })
      return closed
    },
  }
}
