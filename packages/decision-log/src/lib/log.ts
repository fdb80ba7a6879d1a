import { type Checkpoint, makeCheckpoint } from './checkpoint.ts'
import { DecisionLogError } from './errors.ts'
import { createTreeNames, uuidv7 } from './ids.ts'
import { formatLine, hashLeafText, leafText } from './line.ts'
import {
  addLeaf,
  copyFrontier,
  createFrontier,
  type Frontier,
  rootOf,
  type Sha256,
  sha256,
} from './merkle.ts'
import { formatVerifierKey, type Signer, type Verifier } from './note.ts'
import { createPreparation, type KeepOptions } from './prepare.ts'
import { type Filter, queryStore } from './query.ts'
import { type LogEntry, type LogRecord, schemaVersion } from './record.ts'
import { createSerial } from './serial.ts'
import type { LogStore, TreeWriter } from './store.ts'
import { type Verification, type VerifyOptions, verifyStore } from './verify.ts'

/** When checkpoints are made without being asked for, beside the one that `close` makes. */
export interface CheckpointInterval {
  /** After so many records. */
  readonly records?: number | undefined
  /** So many milliseconds after a record that no checkpoint covers. */
  readonly ms?: number | undefined
}

export interface DecisionLogOptions {
  readonly store: LogStore
  /** Signs checkpoints. Without one they are bare texts, which only whoever keeps them can rely on. */
  readonly signer?: Signer | undefined
  /** More keys whose checkpoints `verify` trusts: those of other writers, and earlier ones. */
  readonly trust?: readonly Verifier[] | undefined
  /** The name of the log in its checkpoints: a schema-less URL. Default: the signer's name, or `truename.invalid/log`. */
  readonly origin?: string | undefined
  /** Default: with a signer every 1,000 records and every minute, without one never. */
  readonly checkpoints?: CheckpointInterval | false | undefined
  /** Called with each checkpoint, to keep it somewhere else too. What it throws is not a failure of the log. */
  readonly onCheckpoint?: ((checkpoint: Checkpoint) => void | Promise<void>) | undefined
  /** Called with errors that no caller waits for, such as that of a checkpoint made at an interval. */
  readonly onError?: ((error: DecisionLogError) => void) | undefined
  /** What is kept of arguments and results, and what is never written. */
  readonly keep?: KeepOptions | undefined
  /** Milliseconds since 1970. */
  readonly clock?: (() => number) | undefined
  /** Ids of records; by default version 7 UUIDs. */
  readonly ids?: (() => string) | undefined
  /** Default: the store's, or one in JavaScript. */
  readonly sha256?: Sha256 | undefined
}

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

interface Waiting {
  readonly id: string
  readonly time: string
  /** The members of the record after `index` and `tree`, as JSON from the opening brace on. */
  readonly body: string
  readonly done: (receipt: Receipt) => void
  readonly failed: (error: DecisionLogError) => void
}

interface OpenTree {
  readonly name: string
  readonly origin: string
  readonly writer: TreeWriter
  frontier: Frontier
  sealed: number
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const unreadable = (error: unknown): DecisionLogError =>
  error instanceof DecisionLogError
    ? error
    : new DecisionLogError('bad-record', `The record is not JSON: ${reason(error)}.`, {}, error)

const largestBatch = 4096
// In characters.
const largestWrite = 4 * 1024 * 1024

/** Opens a log on a store. Nothing is written before the first `append`. */
export function createDecisionLog(options: DecisionLogOptions): DecisionLog {
  const { store, signer } = options
  const clock = options.clock ?? Date.now
  const hash = options.sha256 ?? store.sha256 ?? sha256
  const origin = options.origin ?? signer?.name ?? 'truename.invalid/log'
  const interval = options.checkpoints ?? (signer ? { records: 1000, ms: 60_000 } : false)
  const nameTree = createTreeNames()
  const prepare = createPreparation(options.keep ?? {}, hash)

  // Everything that touches the open tree runs in this one line, never two at a time.
  const run = createSerial()
  let current: OpenTree | undefined
  let waiting: Waiting[] = []
  let scheduled = false
  let closed: Promise<void> | undefined
  let lastTime = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const now = (): number => {
    lastTime = Math.max(lastTime, Math.floor(clock()))
    return lastTime
  }
  const newId = options.ids ?? (() => uuidv7(lastTime))

  const failure = (error: unknown): DecisionLogError =>
    error instanceof DecisionLogError
      ? error
      : new DecisionLogError(
          'write-failed',
          `The decision log could not be written: ${reason(error)}.`,
          { tree: current?.name },
          error,
        )

  const line = (tree: OpenTree, body: string): string => {
    const leaf = `{"index":${tree.frontier.size},"tree":"${tree.name}",${body.slice(1)}`
    const node = addLeaf(tree.frontier, hashLeafText(leaf, hash), hash)
    return formatLine(leaf, node as Uint8Array)
  }

  const open = async (time: string): Promise<OpenTree> => {
    const name = nameTree(Date.parse(time))
    const writer = await store.openTree(name)
    const tree: OpenTree = {
      name,
      origin: `${origin}/${name}`,
      writer,
      frontier: createFrontier(),
      sealed: 0,
    }
    const key = signer ? formatVerifierKey(signer) : undefined
    const header = { schema: schemaVersion, id: newId(), time, type: 'log', origin: tree.origin, key }
    await writer.append([line(tree, leafText(header))], 0)
    return tree
  }

  const abandon = async (tree: OpenTree): Promise<void> => {
    current = undefined
    await tree.writer.close().catch(() => undefined)
  }

  const seal = async (): Promise<Checkpoint | undefined> => {
    const tree = current
    if (!tree) return undefined
    clearTimeout(timer)
    timer = undefined
    await tree.writer.sync()
    const root = rootOf(tree.frontier, hash) as Uint8Array
    const checkpoint = await makeCheckpoint(tree.origin, tree.frontier.size, root, signer)
    if (tree.frontier.size > tree.sealed) await tree.writer.checkpoint(checkpoint.note)
    tree.sealed = tree.frontier.size
    if (options.onCheckpoint) {
      try {
        await options.onCheckpoint(checkpoint)
      } catch (error) {
        options.onError?.(failure(error))
      }
    }
    return checkpoint
  }

  const sealQuietly = async (): Promise<void> => {
    try {
      await seal()
    } catch (error) {
      options.onError?.(failure(error))
    }
  }

  const writeBatch = async (batch: readonly Waiting[]): Promise<void> => {
    const first = batch[0] as Waiting
    let tree: OpenTree | undefined
    let before: Frontier | undefined
    try {
      current ??= await open(first.time)
      tree = current
      before = copyFrontier(tree.frontier)
      const writing = tree
      await writing.writer.append(
        batch.map((item) => line(writing, item.body)),
        before.size,
      )
    } catch (error) {
      const clean =
        typeof error === 'object' && error !== null && (error as { clean?: unknown }).clean === true
      if (tree && before && clean) tree.frontier = before
      else if (tree) await abandon(tree)
      const reported = failure(error)
      for (const item of batch) item.failed(reported)
      return
    }
    for (const [at, item] of batch.entries())
      item.done({ id: item.id, tree: tree.name, index: before.size + at, time: item.time })
    if (!interval) return
    if (tree.frontier.size - tree.sealed >= (interval.records ?? Number.POSITIVE_INFINITY))
      await sealQuietly()
    else if (interval.ms !== undefined && timer === undefined) {
      timer = setTimeout(() => {
        timer = undefined
        void run(sealQuietly)
      }, interval.ms)
      ;(timer as { unref?: () => void }).unref?.()
    }
  }

  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      let count = 0
      for (
        let length = 0;
        count < waiting.length && count < largestBatch && length < largestWrite;
        count += 1
      )
        length += (waiting[count] as Waiting).body.length
      const batch = waiting.slice(0, count)
      waiting = waiting.slice(count)
      await writeBatch(batch)
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
      let item: Pick<Waiting, 'id' | 'time' | 'body'>
      try {
        const time = new Date(now()).toISOString()
        const id = newId()
        item = { id, time, body: prepare({ schema: schemaVersion, id, time }, entry) }
      } catch (error) {
        return Promise.reject(unreadable(error))
      }
      return new Promise((done, failed) => {
        waiting.push({ ...item, done, failed })
        startWriting()
      })
    },
    query: (filter = {}) => queryStore(store, filter),
    async verify(against, more = {}) {
      if (!closed) await run(async () => current?.writer.sync())
      const trust = [...(options.trust ?? []), ...(signer ? [signer] : []), ...(more.trust ?? [])]
      return verifyStore(store, { sha256: hash, ...more, trust, against })
    },
    checkpoint: () =>
      closed
        ? Promise.reject(new DecisionLogError('log-closed', 'The decision log is closed.'))
        : run(async () => {
            await writeWaiting()
            return seal()
          }),
    flush: () =>
      closed ??
      run(async () => {
        await writeWaiting()
        await current?.writer.sync()
      }),
    close() {
      closed ??= run(async () => {
        await writeWaiting()
        clearTimeout(timer)
        const tree = current
        try {
          if (tree && interval && tree.frontier.size > tree.sealed) await seal()
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
