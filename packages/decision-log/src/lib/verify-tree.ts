import { fromUtf8, utf8 } from './bytes.ts'
import type { Finding, Findings } from './findings.ts'
import { createHeads, type KnownCheckpoint } from './heads.ts'
import { isRecord } from './is-record.ts'
import { type LineParts, leafHashOf, leafOf, parseLine, splitLine, statedNode, statesNode } from './line.ts'
import {
  addLeaf,
  beforeLastLeaf,
  createFrontier,
  type Frontier,
  replaceLastNode,
  rootOf,
  type Sha256,
  skipLeaves,
} from './merkle.ts'
import { createMissing } from './missing.ts'
import type { LogStore } from './store.ts'
import type { TreeReport } from './verify.ts'

/**
 * Reads the lines of one tree. Where a record is not what its hash says, the check goes on from the stated hash,
 * so that one changed record gives one finding and everything behind it is still checked.
 */
export async function verifyTree(
  store: LogStore,
  tree: string,
  known: readonly KnownCheckpoint[],
  findings: Findings,
  hash: Sha256,
  progress: (records: number) => void,
): Promise<TreeReport> {
  const heads = createHeads(known, (finding) => findings.add({ tree, ...finding }), hash)
  const missing = createMissing()
  let frontier = createFrontier()
  const ownName = utf8(JSON.stringify(tree))
  let origin: string | undefined
  let lines = 0
  // The last record that did not fit its hash, with the tree before it: the true one may follow.
  let doubtful: { readonly before: Frontier; readonly finding: Finding; readonly index: number } | undefined

  const error = (finding: Omit<Finding, 'tree' | 'severity'>): Finding => {
    const made: Finding = { severity: 'error', tree, ...finding }
    findings.add(made)
    return made
  }

  const removed = (from: number, to: number): void => {
    const message =
      to - from === 1 ? `Record ${from} was removed.` : `Records ${from} to ${to - 1} were removed.`
    error({ kind: 'removed', index: from, end: to, message })
  }

  const take = (bytes: Uint8Array, parts: LineParts, segment: string, line: number): void => {
    const { index } = parts
    const node = addLeaf(frontier, leafHashOf(bytes, parts, hash), hash)
    doubtful = undefined
    if (node === undefined || !statesNode(bytes, parts, node)) {
      if (node === undefined) {
        const message = `Record ${index} cannot be checked on its own: a record it was hashed together with is missing.`
        findings.add({ kind: 'unverifiable', severity: 'note', tree, index, segment, line, message })
      } else {
        const message = `Record ${index} was changed, or its hash was.`
        const finding = error({ kind: 'changed', index, segment, line, message })
        doubtful = { before: beforeLastLeaf(frontier), finding, index }
      }
      const stated = statedNode(bytes, parts)
      if (stated) replaceLastNode(frontier, stated)
    } else if (index > 0 && !isRecord(bytes, index, origin === undefined ? undefined : ownName)) {
      const message = `Record ${index} is as it was written, and is not the JSON of a record of this place.`
      error({ kind: 'malformed', index, segment, line, message })
    }
    if (index === 0) origin = checkHeader(leafOf(bytes, parts), segment)
  }

  const checkHeader = (leaf: Uint8Array, segment: string): string | undefined => {
    const text = fromUtf8(leaf)
    const record = text === undefined ? undefined : parseLine(text)
    // What the line holds is whatever somebody put there.
    const stated: unknown = record?.type === 'log' && record.tree === tree ? record.origin : undefined
    if (typeof stated === 'string' && stated.endsWith(`/${tree}`)) return stated
    const named = record ? `names the tree ${record.tree}` : 'is not a header'
    error({ kind: 'foreign', index: 0, segment, line: 1, message: `The first record ${named}, not ${tree}.` })
    return undefined
  }

  const misplaced = (bytes: Uint8Array, parts: LineParts, segment: string, line: number): void => {
    const { index } = parts
    if (missing.take(index)) {
      const message = `Record ${index} stands behind record ${frontier.size - 1}.`
      error({ kind: 'reordered', index, segment, line, message })
      return
    }
    if (doubtful?.index === index) {
      const again = doubtful.before
      const node = addLeaf(again, leafHashOf(bytes, parts, hash), hash)
      if (node !== undefined && statesNode(bytes, parts, node)) {
        const { finding } = doubtful
        const message = `A line that claims to be record ${index} was inserted before the true one.`
        findings.replace(finding, { ...finding, kind: 'inserted', message })
        frontier = again
        doubtful = undefined
        return
      }
    }
    error({ kind: 'inserted', index, segment, line, message: `A second line claims to be record ${index}.` })
  }

  for await (const batch of store.read(tree)) {
    for (const [at, bytes] of batch.lines.entries()) {
      const { segment } = batch
      const line = batch.firstLine + at
      lines += 1
      const parts = splitLine(bytes)
      if (!parts) {
        error({ kind: 'malformed', index: frontier.size, segment, line, message: 'Not a line of a log.' })
        continue
      }
      const { index } = parts
      if (index < frontier.size) {
        misplaced(bytes, parts, segment, line)
        continue
      }
      if (index > frontier.size) {
        if (!missing.add(frontier.size, index)) removed(frontier.size, index)
        skipLeaves(frontier, index)
        heads.compare(frontier, origin)
      }
      take(bytes, parts, segment, line)
      heads.compare(frontier, origin)
    }
    for (const { line, column } of batch.mislabelled ?? [])
      error({
        kind: 'mislabelled',
        segment: batch.segment,
        line,
        index: line - 1,
        message: `The column ${column} says something else than the record.`,
      })
    if (batch.unended) {
      const { segment, firstLine, lines: last } = batch
      const message =
        'The newline behind the last line of this segment is gone; what the line holds is checked.'
      const line = firstLine + last.length - 1
      findings.add({ kind: 'unended', severity: 'note', tree, segment, line, message })
    }
    if (batch.torn) {
      const { offset, bytes } = batch.torn
      const message = `The last line was not written to its end: ${bytes} bytes behind record ${frontier.size - 1}. It was never acknowledged.`
      findings.add({
        kind: 'torn',
        severity: 'note',
        tree,
        segment: batch.segment,
        offset,
        index: frontier.size,
        message,
      })
    }
    progress(lines)
  }

  for (const [from, to] of missing.ranges()) removed(from, to)
  heads.compare(frontier, origin)
  heads.finish(frontier.size)
  const { fitting, sealed } = heads
  return { tree, origin, records: lines, root: rootOf(frontier, hash), checkpoints: fitting, sealed }
}
