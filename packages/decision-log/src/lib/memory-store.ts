import { DecisionLogError } from './errors.ts'
import { splitLines } from './line.ts'
import type { LogStore } from './store.ts'

interface MemoryTree {
  readonly lines: Uint8Array[]
  readonly checkpoints: string[]
}

/** A log that lasts as long as the process: for tests, and for programs that keep records elsewhere. */
export function memoryStore(): LogStore {
  const trees = new Map<string, MemoryTree>()
  return {
    async openTree(tree) {
      if (trees.has(tree))
        throw new DecisionLogError('write-failed', `The tree ${tree} exists already.`, { tree })
      const kept: MemoryTree = { lines: [], checkpoints: [] }
      trees.set(tree, kept)
      return {
        append(lines) {
          for (const line of splitLines(lines.slice())) kept.lines.push(line)
        },
        sync() {},
        async checkpoint(note) {
          kept.checkpoints.push(note)
        },
        async close() {},
      }
    },
    async trees() {
      return [...trees.keys()].sort()
    },
    async *read(tree) {
      const lines = [...(trees.get(tree)?.lines ?? [])]
      if (lines.length > 0) yield { segment: tree, firstLine: 1, lines }
    },
    async checkpoints(tree) {
      return [...(trees.get(tree)?.checkpoints ?? [])]
    },
    async close() {},
  }
}
