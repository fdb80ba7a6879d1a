import type { Sha256 } from './merkle.ts'
import type { Filter } from './query.ts'
import type { LogRecord } from './record.ts'

/** Some lines of one tree, in the order they were written. */
export interface LineBatch {
  /** Where they are: a file's name, a table. */
  readonly segment: string
  /** The number of the first line within its segment, from 1. */
  readonly firstLine: number
  readonly lines: readonly Uint8Array[]
  /** What follows the last newline at the very end of a tree: a line that was being written when its writer ended. */
  readonly torn?: { readonly offset: number; readonly bytes: number } | undefined
  /** Whether the last of the lines has no newline behind it, though others follow: one was taken off. */
  readonly unended?: boolean | undefined
  /** Records whose copy for searching says something else than the line, by line number. */
  readonly mislabelled?: readonly { readonly line: number; readonly column: string }[] | undefined
}

/**
 * Writes one tree. Appends never overlap, and checkpoints do not; an append may come while a sync or a checkpoint of what
 * was appended before is not done yet.
 */
export interface TreeWriter {
  /**
   * Adds lines, each of which ends with a newline; the first has the given index. When it is done they are as durable as
   * the store promises. It may do its work at once, or return a promise. It throws where that cannot be said; if
   * the error has `clean: true`, nothing of the lines is left behind and the writer can go on. The bytes are used
   * again once it is done: what is kept of them has to be copied.
   */
  append(lines: Uint8Array, firstIndex: number): Promise<void> | void
  /** Makes everything that was appended before as durable as the store can. */
  sync(): Promise<void> | void
  /** Keeps a checkpoint of this tree, after `sync`. */
  checkpoint(note: string): Promise<void>
  close(): Promise<void>
}

/** Where trees are kept. Nothing that was written is ever changed. */
export interface LogStore {
  /** A faster SHA-256 than the JavaScript one, where the store's runtime has it. */
  readonly sha256?: Sha256 | undefined
  /** Starts a tree; fails if there is one of that name. */
  openTree(tree: string): Promise<TreeWriter>
  /** The names of all trees, in order of their names, which is the order they were started in. */
  trees(): Promise<readonly string[]>
  /** The lines of a tree, from the first. */
  read(tree: string): AsyncIterable<LineBatch>
  /** The checkpoints of a tree, as they were written, oldest first. */
  checkpoints(tree: string): Promise<readonly string[]>
  /** A store that can search does so in the same order as `queryStore`. */
  query?(filter: Filter): AsyncIterable<LogRecord>
  close(): Promise<void>
}
