import { fromBase64, fromUtf8, toBase64, utf8 } from './bytes.ts'
import type { JsonObject } from './json.ts'
import type { LogRecord } from './record.ts'

// A line is the leaf's JSON text with the completed node as its last member: `{"index":7,…,"hash":"<base64>"}`.
const beforeHash = ',"hash":"'
const hashLength = 44
const suffixLength = beforeHash.length + hashLength + 2
const beforeIndex = '{"index":'

/** The text of a leaf: a record without its `hash`, `index` first. */
export const leafText = (record: JsonObject): string => JSON.stringify(record)

/** A line of the log (without its newline): the leaf's text, and the node that the leaf completed as last member. */
export const formatLine = (leaf: string, node: Uint8Array): string =>
  `${leaf.slice(0, -1)}${beforeHash}${toBase64(node)}"}`

/** What a verifier needs of a line. */
export interface LineParts {
  readonly index: number
  /** The bytes of the leaf. */
  readonly leaf: Uint8Array
  /** The node that the line states. */
  readonly node: Uint8Array
}

/** Takes a line apart without reading its JSON; `undefined` where it does not have the shape of one. */
export function splitLine(line: Uint8Array): LineParts | undefined {
  const end = line.length - suffixLength
  if (end < beforeIndex.length + 1) return undefined
  for (let at = 0; at < beforeIndex.length; at += 1)
    if (line[at] !== beforeIndex.charCodeAt(at)) return undefined
  for (let at = 0; at < beforeHash.length; at += 1)
    if (line[end + at] !== beforeHash.charCodeAt(at)) return undefined
  if (line.at(-2) !== 0x22 || line.at(-1) !== 0x7d) return undefined
  let index = 0
  let at = beforeIndex.length
  for (; at < end; at += 1) {
    const digit = (line[at] ?? 0) - 0x30
    if (digit < 0 || digit > 9) break
    index = index * 10 + digit
  }
  const digits = at - beforeIndex.length
  if (digits === 0 || digits > 16 || (digits > 1 && line[beforeIndex.length] === 0x30)) return undefined
  if (line[at] !== 0x2c || !Number.isSafeInteger(index)) return undefined
  const text = fromUtf8(line.subarray(end + beforeHash.length, line.length - 2))
  const node = text === undefined ? undefined : fromBase64(text)
  if (node?.length !== 32) return undefined
  const leaf = new Uint8Array(end + 1)
  leaf.set(line.subarray(0, end))
  leaf[end] = 0x7d
  return { index, leaf, node }
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
