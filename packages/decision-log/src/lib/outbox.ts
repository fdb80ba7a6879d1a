import { utf8Into } from './bytes.ts'

/** Texts that wait to be written, as UTF-8, one behind the other. */
export interface Outbox {
  bytes: Uint8Array
  used: number
  /** Whether something was written that has to be looked at; who wants to know sets it to 0 first. */
  sighted: number
}

/** Where a text stands in an outbox. */
export interface Span {
  readonly start: number
  readonly end: number
}

const first = 4096
const largestKept = 4 * 1024 * 1024

export const createOutbox = (): Outbox => ({ bytes: new Uint8Array(first), used: 0, sighted: 0 })

/** Makes room for so many more bytes. */
export function reserve(outbox: Outbox, length: number): void {
  const needed = outbox.used + length
  if (needed <= outbox.bytes.length) return
  const larger = new Uint8Array(Math.max(needed, 2 * outbox.bytes.length))
  larger.set(outbox.bytes.subarray(0, outbox.used))
  outbox.bytes = larger
}

/** Writes a text behind what is there. */
export function put(outbox: Outbox, text: string): void {
  // Three bytes are the most that one UTF-16 unit takes.
  reserve(outbox, 3 * text.length)
  outbox.used += utf8Into(text, outbox.bytes, outbox.used)
}

/** Writes a text that is ASCII throughout behind what is there. */
export function putAscii(outbox: Outbox, text: string): void {
  reserve(outbox, text.length)
  const { bytes, used } = outbox
  for (let at = 0; at < text.length; at += 1) bytes[used + at] = text.charCodeAt(at)
  outbox.used = used + text.length
}

/** Writes bytes behind what is there. */
export function putBytes(outbox: Outbox, bytes: Uint8Array): void {
  reserve(outbox, bytes.length)
  outbox.bytes.set(bytes, outbox.used)
  outbox.used += bytes.length
}

/** An empty outbox; the same one, unless it became too large to be kept. */
export function emptied(outbox: Outbox): Outbox {
  if (outbox.bytes.length > largestKept) return createOutbox()
  outbox.used = 0
  return outbox
}
