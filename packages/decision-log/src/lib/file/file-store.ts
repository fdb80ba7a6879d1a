import { join, resolve } from 'node:path'
import { splitCheckpoints } from '../checkpoint.ts'
import { nodeSha256 } from '../node-sha256.ts'
import type { LogStore } from '../store.ts'
import { type Disk, localDisk } from './disk.ts'
import { createSegmentWriter } from './segment-writer.ts'
import { checkpointFile, listCheckpoints, listSegments, readSegments } from './segments.ts'

/**
 * When written records are made to survive a loss of power. Whatever the policy, an acknowledged record survives
 * the end of the process, and a checkpoint is made only of records that were synced.
 *
 * - `always`: before they are acknowledged; records appended at the same time share one sync.
 * - `{ everyMs }`: within that time; a loss of power takes at most the records of that time.
 * - `never`: when the operating system does it.
 */
export type SyncPolicy = 'always' | 'never' | { readonly everyMs: number }

export interface FileStoreOptions {
  /** Default `{ everyMs: 1000 }`. */
  readonly sync?: SyncPolicy | undefined
  /** When a new segment is begun. The tree runs on over all its segments. */
  readonly rotate?:
    | {
        /** Before a segment grows beyond so many bytes. Default 64 MiB. */
        readonly bytes?: number | undefined
        /** With each new day (UTC). Default true. */
        readonly daily?: boolean | undefined
      }
    | undefined
  /** Where checkpoints are kept: best on another disk, or where nothing can be overwritten. Default: with the log. */
  readonly checkpointDirectory?: string | undefined
  /** Milliseconds since 1970, for rotation by day. */
  readonly clock?: (() => number) | undefined
}

/** A log in a folder, on a given disk. */
export function fileStoreOn(disk: Disk, directory: string, options: FileStoreOptions = {}): LogStore {
  const folder = resolve(directory)
  const checkpointFolder = resolve(options.checkpointDirectory ?? folder)
  return {
    sha256: nodeSha256,
    async openTree(tree) {
      await disk.makeFolder(folder)
      return createSegmentWriter(disk, folder, tree, { ...options, checkpointDirectory: checkpointFolder })
    },
    async trees() {
      // A tree of which only checkpoints are left was there once.
      const segments = await listSegments(disk, folder)
      const sealed = await listCheckpoints(disk, checkpointFolder)
      return [...new Set([...segments.map(({ tree }) => tree), ...sealed])].sort()
    },
    async *read(tree) {
      const segments = (await listSegments(disk, folder)).filter((segment) => segment.tree === tree)
      yield* readSegments(disk, folder, segments)
    },
    async checkpoints(tree) {
      return splitCheckpoints(await disk.readText(join(checkpointFolder, checkpointFile(tree)))).notes
    },
    async close() {},
  }
}

/**
 * A log in a folder: JSON Lines, one tree for each process that writes, in files named after the tree
 * (`<tree>.000001.jsonl`), its checkpoints in `<tree>.checkpoints`. Files are made readable for their owner alone.
 * Any number of processes can write to one folder.
 */
export const fileStore = (directory: string, options: FileStoreOptions = {}): LogStore =>
  fileStoreOn(localDisk, directory, options)
