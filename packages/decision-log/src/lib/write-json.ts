import { type Outbox, put, reserve } from './outbox.ts'
import { classes, sights } from './suspicion.ts'

/** `given`: members as `JSON.stringify` has them; `canonical`: RFC 8785, sorted by UTF-16 code units. */
export type MemberOrder = 'given' | 'canonical'

const deepest = 64
const quote = 0x22
const comma = 0x2c
const digit0 = 0x30
const colon = 0x3a
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
const mostDigits = 10
const fewNames = 12
const noNames: ReadonlySet<string> = new Set()
// In place of a position: left to others.
const left = -1

/**
 * Writes a plain JSON value into an outbox, as the bytes that `JSON.stringify` gives or the RFC 8785 form. Most records
 * are short ASCII, and writing them at once saves the text, and turning it into bytes.
 *
 * Where a text may hold something that the usual rules take out, or is not printable ASCII, the outbox is `sighted`.
 *
 * @param without names of the value's own members that are not written
 * @returns false for what is left to others, and then nothing was added: objects with a prototype or `toJSON`, what is
 * not JSON, very deep values, and in canonical order lone surrogates
 */
export function writeJson(outbox: Outbox, value: unknown, order: MemberOrder, without = noNames): boolean {
  const start = outbox.used
  const end = inheritsNothing() ? write(outbox, start, value, order === 'canonical', deepest, without) : left
  outbox.used = end === left ? start : end
  return end !== left
}

/** Whether going through the members of a plain object meets its own alone. */
function inheritsNothing(): boolean {
  for (const _ in Object.prototype) return false
  return true
}

// Each part of the writer is given where to write and returns where that ends: handing a position on costs less than
// keeping it in the outbox.

function write(
  outbox: Outbox,
  at: number,
  value: unknown,
  canonical: boolean,
  depthLeft: number,
  without: ReadonlySet<string>,
): number {
  if (typeof value === 'string') return writeString(outbox, at, value, canonical)
  if (typeof value === 'number') return writeNumber(outbox, at, value)
  if (value === null || typeof value === 'boolean') return putAt(outbox, at, String(value))
  if (typeof value !== 'object' || depthLeft === 0) return left
  if (typeof (value as { readonly toJSON?: unknown }).toJSON === 'function') return left
  if (Array.isArray(value)) return writeList(outbox, at, value, canonical, depthLeft - 1)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return left
  const object = value as Readonly<Record<string, unknown>>
  return canonical
    ? writeSorted(outbox, at, object, depthLeft - 1, without)
    : writeMembers(outbox, at, object, depthLeft - 1, without)
}

/** Makes room for bytes at a position, and gives what they are written into. */
function roomAt(outbox: Outbox, at: number, length: number): Uint8Array {
  if (at + length > outbox.bytes.length) {
    outbox.used = at
    reserve(outbox, length)
  }
  return outbox.bytes
}

function putAt(outbox: Outbox, at: number, text: string): number {
  outbox.used = at
  put(outbox, text)
  return outbox.used
}

function writeByte(outbox: Outbox, at: number, byte: number): number {
  roomAt(outbox, at, 1)[at] = byte
  return at + 1
}

function writeString(outbox: Outbox, start: number, text: string, canonical: boolean): number {
  const { length } = text
  const bytes = roomAt(outbox, start, length + 2)
  // What is local is at hand in the loop.
  const [classOf, sightOf] = [classes, sights]
  let recent = 0
  let sighted = 0
  bytes[start] = quote
  let at = start + 1
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code > 0x7e || code === quote || code === backslash) {
      outbox.sighted = 1
      const json = JSON.stringify(text)
      // The engine escapes lone surrogates; a backslash before such letters looks the same, and is left to others too.
      return canonical && json.includes('\\ud') ? left : putAt(outbox, start, json)
    }
    bytes[at] = code
    at += 1
    recent = ((recent << 5) | (classOf[code] as number)) & 0x7fff
    sighted |= sightOf[recent] as number
  }
  bytes[at] = quote
  outbox.sighted |= sighted
  return at + 1
}

function writeNumber(outbox: Outbox, at: number, value: number): number {
  if (value !== (value | 0) || value < 0)
    return Number.isFinite(value) ? putAt(outbox, at, String(value)) : left
  const bytes = roomAt(outbox, at, mostDigits)
  let end = at + 1
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) end += 1
  let rest = value
  for (let position = end - 1; position >= at; position -= 1) {
    bytes[position] = digit0 + (rest % 10)
    rest = (rest / 10) | 0
  }
  return end
}

function writeList(
  outbox: Outbox,
  start: number,
  list: readonly unknown[],
  canonical: boolean,
  depthLeft: number,
): number {
  let at = writeByte(outbox, start, openList)
  for (let index = 0; index < list.length; index += 1) {
    if (index > 0) at = writeByte(outbox, at, comma)
    at = write(outbox, at, list[index], canonical, depthLeft, noNames)
    if (at === left) return left
  }
  return writeByte(outbox, at, closeList)
}

function writeMembers(
  outbox: Outbox,
  start: number,
  object: Readonly<Record<string, unknown>>,
  depthLeft: number,
  without: ReadonlySet<string>,
): number {
  let at = writeByte(outbox, start, openObject)
  // The engine has the members' places at hand in such a loop alone, which is why this is not the loop of `writeSorted`.
  for (const name in object) {
    const value = object[name]
    if (value === undefined || (without.size > 0 && without.has(name))) continue
    if (at > start + 1) at = writeByte(outbox, at, comma)
    at = writeString(outbox, at, name, false)
    at = writeByte(outbox, at, colon)
    at = write(outbox, at, value, false, depthLeft, noNames)
    if (at === left) return left
  }
  return writeByte(outbox, at, closeObject)
}

function writeSorted(
  outbox: Outbox,
  start: number,
  object: Readonly<Record<string, unknown>>,
  depthLeft: number,
  without: ReadonlySet<string>,
): number {
  const names = Object.keys(object)
  sortNames(names)
  let at = writeByte(outbox, start, openObject)
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string
    const value = object[name]
    if (value === undefined || without.has(name)) continue
    if (at > start + 1) at = writeByte(outbox, at, comma)
    at = writeString(outbox, at, name, true)
    if (at === left) return left
    at = writeByte(outbox, at, colon)
    at = write(outbox, at, value, true, depthLeft, noNames)
    if (at === left) return left
  }
  return writeByte(outbox, at, closeObject)
}

/** By UTF-16 code units, as RFC 8785, section 3.2.3 has it. The engine's sort has a price for short lists. */
function sortNames(names: string[]): void {
  if (names.length > fewNames) {
    names.sort()
    return
  }
  for (let index = 1; index < names.length; index += 1) {
    const name = names[index] as string
    let at = index
    for (; at > 0 && (names[at - 1] as string) > name; at -= 1) names[at] = names[at - 1] as string
    names[at] = name
  }
}
