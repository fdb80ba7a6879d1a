import { toHex } from './bytes.ts'

interface Randomness {
  readonly crypto: { getRandomValues(bytes: Uint8Array): Uint8Array }
}

const pool = new Uint8Array(4096)
let used = pool.length

function randomBytes(count: number): Uint8Array {
  if (used + count > pool.length) {
    ;(globalThis as unknown as Randomness).crypto.getRandomValues(pool)
    used = 0
  }
  used += count
  return pool.slice(used - count, used)
}

/** A version 7 UUID (RFC 9562, section 5.7): the time in milliseconds, then 74 random bits. */
export function uuidv7(time: number): string {
  const bytes = randomBytes(16)
  let rest = time
  for (let at = 5; at >= 0; at -= 1) {
    bytes[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = toHex(bytes)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/**
 * Names the trees of one writer: when a tree was started, 48 random bits of the writer, and a count, so that the
 * names sort by time, and those of one writer in the order they were made.
 */
export function createTreeNames(): (time: number) => string {
  const writer = toHex(randomBytes(6))
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
