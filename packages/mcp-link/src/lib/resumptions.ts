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
  /** The requests whose streams were tried so many times: the transport, which does not say which, gives these up. */
  tried(times: number): readonly RequestId[]
  /** The request is over, however. */
  settled(via: RequestId): void
}

/** Creates the bookkeeping of one connection. An id of an event belongs to one stream (2025-11-25, Resumability). */
export function createResumptions(): Resumptions {
  const waiting = new Map<string, { readonly via: RequestId; attempts: number }>()
  return {
    wait: (event, via) => void waiting.set(event, { via, attempts: 0 }),
    of: (event) => waiting.get(event)?.via,
    taken: (event) => void waiting.delete(event),
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
