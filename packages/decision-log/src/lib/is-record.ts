import { fromUtf8, utf8 } from './bytes.ts'
import { parseLine } from './line.ts'

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c
const openList = 0x5b
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
const deepest = 64
// Left to others, or no JSON.
const other = -1

const escapes = new Set(utf8('"\\/bfnrt'))
const literals = ['true', 'false', 'null'].map(utf8)
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39
const inNumber = new Set(utf8('0123456789+-.eE'))
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The members that a record has once, in the order of the bits that say which were read. */
const own = ['index', 'tree', 'id', 'time', 'type'].map(utf8)
const all = (1 << own.length) - 1

const isAt = (bytes: Uint8Array, at: number, text: Uint8Array): boolean => {
  for (let place = 0; place < text.length; place += 1) if (bytes[at + place] !== text[place]) return false
  return true
}

/** Whether a name may be one of those, spelt otherwise. */
function isEscaped(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (bytes[at] === backslash) return true
  return false
}

/** Where a text ends that begins with the quotation mark at a place. */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = from + 1
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (byte === quote) return at + 1
    // Text beyond ASCII has to be well-formed too.
    if (byte < 0x20 || byte > 0x7f) return other
    if (byte !== backslash) continue
    at += 1
    if (bytes[at] === 0x75) {
      for (const end = at + 4; at < end; at += 1)
        if (!/[\da-f]/i.test(String.fromCharCode(bytes[at + 1] as number))) return other
    } else if (!escapes.has(bytes[at] as number)) return other
  }
  return other
}

function endOfNumber(bytes: Uint8Array, from: number): number {
  let at = from
  while (isDigit(bytes[at] as number)) at += 1
  const whole = at > from && (bytes[from] !== 0x30 || at === from + 1)
  if (whole && !inNumber.has(bytes[at] as number)) return at
  while (inNumber.has(bytes[at] as number)) at += 1
  return number.test(String.fromCharCode(...bytes.subarray(from, at))) ? at : other
}

function endOfValue(bytes: Uint8Array, at: number, depth: number): number {
  const byte = bytes[at]
  if (byte === quote) return endOfText(bytes, at)
  if (byte === openObject) return endOfObject(bytes, at, depth + 1)
  if (byte === openList) return endOfList(bytes, at, depth + 1)
  for (const literal of literals) if (isAt(bytes, at, literal)) return at + literal.length
  return endOfNumber(bytes, at)
}

function endOfList(bytes: Uint8Array, from: number, depth: number): number {
  if (bytes[from + 1] === closeList) return from + 2
  let at = from
  do {
    at = depth > deepest ? other : endOfValue(bytes, at + 1, depth)
    if (at === other) return other
  } while (bytes[at] === comma)
  return bytes[at] === closeList ? at + 1 : other
}

function endOfObject(
  bytes: Uint8Array,
  from: number,
  depth: number,
  named?: (name: number, value: number) => boolean,
): number {
  if (bytes[from + 1] === closeObject) return from + 2
  let at = from
  do {
    const name = at + 1
    if (depth > deepest || bytes[name] !== quote) return other
    at = endOfText(bytes, name)
    if (at === other || bytes[at] !== colon) return other
    if (named && !named(name, at + 1)) return other
    at = endOfValue(bytes, at + 1, depth)
    if (at === other) return other
  } while (bytes[at] === comma)
  return bytes[at] === closeObject ? at + 1 : other
}

/**
 * Whether a line is JSON, and the record that it says it is: a reader takes the last of members of one name. What a log
 * writes is told without making objects of it; anything else is read.
 *
 * @param tree the JSON of the tree's name; `undefined` where any will do
 */
export function isRecord(line: Uint8Array, index: number, tree: Uint8Array | undefined): boolean {
  let seen = 0
  const end = endOfObject(line, 0, 1, (name, value) => {
    for (let at = 0; at < own.length; at += 1) {
      const text = own[at] as Uint8Array
      if (line[name + 1 + text.length] !== quote || !isAt(line, name + 1, text)) continue
      if ((seen & (1 << at)) !== 0) return false
      seen |= 1 << at
      // The index is the first member, and was read.
      if (at === 0) return name === 1
      return at === 1 && tree ? isAt(line, value, tree) : line[value] === quote
    }
    return !isEscaped(line, name, value)
  })
  if (line[0] === openObject && end === line.length && seen === all) return true
  const text = fromUtf8(line)
  const record = text === undefined ? undefined : parseLine(text)
  return record?.index === index && (!tree || JSON.stringify(record.tree) === fromUtf8(tree))
}
