import { statSync } from 'node:fs'

/**
 * What tells one content of a file from another without reading it: `none` where there is no such file, the system's
 * code where it cannot be looked at (a link to itself, a folder that is closed). Never throws.
 */
export function stampOf(file: string): string {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
    return stats ? [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':') : 'none'
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

/**
 * Calls `changed` when files have changed, or others are to be followed, by their stamps, which work alike on every
 * platform and file system. One that is still being written is waited for: what is told has stood still for a moment. One call at a time; one that
 * fails is told to `failed`, and following goes on.
 */
export function followFiles(
  files: () => readonly string[],
  changed: () => Promise<void>,
  failed: (error: unknown) => void,
  everyMs = 500,
): { close(): void } {
  const look = () =>
    files()
      .map((file) => `${file} ${stampOf(file)}`)
      .join('\n')
  let told = look()
  let before = told
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const again = (): void => {
    if (closed) return
    timer = setTimeout(async () => {
      const now = look()
      if (now === before && now !== told) {
        told = now
        await changed().catch(failed)
      }
      before = now
      again()
    }, everyMs).unref()
  }
  again()
  return {
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
