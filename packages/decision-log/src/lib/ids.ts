import { hexDigits, toHex } from './bytes.ts'

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

function stampOf(time: number): string {
  if (time !== stamped) {
    const digits = Math.max(0, time).toString(16).padStart(12, '0').slice(-12)
    stamp = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
    stamped = time
  }
  return stamp
}

/** A version 7 UUID (RFC 9562, section 5.7): the time in milliseconds, then 74 random bits. */
export function uuidv7(time: number): string {
  const from = takeRandom(10)
  const hex = (at: number): string => hexDigits[pool[from + at] as number] as string
  const variant = hexDigits[((pool[from + 2] as number) & 0x3f) | 0x80]
  return `${stampOf(time)}${hex(0).slice(1)}${hex(1)}-${variant}${hex(3)}-${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`
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
