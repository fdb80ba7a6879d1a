import { join } from 'node:path'
import { DecisionLogError, describeFailure } from '../errors.ts'
import type { TreeWriter } from '../store.ts'
import type { Disk, DiskFile } from './disk.ts'
import type { FileStoreOptions } from './file-store.ts'
import { checkpointFile, segmentFile } from './segments.ts'

const defaultSyncMs = 1000
const defaultSegmentBytes = 64 * 1024 * 1024

const dayOf = (time: number): number => Math.floor(time / 86_400_000)

interface OpenSegment {
  readonly file: DiskFile
  readonly name: string
  readonly day: number
  bytes: number
  dirty: boolean
}

/** A write that left nothing behind: the writer can go on. */
const clean = (error: unknown, file: string): DecisionLogError =>
  Object.assign(
    new DecisionLogError(
      'write-failed',
      `${file} could not be written: ${describeFailure(error)}.`,
      { file },
      error,
    ),
    { clean: true },
  )

/**
 * Writes all of it behind the first `length` bytes of a file, or none.
 * @throws DecisionLogError with `clean: true` where none of it is there; the disk's own error where that failed too
 */
function writeWhole(file: DiskFile, bytes: Uint8Array, length: number, name: string): void {
  let written = 0
  try {
    while (written < bytes.length) {
      const taken = file.write(bytes.subarray(written))
      if (taken === 0) throw new DecisionLogError('write-failed', 'the disk took nothing')
      written += taken
    }
  } catch (error) {
    if (written > 0) file.truncate(length)
    throw clean(error, name)
  }
}

/** Writes the segments of one tree. */
export async function createSegmentWriter(
  disk: Disk,
  folder: string,
  tree: string,
  options: FileStoreOptions,
): Promise<TreeWriter> {
  const sync = options.sync ?? { everyMs: defaultSyncMs }
  const largest = options.rotate?.bytes ?? defaultSegmentBytes
  const daily = options.rotate?.daily ?? true
  const clock = options.clock ?? Date.now
  const checkpointFolder = options.checkpointDirectory ?? folder
  let number = 0
  let segment: OpenSegment
  // Whether the segment's name is on the disk too.
  let named = false
  let checkpoints: DiskFile | undefined
  let checkpointBytes = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  // After a failed fsync nobody knows what is on the disk, not even a second fsync.
  let lost: unknown

  const openSegment = async (): Promise<OpenSegment> => {
    const name = segmentFile(tree, number + 1)
    const file = disk.create(join(folder, name))
    number += 1
    named = false
    return { file, name, day: dayOf(clock()), bytes: 0, dirty: false }
  }

  const syncNow = async ({ file }: OpenSegment): Promise<void> => {
    try {
      await file.sync()
      if (!named) await disk.syncFolder(folder)
      named = true
    } catch (error) {
      lost = error
    }
    running = undefined
  }

  // One sync at a time. Whoever waits for one that began earlier looks again whether more was written by then.
  const syncSegment = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    while (running) await running
    if (lost) throw lost
    if (!segment.dirty) return
    segment.dirty = false
    running = syncNow(segment)
    await running
    if (lost) throw lost
  }

  // A full segment is synced whatever the policy: nothing would remember to do it later.
  const rotate = async (): Promise<void> => {
    const full = segment
    await syncSegment()
    segment = await openSegment()
    full.file.close()
  }

  const write = (bytes: Uint8Array): void => {
    writeWhole(segment.file, bytes, segment.bytes, segment.name)
    segment.bytes += bytes.length
    segment.dirty = true
  }

  const later = (): void => {
    if (typeof sync === 'string' || timer) return
    timer = setTimeout(() => {
      timer = undefined
      // What goes wrong is remembered, and the next append says it.
      void syncSegment().catch(() => undefined)
    }, sync.everyMs)
    timer.unref()
  }

  segment = await openSegment()

  return {
    append(bytes) {
      if (lost) throw lost
      const full = segment.bytes > 0 && segment.bytes + bytes.length > largest
      const oldDay = daily && segment.bytes > 0 && dayOf(clock()) !== segment.day
      if (full || oldDay) {
        return rotate().then(() => {
          write(bytes)
          return sync === 'always' ? syncSegment() : later()
        })
      }
      write(bytes)
      if (sync === 'always') return syncSegment()
      later()
    },
    sync: syncSegment,
    async checkpoint(note) {
      if (!checkpoints) {
        await disk.makeFolder(checkpointFolder)
        checkpoints = disk.create(join(checkpointFolder, checkpointFile(tree)))
        await disk.syncFolder(checkpointFolder)
      }
      const bytes = Buffer.from(`${note}\n`, 'utf8')
      writeWhole(checkpoints, bytes, checkpointBytes, checkpointFile(tree))
      checkpointBytes += bytes.length
      await checkpoints.sync()
    },
    async close() {
      try {
        if (sync === 'never') while (running) await running
        else await syncSegment()
      } finally {
        segment.file.close()
        checkpoints?.close()
      }
    },
  }
}
