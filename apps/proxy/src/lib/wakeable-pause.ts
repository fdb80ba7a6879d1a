/** A pause that may be cut short. */
export interface WakeablePause {
  /** Resolves after this many milliseconds, give or take a tenth, or when woken. Keeps no process alive. */
  wait(ms: number): Promise<void>
  wake(): void
}

/** Creates a pause; one waits at a time. */
export function createWakeablePause(): WakeablePause {
  let end: () => void = () => undefined
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms * (0.9 + Math.random() / 5))
        timer.unref()
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    wake: () => end(),
  }
}
