import { randomUUID } from 'node:crypto'
import { reasonOf } from './failure.ts'
import type { JsonObject } from './json.ts'
import type { ClientFacts, Downstream, DownstreamContext, LinkEvent, Notice, RequestHandler } from './port.ts'

/** A {@link Downstream}, with what the connection it belongs to does with it. */
export interface ServedDownstream extends Downstream {
  readonly handler: RequestHandler<DownstreamContext> | undefined
  heard(notice: Notice): void
  gone(): void
}

/** Creates the server's half of the port for one client. */
export function createServedDownstream(options: {
  readonly client: () => ClientFacts | undefined
  readonly notify: (method: string, params: JsonObject | undefined) => Promise<void>
  readonly request: Downstream['request']
  readonly close: () => Promise<void>
  readonly event: (event: LinkEvent) => void
}): ServedDownstream {
  const listeners = new Set<(notice: Notice) => void>()
  const closeListeners = new Set<() => void>()
  let handler: RequestHandler<DownstreamContext> | undefined
  let gone = false
  const safely = (run: () => void): void => {
    try {
      run()
    } catch (thrown) {
      options.event({ level: 'error', message: `a listener threw: ${reasonOf(thrown)}` })
    }
  }
  return {
    id: randomUUID(),
    get client() {
      return options.client()
    },
    get handler() {
      return handler
    },
    serve(next) {
      handler = next
    },
    onNotification(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify: async (method, params) => {
      if (!gone) await options.notify(method, params)
    },
    request: options.request,
    onClose(listener) {
      if (gone) queueMicrotask(listener)
      else closeListeners.add(listener)
      return () => closeListeners.delete(listener)
    },
    close: options.close,
    heard(notice) {
      for (const listener of listeners) safely(() => listener(notice))
    },
    gone() {
      if (gone) return
      gone = true
      for (const listener of closeListeners) safely(listener)
      closeListeners.clear()
      listeners.clear()
    },
  }
}
