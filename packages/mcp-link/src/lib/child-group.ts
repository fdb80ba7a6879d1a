import { type ChildProcess, spawn as spawnNode } from 'node:child_process'
import spawn from 'cross-spawn'

/** A child process with its whole process group. */
export interface ChildGroup {
  readonly process: ChildProcess
  /** Resolves with how it ended: an exit code or a signal. */
  readonly exited: Promise<string>
  /**
   * Ends the group: closes stdin, then after `graceMs` sends TERM, then after as long again KILL (2025-11-25 and
   * 2026-07-28, stdio §Shutdown). Resolves when the process is gone; never rejects.
   */
  end(graceMs: number): Promise<void>
}

/** The groups that live now, so that they can be ended whichever way this process goes. */
const live = new Set<ChildProcess>()

/** Sends a signal to the process group, on Windows to the process tree. */
function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') {
    spawnNode('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore' }).on(
      'error',
      () => undefined,
    )
    return
  }
  try {
    process.kill(-child.pid, signal)
  } catch {
    // ESRCH: the whole group is gone already.
  }
}

const groupLives = (child: ChildProcess): boolean => {
  if (child.pid === undefined || process.platform === 'win32') return false
  try {
    process.kill(-child.pid, 0)
    return true
  } catch {
    return false
  }
}

/** When this process exits, whatever it started is ended with it: there is no time left to ask nicely. */
function endAll(): void {
  for (const child of live) signalGroup(child, 'SIGKILL')
}

/** How many copies of this module wait for a signal, in the whole process. */
const waiters = globalThis as { [key: symbol]: { count: number } | undefined }
const waitersKey = Symbol.for('truename child-group waiters')
const signalExitKey = Symbol.for('signal-exit emitter')

/**
 * The listeners that only wait to be the last ones, as this module does: its other copies, and the package
 * `signal-exit`, which counts itself on the global object (version 4) or the process (version 3).
 */
function waiting(): number {
  const older = (process as { __signal_exit_emitter__?: { count?: unknown } }).__signal_exit_emitter__?.count
  return (
    (waiters[waitersKey]?.count ?? 0) +
    (waiters[signalExitKey]?.count ?? 0) +
    (typeof older === 'number' ? older : 0)
  )
}

let watching = false
function watchExit(): void {
  if (watching) return
  watching = true
  process.on('exit', endAll)
  waiters[waitersKey] ??= { count: 0 }
  waiters[waitersKey].count += 1
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const onSignal = (): void => {
      // Where the program has a handler of its own, ending is its business, and 'exit' follows.
      if (process.listenerCount(signal) > waiting()) return
      process.off(signal, onSignal)
      endAll()
      process.kill(process.pid, signal)
    }
    // First in line: a handler set with `once` is no longer counted after its turn.
    process.prependListener(signal, onSignal)
  }
}

/**
 * Starts a program as the leader of a process group of its own, so that everything it starts in turn (a shell
 * wrapper, `npx`) can be ended with it. Rejects where the program cannot be started.
 */
export async function startChild(options: {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}): Promise<ChildGroup> {
  watchExit()
  const child = spawn(options.command, [...options.args], {
    env: { ...options.env },
    cwd: options.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
    shell: false,
  })
  live.add(child)
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      live.delete(child)
      resolve(error.message)
    })
    child.once('exit', (code, signal) => {
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`)
      // What the leader left behind keeps the group alive; it ends with it.
      if (groupLives(child)) signalGroup(child, 'SIGTERM')
      else live.delete(child)
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  let ending: Promise<void> | undefined
  const waitGone = async (ms: number): Promise<boolean> => {
    const until = Date.now() + ms
    for (;;) {
      const gone = child.exitCode !== null || child.signalCode !== null
      if (gone && !groupLives(child)) return true
      const left = until - Date.now()
      if (left <= 0) return false
      // A timer that is left behind keeps the whole program alive for the rest of the grace.
      let timer: ReturnType<typeof setTimeout> | undefined
      const pause = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, gone ? Math.min(left, 25) : left)
      })
      await (gone ? pause : Promise.race([exited, pause]))
      clearTimeout(timer)
    }
  }
  return {
    process: child,
    exited,
    end: (graceMs) => {
      ending ??= (async () => {
        child.stdin?.end()
        if (!(await waitGone(graceMs))) {
          signalGroup(child, 'SIGTERM')
          if (!(await waitGone(graceMs))) {
            signalGroup(child, 'SIGKILL')
            await waitGone(graceMs)
          }
        }
        live.delete(child)
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
      })()
      return ending
    },
  }
}
