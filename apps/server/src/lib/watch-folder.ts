import { resolve } from 'node:path'
import { watch } from 'chokidar'

/** A running watch of a folder. */
export interface FolderWatch {
  /** Resolves when changes from now on are noticed. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

/** How a folder is watched. */
export interface FolderWatchOptions {
  /** Milliseconds of quiet that end a burst of changes. */
  readonly settleMs: number
  /** Called once for each burst; what changed is for the caller to find out. */
  readonly onSettled: () => void
  readonly report: (line: string) => void
}

/**
 * Tells when something below a folder changed. Bursts (an editor's save, a checkout) become one call, at the
 * latest ten times `settleMs` after their first change.
 */
export function watchFolder(folder: string, options: FolderWatchOptions): FolderWatch {
  const { settleMs, onSettled, report } = options
  let timer: NodeJS.Timeout | undefined
  let since: number | undefined
  const settle = (): void => {
    since = undefined
    onSettled()
  }
  const noticed = (): void => {
    const now = Date.now()
    since ??= now
    clearTimeout(timer)
    timer = setTimeout(settle, Math.max(0, Math.min(settleMs, since + 10 * settleMs - now)))
  }
  const root = resolve(folder)
  const watcher = watch(root, {
    ignoreInitial: true,
    // What a link inside the folder points to is watched where it lies.
    followSymlinks: false,
    ignored: (path) => path !== root && /[/\\]\.[^/\\]+$/.test(path),
  })
  watcher.on('all', noticed)
  watcher.on('error', (cause) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    report(`changes of ${folder} may go unnoticed: ${why}`)
  })
  return {
    ready: new Promise((resolve) => watcher.once('ready', resolve)),
    async close() {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}
