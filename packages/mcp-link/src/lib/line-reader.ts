/** Cuts a stream of bytes into lines. */
export interface LineReader {
  push(chunk: Uint8Array): void
  /** Hands on what stands after the last line feed. */
  end(): void
}

const lineFeed = 0x0a

/**
 * Cuts UTF-8 bytes into lines at line feeds (stdio transport of every revision: messages are newline-delimited).
 * Carriage returns before the line feed and a byte order mark are taken off, blank lines are skipped. A line over
 * `limit` bytes is given up: `tooLong` is told once and the rest of the line is passed over. Every byte is looked
 * at once, however the chunks fall.
 */
export function createLineReader(options: {
  readonly limit: number
  readonly line: (text: string) => void
  readonly tooLong: (bytes: number) => void
}): LineReader {
  let parts: Uint8Array[] = []
  let size = 0
  let skipping = false

  const take = (part: Uint8Array): void => {
    if (skipping || part.byteLength === 0) return
    size += part.byteLength
    if (size > options.limit) {
      skipping = true
      parts = []
      options.tooLong(size)
    } else parts.push(part)
  }
  const flush = (): void => {
    const whole = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    const skipped = skipping
    parts = []
    size = 0
    skipping = false
    if (skipped || whole === undefined) return
    // TextDecoder takes off a byte order mark.
    const text = new TextDecoder().decode(whole).replace(/\r+$/, '')
    if (text.trim() !== '') options.line(text)
  }
  return {
    push(chunk) {
      let from = 0
      for (;;) {
        const at = chunk.indexOf(lineFeed, from)
        if (at < 0) break
        take(chunk.subarray(from, at))
        flush()
        from = at + 1
      }
      take(chunk.subarray(from))
    },
    end: flush,
  }
}
