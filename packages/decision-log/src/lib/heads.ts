import type { ParsedCheckpoint } from './checkpoint.ts'
import type { Finding } from './findings.ts'
import { type Frontier, rootOf, type Sha256, sameHash } from './merkle.ts'

/** A checkpoint that is to be relied on. */
export interface KnownCheckpoint {
  readonly checkpoint: ParsedCheckpoint
  /** Whether it was kept outside of the store. */
  readonly outside: boolean
}

/** The checkpoints of one tree, compared with it while it is read. */
export interface Heads {
  /** Compares the checkpoints of the size that the tree has now; those inside a gap are passed over. */
  compare(frontier: Frontier, origin: string | undefined): void
  /** Says what the tree lacks, when it has been read to its end. */
  finish(size: number): void
  /** How many fitted. */
  readonly fitting: number
  /** The largest size of one that fitted, before the first that did not. */
  readonly sealed: number
}

export function createHeads(
  known: readonly KnownCheckpoint[],
  report: (finding: Omit<Finding, 'tree'>) => void,
  hash: Sha256,
): Heads {
  const heads = [...known].sort((a, b) => a.checkpoint.size - b.checkpoint.size)
  const elsewhere = (outside: boolean): string => (outside ? ' that was kept elsewhere' : '')
  let next = 0
  let fitting = 0
  let sealed = 0
  let fit: ParsedCheckpoint | undefined
  let broken = false

  const differs = ({ checkpoint, outside }: KnownCheckpoint): void => {
    const { size } = checkpoint
    if (fit?.size === size) {
      const message = `Two checkpoints of ${size} records have different roots.`
      report({ kind: 'forked', severity: 'error', size, message })
      return
    }
    // What follows the first one that does not fit does not fit either.
    if (broken && !outside) return
    broken = true
    const message = `Records ${sealed} to ${size - 1} are not those that the checkpoint${elsewhere(outside)} covers: something among them was changed, removed or inserted, and the hashes were made anew.`
    report({ kind: 'rewritten', severity: 'error', index: sealed, end: size, size, message })
  }

  const judge = (head: KnownCheckpoint, frontier: Frontier, origin: string | undefined): void => {
    const { checkpoint } = head
    const { size } = checkpoint
    if (origin !== undefined && checkpoint.origin !== origin) {
      const message = `The checkpoint of ${size} records is of ${checkpoint.origin}, not of ${origin}.`
      report({ kind: 'foreign', severity: 'error', size, message })
      return
    }
    const root = rootOf(frontier, hash)
    if (root === undefined) {
      const message = `The checkpoint of ${size} records cannot be compared: records it covers are missing.`
      report({ kind: 'unverifiable', severity: 'note', size, message })
    } else if (sameHash(root, checkpoint.root)) {
      fitting += 1
      fit = checkpoint
      if (!broken) sealed = size
    } else differs(head)
  }

  return {
    get fitting() {
      return fitting
    },
    get sealed() {
      return sealed
    },
    compare(frontier, origin) {
      for (let head = heads[next]; head && head.checkpoint.size <= frontier.size; head = heads[next]) {
        next += 1
        if (head.checkpoint.size === frontier.size) judge(head, frontier, origin)
      }
    },
    finish(have) {
      const longest = heads.at(-1)
      if (!longest || longest.checkpoint.size <= have) return
      const { size } = longest.checkpoint
      const message = `Records ${have} to ${size - 1} were cut off: a checkpoint${elsewhere(longest.outside)} covers ${size}.`
      report({ kind: 'cut', severity: 'error', index: have, end: size, size, message })
    },
  }
}
