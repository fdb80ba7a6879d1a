import type { Negotiation } from '@truename/capability-negotiator'
import type { JsonObject } from './json.ts'
import { filterToJson, honour, isEmpty, listChanges, readFilter, wants } from './listening.ts'
import { isJsonObject } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { CallContext, LinkEvent, ListenFilter, Notice, Subscription } from './port.ts'
import { protocolMeta, without } from './protocol-meta.ts'
import type { Timeouts } from './timeouts.ts'

/** Hearing of changes over both eras. */
export interface UpstreamListening {
  listen(filter: ListenFilter): Promise<Subscription>
  /** Takes a notification and hands it on where somebody listens for it. */
  arrived(notice: Notice): void
}

interface ModernListen {
  readonly filter: ListenFilter
  readonly acknowledged: (honoured: ListenFilter) => void
}

/** The longest delay of a timer. */
const forever = 2 ** 31 - 1
const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** Creates what listens on one upstream. */
export function createUpstreamListening(options: {
  readonly negotiation: Negotiation
  readonly timeouts: Timeouts
  readonly event: (event: LinkEvent) => void
  readonly exchange: (
    method: string,
    params: JsonObject,
    context?: CallContext,
    onId?: (id: string | number) => void,
  ) => Promise<Outcome>
  /** Settles a doubt about the server's era. */
  readonly discover: () => Promise<void>
  readonly tell: (notice: Notice) => void
}): UpstreamListening {
  const { negotiation, event, exchange, tell, timeouts } = options
  /** Legacy: how many subscriptions of ours want a URI. */
  const wanted = new Map<string, number>()
  /** Modern: open listen requests by their id, which is the subscription id. */
  const open = new Map<string | number, ModernListen>()

  async function listenLegacy(filter: ListenFilter): Promise<Subscription> {
    const honoured = honour({ ...filter, resourceSubscriptions: [] }, negotiation.capabilities ?? {})
    const uris: string[] = []
    for (const uri of filter.resourceSubscriptions ?? []) {
      const count = wanted.get(uri) ?? 0
      wanted.set(uri, count + 1)
      const outcome = count === 0 ? await exchange('resources/subscribe', { uri }) : undefined
      if (outcome === undefined || outcome.kind === 'result') uris.push(uri)
      else {
        release(uri)
        if (outcome.kind === 'error')
          event({ level: 'warn', message: `${uri} is not watched: ${outcome.error.message}` })
      }
    }
    let closed = false
    return {
      honoured: uris.length > 0 ? { ...honoured, resourceSubscriptions: uris } : honoured,
      // A legacy subscription lives as long as its connection.
      onRenewed: () => () => undefined,
      close: async () => {
        if (closed) return
        closed = true
        for (const uri of uris) if (release(uri)) await exchange('resources/unsubscribe', { uri })
      },
    }
  }
  /** Whether nobody wants the URI any more. */
  function release(uri: string): boolean {
    const left = (wanted.get(uri) ?? 1) - 1
    if (left > 0) wanted.set(uri, left)
    else wanted.delete(uri)
    return left <= 0
  }

  async function listenModern(filter: ListenFilter): Promise<Subscription> {
    const stop = new AbortController()
    const renewed = new Set<() => void>()
    let times = 0
    let honoured: ListenFilter = {}
    let settle: () => void = () => undefined
    const first = new Promise<void>((resolve) => {
      settle = resolve
    })
    const once = async (): Promise<boolean> => {
      let acknowledged = false
      const ids: (string | number)[] = []
      const outcome = await exchange(
        'subscriptions/listen',
        { notifications: filterToJson(filter) },
        { signal: stop.signal, timeoutMs: forever, maxTimeoutMs: forever },
        (own) => {
          ids.push(own)
          open.set(own, {
            filter,
            acknowledged: (agreed) => {
              acknowledged = true
              honoured = agreed
              settle()
              times += 1
              if (times > 1) for (const listener of renewed) listener()
            },
          })
        },
      )
      for (const id of ids) open.delete(id)
      if (!acknowledged && !(await turnedLegacy()) && outcome.kind === 'error') {
        event({ level: 'warn', message: `the server does not let us listen: ${outcome.error.message}` })
      }
      settle()
      return acknowledged && !isEmpty(honoured)
    }
    /** A server that was only remembered to be modern may turn out by this very request to be none. */
    const turnedLegacy = async (): Promise<boolean> => {
      if (negotiation.doubtful || negotiation.state === 'negotiating') await options.discover()
      if (over() || negotiation.era !== 'legacy') return false
      legacy = await listenLegacy(filter)
      honoured = legacy.honoured
      return true
    }
    let legacy: Subscription | undefined
    const over = (): boolean => stop.signal.aborted || negotiation.state === 'closed'
    const keep = async (): Promise<void> => {
      for (let pause = firstPauseMs; await once(); pause = Math.min(pause * 2, longestPauseMs)) {
        if (over()) return
        event({ level: 'info', message: `a subscription ended; listening again in ${pause} ms` })
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pause)
          timer.unref()
          stop.signal.addEventListener('abort', () => resolve(), { once: true })
        })
        if (over()) return
      }
    }
    void keep()
    let late: ReturnType<typeof setTimeout> | undefined
    await Promise.race([
      first,
      new Promise<void>((resolve) => {
        late = setTimeout(resolve, timeouts.requestMs)
      }),
    ])
    clearTimeout(late)
    return {
      get honoured() {
        return honoured
      },
      onRenewed(listener) {
        renewed.add(listener)
        return () => renewed.delete(listener)
      },
      close: async () => {
        stop.abort(new Error('no longer listening'))
        await legacy?.close()
      },
    }
  }

  function arrivedModern(notice: Notice): void {
    const meta = isJsonObject(notice.params?._meta) ? notice.params._meta : {}
    const id = meta[protocolMeta.subscriptionId]
    const found = typeof id === 'string' || typeof id === 'number' ? open.get(id) : undefined
    if (notice.method === 'notifications/subscriptions/acknowledged') {
      // An acknowledgement of nothing we asked for must not be taken for another one's.
      found?.acknowledged(readFilter(notice.params?.notifications) ?? {})
      return
    }
    const onlyForListeners =
      notice.method === 'notifications/resources/updated' ||
      listChanges.some((change) => change.method === notice.method)
    if (!onlyForListeners) {
      tell(notice)
      return
    }
    if (!found || wants(found.filter, notice.method, notice.params) !== true) {
      event({
        level: 'warn',
        message: `${notice.method} belongs to no subscription of ours and is ignored`,
      })
      return
    }
    tell({
      method: notice.method,
      params: { ...notice.params, _meta: without(meta, new Set([protocolMeta.subscriptionId])) },
    })
  }

  return {
    listen: async (filter) => (negotiation.era === 'modern' ? listenModern(filter) : listenLegacy(filter)),
    arrived(notice) {
      if (negotiation.era === 'modern') arrivedModern(notice)
      else tell(notice)
    },
  }
}
