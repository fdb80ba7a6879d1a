import { createHash } from 'node:crypto'
import { mediaTypeOf } from './media-type.ts'

/** The content of one document at one moment. */
export interface DocumentContent {
  /** A digest of the bytes: equal content, equal revision. */
  readonly revision: string
  readonly mimeType: string
  /** The text letter for letter (a byte order mark included), where the bytes are UTF-8. */
  readonly text?: string
  /** The bytes in base64, where they are not. */
  readonly blob?: string
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What is served for a file of this name with these bytes. */
export function contentOf(fileName: string, bytes: Uint8Array): DocumentContent {
  const revision = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const named = mediaTypeOf(fileName)
  const text = decode(bytes)
  if (text === undefined) {
    const mimeType = named ?? 'application/octet-stream'
    return { revision, mimeType, blob: Buffer.from(bytes).toString('base64') }
  }
  return { revision, mimeType: named ?? 'text/plain', text }
}

function decode(bytes: Uint8Array): string | undefined {
  // A NUL marks what no one reads as text, although it is legal UTF-8.
  if (bytes.includes(0)) return undefined
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}
