import { hexDigits, toHex, utf8 } from './bytes.ts'
import { type Outbox, reserve } from './outbox.ts'

interface Randomness {
  readonly crypto: { getRandomValues(bytes: Uint8Array): Uint8Array }
}

const pool = new Uint8Array(4096)
let used = pool.length

/** The position of so many random bytes in the pool, which are given once. */
function takeRandom(count: number): number {
  if (used + count > pool.length) {
    ;(globalThis as unknown as Randomness).crypto.getRandomValues(pool)
    used = 0
  }
  used += count
  return used - count
}

// Ids of one millisecond begin alike.
let stamped = Number.NaN
let stamp = ''
let stampBytes: Uint8Array = new Uint8Array(0)

function stampOf(time: number): string {
  if (time !== stamped) {
    const digits = Math.max(0, time).toString(16).padStart(12, '0').slice(-12)
    stamp = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
    stampBytes = utf8(stamp)
    stamped = time
  }
  return stamp
}

/** A version 7 UUID of a time and the random bytes at a position of the pool, the variant among them. */
function uuidOf(time: number, from: number): string {
  const hex = (at: number): string => hexDigits[pool[from + at] as number] as string
  return `${stampOf(time)}${hex(0).slice(1)}${hex(1)}-${hex(2)}${hex(3)}-${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`
}

function takeUuid(): number {
  const from = takeRandom(10)
  pool[from + 2] = ((pool[from + 2] as number) & 0x3f) | 0x80
  return from
}

/** A version 7 UUID (RFC 9562, section 5.7): the time in milliseconds, then 74 random bits. */
export const uuidv7 = (time: number): string => uuidOf(time, takeUuid())

const uuidLength = 36
const dash = 0x2d
const digitCodes = utf8('0123456789abcdef')

/** Writes a version 7 UUID into an outbox, and returns it. The text need not be put together for its bytes. */
export function putUuidv7(outbox: Outbox, time: number): string {
  const from = takeUuid()
  const text = uuidOf(time, from)
  reserve(outbox, uuidLength)
  const { bytes } = outbox
  bytes.set(stampBytes, outbox.used)
  let at = outbox.used + stampBytes.length
  bytes[at] = digitCodes[(pool[from] as number) & 15] as number
  at += 1
  for (let index = 1; index < 10; index += 1) {
    const byte = pool[from + index] as number
    if (index === 2 || index === 4) {
      bytes[at] = dash
      at += 1
    }
    bytes[at] = digitCodes[byte >> 4] as number
    bytes[at + 1] = digitCodes[byte & 15] as number
    at += 2
  }
  outbox.used = at
  return text
}

/**
 * Names the trees of one writer: when a tree was started, 48 random bits of the writer, and a count, so that the
 * names sort by time, and those of one writer in the order they were made.
 */
export function createTreeNames(): (time: number) => string {
  const from = takeRandom(6)
  const writer = toHex(pool.subarray(from, from + 6))
  let count = 0
  return (time) => {
    const stamp = new Date(time).toISOString().replaceAll(/[-:.]/g, '')
    const name = `${stamp}-${writer}${(count % 0x10000).toString(16).padStart(4, '0')}`
    count += 1
    return name
  }
}

/** When a tree was started, in milliseconds, from its name. */
export function treeStarted(tree: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-/.exec(tree)
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second, milli] = parts
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milli}Z`)
}

/** Whether a text can be the name of a tree: it becomes a part of file names. */
export const isTreeName = (text: string): boolean => /^\d{8}T\d{9}Z-[0-9a-f]{16}$/.test(text)
