/** Where a paged listing over several servers stands: at which server, and at which of its own cursors. */
export interface ListCursor {
  readonly server: string
  /** The server's own cursor, passed back as it came; absent for its first page. */
  readonly cursor?: string | undefined
}

/** Cursors are opaque to clients (2025-11-25 server/utilities/pagination); ours is base64url of JSON. */
export const encodeCursor = ({ server, cursor }: ListCursor): string =>
  Buffer.from(JSON.stringify(cursor === undefined ? [server] : [server, cursor])).toString('base64url')

/** Reads a cursor back; `undefined` if it is not one of ours. */
export function decodeCursor(text: string): ListCursor | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (!Array.isArray(value) || value.length < 1 || value.length > 2) return undefined
    if (!value.every((part) => typeof part === 'string')) return undefined
    const [server, cursor] = value as [string, string?]
    return { server, cursor }
  } catch {
    return undefined
  }
}
