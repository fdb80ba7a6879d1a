import type { Checkpoint } from './checkpoint.ts'
import type { DecisionLogError } from './errors.ts'
import type { Sha256 } from './merkle.ts'
import type { Signer, Verifier } from './note.ts'
import type { KeepOptions } from './prepare.ts'
import type { LogStore } from './store.ts'

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
