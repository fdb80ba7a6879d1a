import { join } from 'node:path'
import { isTreeName } from '../ids.ts'
import type { LineBatch } from '../store.ts'
import type { Disk } from './disk.ts'

/** One file of a tree. */
export interface Segment {
  readonly tree: string
  /** From 1, without gaps. */
  readonly number: number
  readonly file: string
}

// A line is at most a record's limit long; what is longer was not written by a log.
const longestLine = 16 * 1024 * 1024
const newline = 0x0a

export const segmentFile = (tree: string, number: number): string =>
  `${tree}.${String(number).padStart(6, '0')}.jsonl`

export const checkpointFile = (tree: string): string => `${tree}.checkpoints`

/** The segments in a folder, by tree, then by number. Other files are left alone. */
export async function listSegments(disk: Disk, folder: string): Promise<readonly Segment[]> {
  const segments: Segment[] = []
  for (const file of await disk.list(folder)) {
    const [tree = '', number = '', ending, ...more] = file.split('.')
    if (!isTreeName(tree) || !/^\d{6,}$/.test(number) || ending !== 'jsonl' || more.length > 0) continue
    segments.push({ tree, number: Number(number), file })
  }
  return segments.sort((a, b) => (a.tree === b.tree ? a.number - b.number : a.tree < b.tree ? -1 : 1))
}

/** The trees that have a checkpoint in a folder. */
export async function listCheckpoints(disk: Disk, folder: string): Promise<readonly string[]> {
  const ending = checkpointFile('')
  const files = (await disk.list(folder)).filter((file) => file.endsWith(ending))
  return files.map((file) => file.slice(0, -ending.length)).filter(isTreeName)
}

/** Reads the lines of the segments of one tree, about a megabyte at a time. */
export async function* readSegments(
  disk: Disk,
  folder: string,
  segments: readonly Segment[],
): AsyncGenerator<LineBatch, void> {
  for (const [at, { file }] of segments.entries()) {
    let firstLine = 1
    let offset = 0
    let rest: Uint8Array[] = []
    let restLength = 0
    for await (const chunk of disk.read(join(folder, file))) {
      const lines: Uint8Array[] = []
      let start = 0
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const piece = chunk.subarray(start, end)
        lines.push(rest.length === 0 ? piece : Buffer.concat([...rest, piece]))
        rest = []
        restLength = 0
        start = end + 1
      }
      if (start < chunk.length) {
        restLength += chunk.length - start
        // Too long for a line: enough of it is kept to be reported, and no more.
        if (restLength <= longestLine) rest.push(chunk.subarray(start))
      }
      offset += chunk.length
      if (lines.length > 0) yield { segment: file, firstLine, lines }
      firstLine += lines.length
    }
    if (restLength === 0) continue
    const last = at === segments.length - 1
    if (last)
      yield { segment: file, firstLine, lines: [], torn: { offset: offset - restLength, bytes: restLength } }
    else yield { segment: file, firstLine, lines: [Buffer.concat(rest)], unended: true }
  }
}
