import { type Outbox, put, reserve } from './outbox.ts'

/** `given`: members as `JSON.stringify` has them; `canonical`: RFC 8785, sorted by UTF-16 code units. */
export type MemberOrder = 'given' | 'canonical'

const deepest = 64
const quote = 0x22
const backslash = 0x5c
const digit0 = 0x30
// Larger ones are written by the engine.
const largestInteger = 1e9
const fewNames = 12

/**
 * Writes a plain JSON value into an outbox, as the bytes that `JSON.stringify` gives or the RFC 8785 form. Most records
 * are short ASCII, and writing them at once saves the text, and turning it into bytes.
 *
 * @returns false for what is left to others, and then the outbox has a part of it behind what was there: objects with
 * a prototype or `toJSON`, what is not JSON, very deep values, and in canonical order lone surrogates
 */
export const writeJson = (outbox: Outbox, value: unknown, order: MemberOrder): boolean =>
  write(outbox, value, order === 'canonical', deepest)

function write(outbox: Outbox, value: unknown, canonical: boolean, depthLeft: number): boolean {
  if (typeof value === 'string') return writeString(outbox, value, canonical)
  if (typeof value === 'number') return writeNumber(outbox, value)
  if (value === null || typeof value === 'boolean') {
    put(outbox, String(value))
    return true
  }
  if (typeof value !== 'object' || depthLeft === 0 || 'toJSON' in value) return false
  return Array.isArray(value)
    ? writeList(outbox, value, canonical, depthLeft - 1)
    : writeObject(outbox, value as Readonly<Record<string, unknown>>, canonical, depthLeft - 1)
}

function writeByte(outbox: Outbox, byte: number): void {
  reserve(outbox, 1)
  outbox.bytes[outbox.used] = byte
  outbox.used += 1
}

function writeString(outbox: Outbox, text: string, canonical: boolean): boolean {
  const { length } = text
  reserve(outbox, length + 2)
  const { bytes } = outbox
  let at = outbox.used
  bytes[at] = quote
  at += 1
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code > 0x7e || code === quote || code === backslash) {
      const json = JSON.stringify(text)
      // The engine escapes lone surrogates; a backslash before such letters looks the same, and is left to others too.
      if (canonical && json.includes('\\ud')) return false
      put(outbox, json)
      return true
    }
    bytes[at] = code
    at += 1
  }
  bytes[at] = quote
  outbox.used = at + 1
  return true
}

function writeNumber(outbox: Outbox, value: number): boolean {
  if (!Number.isFinite(value)) return false
  if (!Number.isInteger(value) || value < 0 || value >= largestInteger) {
    put(outbox, String(value))
    return true
  }
  let digits = 1
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits += 1
  reserve(outbox, digits)
  let rest = value
  for (let at = outbox.used + digits - 1; at >= outbox.used; at -= 1) {
    outbox.bytes[at] = digit0 + (rest % 10)
    rest = Math.floor(rest / 10)
  }
  outbox.used += digits
  return true
}

function writeList(outbox: Outbox, list: readonly unknown[], canonical: boolean, depthLeft: number): boolean {
  writeByte(outbox, 0x5b)
  for (let index = 0; index < list.length; index += 1) {
    if (index > 0) writeByte(outbox, 0x2c)
    if (!write(outbox, list[index], canonical, depthLeft)) return false
  }
  writeByte(outbox, 0x5d)
  return true
}

function writeObject(
  outbox: Outbox,
  object: Readonly<Record<string, unknown>>,
  canonical: boolean,
  depthLeft: number,
): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null) return false
  const names = Object.keys(object)
  if (canonical) sortNames(names)
  writeByte(outbox, 0x7b)
  let first = true
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string
    const value = object[name]
    if (value === undefined) continue
    if (!first) writeByte(outbox, 0x2c)
    first = false
    if (!writeString(outbox, name, canonical)) return false
    writeByte(outbox, 0x3a)
    if (!write(outbox, value, canonical, depthLeft)) return false
  }
  writeByte(outbox, 0x7d)
  return true
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
