import { pause } from './pause.ts'

/** Tells one client of the changes of one resource, no faster than it takes them. */
export interface UpdateRelay {
  /** The resource changed, or one below it. */
  changed(uri: string): void
  close(): void
}

/**
 * `whole` is the resource that was subscribed to. Tells at once, then not again before the client took that and the pause is over, whatever comes meanwhile: changes of
 * one URI become one, those of several below the resource become one of the resource itself. So a flood needs no memory,
 * and the last change is never lost.
 */
export function createUpdateRelay(
  tell: (uri: string) => Promise<void>,
  { whole, pauseMs }: { readonly whole: () => string; readonly pauseMs: number },
): UpdateRelay {
  let waiting: string | undefined
  let busy = false
  let closed = false
  const run = async (first: string): Promise<void> => {
    busy = true
    for (let next: string | undefined = first; next !== undefined && !closed; ) {
      await Promise.all([tell(next).catch(() => undefined), pause(pauseMs)])
      next = waiting
      waiting = undefined
    }
    busy = false
  }
  return {
    changed(uri) {
      if (closed) return
      if (!busy) void run(uri)
      else waiting = waiting === undefined || waiting === uri ? uri : whole()
    },
    close() {
      closed = true
      waiting = undefined
    },
  }
}
