import { base64Into, fromBase64, fromUtf8, isBase64Of, utf8 } from './bytes.ts'
import { hashScratch, leafScratch, type Sha256 } from './merkle.ts'
import type { LogRecord } from './record.ts'

// A line is the leaf's JSON text with the completed node as its last member: `{"index":7,…,"hash":"<base64>"}`.
const beforeHash = ',"hash":"'
const hashLength = 44
const suffixLength = beforeHash.length + hashLength + 2
const beforeIndex = '{"index":'
const newline = 0x0a
const hashCodes = Uint8Array.from(beforeHash, (character) => character.charCodeAt(0))
const indexCodes = Uint8Array.from(beforeIndex, (character) => character.charCodeAt(0))

/** How many bytes a line takes beside its leaf, the newline included. */
export const lineOverhead = suffixLength

/** Writes `{"index":` and the index. Returns where it ends. */
export function writeIndex(into: Uint8Array, at: number, index: number): number {
  into.set(indexCodes, at)
  const start = at + indexCodes.length
  let end = start + 1
  for (let rest = index; rest >= 10; rest = Math.floor(rest / 10)) end += 1
  let rest = index
  for (let position = end - 1; position >= start; position -= 1) {
    into[position] = 0x30 + (rest % 10)
    rest = Math.floor(rest / 10)
  }
  return end
}

/** Writes what follows a leaf, in the place of its closing brace: the node, and a newline. Returns where it ends. */
export function writeLineEnd(into: Uint8Array, at: number, node: Uint8Array): number {
  into.set(hashCodes, at)
  base64Into(node, into, at + beforeHash.length)
  const end = at + beforeHash.length + hashLength
  into[end] = 0x22
  into[end + 1] = 0x7d
  into[end + 2] = newline
  return end + 3
}

/** The lines in bytes that each end with a newline. */
export function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(newline, start)
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  return lines
}

/** Where the parts of a line are. */
export interface LineParts {
  readonly index: number
  /** The length of the leaf without its closing brace. */
  readonly end: number
}

/** Finds the parts of a line without reading its JSON; `undefined` where it does not have the shape of one. */
export function splitLine(line: Uint8Array): LineParts | undefined {
  const end = line.length - suffixLength
  if (end <= beforeIndex.length) return undefined
  for (let at = 0; at < beforeIndex.length; at += 1) if (line[at] !== indexCodes[at]) return undefined
  for (let at = 0; at < beforeHash.length; at += 1) if (line[end + at] !== hashCodes[at]) return undefined
  if (line[line.length - 2] !== 0x22 || line[line.length - 1] !== 0x7d) return undefined
  let index = 0
  let at = beforeIndex.length
  for (; at < end; at += 1) {
    const digit = (line[at] as number) - 0x30
    if (digit < 0 || digit > 9) break
    index = index * 10 + digit
  }
  const digits = at - beforeIndex.length
  if (digits === 0 || digits > 15 || (digits > 1 && line[beforeIndex.length] === 0x30)) return undefined
  return line[at] === 0x2c ? { index, end } : undefined
}

/** The bytes of the leaf of a line. */
export function leafOf(line: Uint8Array, { end }: LineParts): Uint8Array {
  const leaf = line.slice(0, end + 1)
  leaf[end] = 0x7d
  return leaf
}

/** The hash of the leaf of a line. */
export function leafHashOf(line: Uint8Array, { end }: LineParts, hash: Sha256): Uint8Array {
  const room = leafScratch(end + 1)
  room.set(line.subarray(0, end), 1)
  room[end + 1] = 0x7d
  return hashScratch(end + 1, hash)
}

/** Whether a line states this node. */
export const statesNode = (line: Uint8Array, { end }: LineParts, node: Uint8Array): boolean =>
  isBase64Of(line, end + beforeHash.length, node)

/** The node that a line states, or `undefined` where it is not 32 bytes in base64. */
export function statedNode(line: Uint8Array, { end }: LineParts): Uint8Array | undefined {
  const text = fromUtf8(line.subarray(end + beforeHash.length, line.length - 2))
  const node = text === undefined ? undefined : fromBase64(text)
  return node?.length === 32 ? node : undefined
}

/** Reads a line as a record; `undefined` where it is not one. Members of later versions stay. */
export function parseLine(line: string): LogRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { index, time, tree, type, id } = value as Partial<LogRecord>
  const whole =
    Number.isSafeInteger(index) &&
    typeof time === 'string' &&
    typeof tree === 'string' &&
    typeof type === 'string' &&
    typeof id === 'string'
  return whole ? (value as LogRecord) : undefined
}

/** The bytes of a line. */
export const lineBytes = (line: string): Uint8Array => utf8(line)
