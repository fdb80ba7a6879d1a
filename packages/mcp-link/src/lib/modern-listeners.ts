import { codes, errorAnswer } from './failure.ts'
import type { JsonObject } from './json.ts'
import { filterToJson, honour, isEmpty, narrow, readFilter, refusalsIn, unionOf, wants } from './listening.ts'
import type { RequestId } from './message.ts'
import { type UnwatchedMeta, unwatchedMeta } from './meta-keys.ts'
import type { Outcome } from './outcome.ts'
import type { IncomingRequest, Peer } from './peer.ts'
import type { Downstream, ListenFilter, ServerDeclaration, Service } from './port.ts'
import { addMeta, protocolMeta, traceOf } from './protocol-meta.ts'

/** The open `subscriptions/listen` requests of one connection (2026-07-28, basic/patterns/subscriptions). */
export interface ModernListeners {
  /** Answers such a request: when it ends. */
  listen(request: IncomingRequest, to: Downstream, declared: ServerDeclaration): Promise<Outcome>
  /** Tells each of what it asked for. */
  notify(method: string, params?: JsonObject): Promise<void>
  /** Ends them all, with the answer that says so. */
  drain(): void
}

interface Listener {
  readonly filter: ListenFilter
  readonly end: () => void
}

/** How many reasons an acknowledgement carries. */
const maxReasons = 32

/** Creates what listens on one served connection. */
export function createModernListeners(service: Service, peer: () => Peer): ModernListeners {
  const listeners = new Map<RequestId, Listener>()
  /** What is asked for and not acknowledged yet. */
  const asking = new Set<ListenFilter>()
  const wanted = (): ListenFilter =>
    unionOf([...[...listeners.values()].map(({ filter }) => filter), ...asking])

  async function listen(
    { id, params, signal }: IncomingRequest,
    to: Downstream,
    declared: ServerDeclaration,
  ): Promise<Outcome> {
    const asked = readFilter(params.notifications)
    if (!asked) return errorAnswer(codes.invalidParams, 'subscriptions/listen needs notifications, a filter')
    const possible = honour(asked, declared.capabilities)
    const meta = { [protocolMeta.subscriptionId]: id }
    const over = (): Outcome => ({
      kind: 'result',
      value: { resultType: 'complete', _meta: { ...meta, [protocolMeta.serverInfo]: declared.info } },
    })
    asking.add(possible)
    try {
      const listened = await service.listening?.(to, wanted(), { trace: traceOf(params) })
      const granted = readFilter(listened)
      const honoured = granted ? honour(narrow(possible, granted), declared.capabilities) : possible
      const unwatched = [...refusalsIn(listened)]
        .filter(([uri]) => possible.resourceSubscriptions?.includes(uri))
        .slice(0, maxReasons)
        .map(([uri, { code, message }]): UnwatchedMeta => ({ uri, code, message }))
      const acknowledgement = {
        notifications: filterToJson(honoured),
        _meta: unwatched.length === 0 ? meta : { ...meta, [unwatchedMeta]: unwatched },
      }
      await peer().notify('notifications/subscriptions/acknowledged', acknowledgement, {
        relatedRequestId: id,
      })
      if (isEmpty(honoured)) return over()
      return await new Promise((resolve) => {
        const end = (): void => {
          if (!listeners.delete(id)) return
          void service.listening?.(to, wanted())
          resolve(over())
        }
        listeners.set(id, { filter: honoured, end })
        asking.delete(possible)
        if (signal.aborted) end()
        else signal.addEventListener('abort', end, { once: true })
      })
    } finally {
      asking.delete(possible)
    }
  }

  return {
    listen,
    async notify(method, params = {}) {
      for (const [id, { filter }] of listeners) {
        // Anything else than the four kinds of change has no way to a modern client outside its requests.
        if (wants(filter, method, params) !== true) continue
        await peer().notify(method, addMeta(params, { [protocolMeta.subscriptionId]: id }), {
          relatedRequestId: id,
        })
      }
    },
    drain() {
      for (const { end } of [...listeners.values()]) end()
    },
  }
}
