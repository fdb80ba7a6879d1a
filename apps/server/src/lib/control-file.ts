import { readFile, stat } from 'node:fs/promises'
import type { JsonObject } from '@truename/mcp-link'

/** A JSON object in a file, followed while the program runs. */
export interface ControlFile {
  /** `{}` where the file is missing. */
  current(): JsonObject
  /** Called when the object has changed. */
  onChange(listener: () => void): () => void
  close(): void
}

/**
 * Follows a file that holds one JSON object. It is looked at by its time stamp, which works alike on every
 * platform and file system. A file that does not parse leaves the last good object in force.
 * @param everyMs how often the file is looked at
 * @param report told in one line what is wrong with the file
 */
export async function followControlFile(
  file: string,
  report: (line: string) => void,
  everyMs = 200,
): Promise<ControlFile> {
  const listeners = new Set<() => void>()
  let object: JsonObject = {}
  let seen = '{}'
  let stamp: string | undefined
  const look = async (): Promise<void> => {
    // The stamp is taken before the content: what is written in between is seen the next time.
    const now = await stampOf(file)
    if (now === stamp) return
    stamp = now
    const read = await readObject(file)
    if (typeof read === 'string') return report(read)
    const text = JSON.stringify(read)
    if (text === seen) return
    seen = text
    object = read
    for (const listener of listeners) listener()
  }
  await look()
  let timer: NodeJS.Timeout | undefined
  const again = (): void => {
    timer = setTimeout(() => void look().then(() => timer && again()), everyMs).unref()
  }
  again()
  return {
    current: () => object,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

async function stampOf(file: string): Promise<string> {
  const stats = await stat(file, { bigint: true }).catch(() => undefined)
  return stats ? `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : 'none'
}

async function readObject(file: string): Promise<JsonObject | string> {
  try {
    const value: unknown = JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
    return `${file}: must hold one JSON object, e.g. {"description": "…"}; kept as before`
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {}
    return `${file}: ${cause instanceof Error ? cause.message : String(cause)}; kept as before`
  }
}
