import type { RequestId } from './message.ts'

/** Streams of requests that ended or broke before the answer, and that an SDK's transport takes up again. */
export interface Resumptions {
  /** The stream of a request is over; it can be taken up again after this event. */
  wait(event: string, via: RequestId): void
  /** Whose stream is taken up again after this event. */
  of(event: string): RequestId | undefined
  /** It was taken up again. */
  taken(event: string): void
  /** An attempt to take it up again failed. */
  failed(event: string): void
  /** It waits for a login, after which one line of the SDK asks for it without its event. */
  challenged(event: string): void
  /** From which event a stream is asked for: from the one that is named, or that a login came in between, once. */
  asked(event: string | undefined): string | undefined
  /** The requests whose streams were tried so many times: the transport, which does not say which, gives these up. */
  tried(times: number): readonly RequestId[]
  /** The request is over, however. */
  settled(via: RequestId): void
}

/** Creates the bookkeeping of one connection. An id of an event belongs to one stream (2025-11-25, Resumability). */
export function createResumptions(): Resumptions {
  const waiting = new Map<string, { readonly via: RequestId; attempts: number }>()
  const challenged = new Set<string>()
  return {
    wait: (event, via) => void waiting.set(event, { via, attempts: 0 }),
    of: (event) => waiting.get(event)?.via,
    taken: (event) => void waiting.delete(event),
    challenged: (event) => void challenged.add(event),
    asked(named) {
      if (named !== undefined) {
        challenged.delete(named)
        return named
      }
      for (const event of challenged) {
        challenged.delete(event)
        if (waiting.has(event)) return event
      }
      return undefined
    },
    failed(event) {
      const stream = waiting.get(event)
      if (stream) stream.attempts += 1
    },
    tried: (times) => [...waiting.values()].flatMap(({ via, attempts }) => (attempts >= times ? [via] : [])),
    settled(via) {
      for (const [event, stream] of waiting) if (stream.via === via) waiting.delete(event)
    },
  }
}
