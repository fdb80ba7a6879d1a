/** The longest delay of a timer, in milliseconds: over 24 days. A longer one would fire at once. */
export const longestDelayMs = 2 ** 31 - 1

/** A delay as `setTimeout` can keep it; one without an end is the longest there is. */
export const delayOf = (ms: number): number => Math.min(Math.max(0, ms), longestDelayMs)

/** Thrown by {@link within} where the time was up first. */
export class TimeUpError extends Error {
  override readonly name = 'TimeUpError'
  readonly code = 'time-up'
}

/**
 * What the work comes to; or, where that is first, a rejection when its time is up ({@link TimeUpError}) or the signal
 * is aborted (its reason). The work itself is not stopped: what it comes to afterwards is given to `tooLate`.
 */
export function within<T>(
  work: Promise<T>,
  limits: { readonly ms: number; readonly signal?: AbortSignal | undefined; readonly what: string },
  tooLate?: (value: T) => void,
): Promise<T> {
  const { ms, signal, what } = limits
  return new Promise((resolve, reject) => {
    let waiting = true
    const stop = (): void => {
      waiting = false
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
    }
    const giveUp = (reason: unknown): void => {
      stop()
      reject(reason)
    }
    const aborted = (): void => giveUp(signal?.reason)
    const timer = setTimeout(() => giveUp(new TimeUpError(`${what} took over ${ms} ms`)), delayOf(ms))
    signal?.addEventListener('abort', aborted, { once: true })
    if (signal?.aborted) aborted()
    work.then(
      (value) => {
        if (!waiting) return tooLate?.(value)
        stop()
        resolve(value)
      },
      (thrown: unknown) => {
        if (waiting) giveUp(thrown)
      },
    )
  })
}
