import type { Negotiation } from '@truename/capability-negotiator'
import { codes, errorAnswer, type Failed, reasonOf } from './failure.ts'
import type { JsonObject } from './json.ts'
import { filterToJson, honour, isEmpty, listChanges, readFilter, wants } from './listening.ts'
import { isJsonObject } from './message.ts'
import { unwatchedMeta } from './meta-keys.ts'
import type { Outcome } from './outcome.ts'
import type { CallContext, LinkEvent, ListenFilter, Notice, Subscription } from './port.ts'
import { protocolMeta, without } from './protocol-meta.ts'
import type { Timeouts } from './timeouts.ts'
import { longestDelayMs, within } from './timer.ts'

/** Hearing of changes over both eras. */
export interface UpstreamListening {
  listen(filter: ListenFilter): Promise<Subscription>
  /** Takes a notification and hands it on where somebody listens for it. */
  arrived(notice: Notice): void
}

interface ModernListen {
  readonly filter: ListenFilter
  readonly acknowledged: (honoured: ListenFilter, refused: ReadonlyMap<string, Failed>) => void
}

interface Wanted {
  count: number
  readonly taken: Promise<Outcome>
}

const firstPauseMs = 1_000
const longestPauseMs = 60_000
/** Errors by which a server says that it does not take such a request at all. */
const definite: ReadonlySet<number> = new Set([
  codes.methodNotFound,
  codes.invalidParams,
  codes.invalidRequest,
])

/** Whether listening that failed may succeed another time; a server that took it once has more credit. */
function mayPass({ failure, error }: Failed, known: boolean): boolean {
  if (failure === undefined) return known && !definite.has(error.code)
  if (failure !== 'transport' && failure !== 'timeout') return known && failure === 'invalid'
  const status = isJsonObject(error.data) ? error.data.status : undefined
  return known || typeof status !== 'number' || status >= 500 || status === 429
}

/** The reasons that servers of this project give. */
function readUnwatched(meta: JsonObject): ReadonlyMap<string, Failed> {
  const given = meta[unwatchedMeta]
  const items = Array.isArray(given) ? given.filter(isJsonObject) : []
  return new Map(
    items.flatMap(({ uri, code, message }) =>
      typeof uri === 'string' && typeof code === 'number' && typeof message === 'string'
        ? [[uri, errorAnswer(code, message)] as const]
        : [],
    ),
  )
}

const pausing = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    timer.unref()
    signal.addEventListener('abort', done)
  })

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
  /** Legacy: how many subscriptions of ours want a URI, and what the server says to the one request for it. */
  const wanted = new Map<string, Wanted>()
  /** Modern: open listen requests by their id, which is the subscription id. */
  const open = new Map<string | number, ModernListen>()
  /** Legacy: URIs that are being unsubscribed. Over HTTP what is sent later may arrive before. */
  const leaving = new Map<string, Promise<unknown>>()
  let ignored = 0

  async function listenLegacy(filter: ListenFilter): Promise<Subscription> {
    const honoured = honour({ ...filter, resourceSubscriptions: [] }, negotiation.capabilities ?? {})
    const uris: string[] = []
    const refused = new Map<string, Failed>()
    for (const uri of filter.resourceSubscriptions ?? []) {
      const entry = wanted.get(uri) ?? { count: 0, taken: subscribed(uri) }
      entry.count += 1
      wanted.set(uri, entry)
      const outcome = await entry.taken
      if (outcome.kind === 'result') uris.push(uri)
      else {
        release(uri, entry)
        if (outcome.kind === 'error') {
          refused.set(uri, outcome)
          event({ level: 'warn', message: `${uri} is not watched: ${outcome.error.message}` })
        }
      }
    }
    let closed = false
    return {
      honoured: uris.length > 0 ? { ...honoured, resourceSubscriptions: uris } : honoured,
      refused,
      // A legacy subscription lives as long as its connection.
      onRenewed: () => () => undefined,
      onEnded: () => () => undefined,
      close: async () => {
        if (closed) return
        closed = true
        for (const uri of uris) if (release(uri)) await unsubscribed(uri)
      },
    }
  }
  const subscribed = async (uri: string): Promise<Outcome> => {
    const before = leaving.get(uri)
    if (before) await before
    return exchange('resources/subscribe', { uri })
  }
  function unsubscribed(uri: string): Promise<unknown> {
    const gone = exchange('resources/unsubscribe', { uri }).finally(() => {
      if (leaving.get(uri) === gone) leaving.delete(uri)
    })
    leaving.set(uri, gone)
    return gone
  }
  /** Whether nobody wants the URI any more. A request that was refused is made again by whoever comes next. */
  function release(uri: string, refused?: Wanted): boolean {
    const entry = wanted.get(uri)
    if (!entry || (refused && entry !== refused)) return false
    entry.count -= 1
    if (refused || entry.count <= 0) wanted.delete(uri)
    return entry.count <= 0
  }

  async function listenModern(filter: ListenFilter): Promise<Subscription> {
    const stop = new AbortController()
    const renewed = new Set<() => void>()
    const ended = new Set<(renews: boolean) => void>()
    let honoured: ListenFilter = {}
    let refused: ReadonlyMap<string, Failed> = new Map()
    /** Whether the server ever took the subscription, and whether the caller has it. */
    let known = false
    let given = false
    let legacy: Subscription | undefined
    let settle: () => void = () => undefined
    const first = new Promise<void>((resolve) => {
      settle = resolve
    })
    const over = (): boolean => stop.signal.aborted || negotiation.state === 'closed'
    const begun = (agreed: ListenFilter, left: ReadonlyMap<string, Failed>): void => {
      known = true
      honoured = agreed
      refused = left
      settle()
      if (given) each(renewed, (listener) => listener())
    }
    /** Listens until that ends; says for how long it was taken, or else whether it may be another time. */
    const once = async (): Promise<{ readonly lastedMs?: number; readonly again: boolean }> => {
      let since: number | undefined
      const ids: (string | number)[] = []
      const outcome = await exchange(
        'subscriptions/listen',
        { notifications: filterToJson(filter) },
        { signal: stop.signal, timeoutMs: longestDelayMs, maxTimeoutMs: longestDelayMs },
        (own) => {
          ids.push(own)
          open.set(own, {
            filter,
            acknowledged: (agreed, left) => {
              since ??= performance.now()
              begun(agreed, left)
            },
          })
        },
      )
      for (const id of ids) open.delete(id)
      if (over()) return { again: false }
      if (since !== undefined) return { lastedMs: performance.now() - since, again: !isEmpty(honoured) }
      if (await turnedLegacy()) return { again: false }
      if (outcome.kind !== 'error') return { again: known }
      const again = mayPass(outcome, known)
      const level = known && again ? 'info' : 'warn'
      event({ level, message: `the server does not let us listen: ${outcome.error.message}` })
      return { again }
    }
    /** A server that was only remembered to be modern may turn out by this very request to be none. */
    const turnedLegacy = async (): Promise<boolean> => {
      if (negotiation.doubtful || negotiation.state === 'negotiating') await options.discover()
      if (over() || negotiation.era !== 'legacy') return false
      legacy = await listenLegacy(filter)
      if (over()) await legacy.close()
      else begun(legacy.honoured, legacy.refused)
      return true
    }
    const keep = async (): Promise<void> => {
      for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
        const { lastedMs, again } = await once()
        if (over() || legacy) return settle()
        const had = !isEmpty(honoured)
        honoured = {}
        settle()
        if (had || !again) each(ended, (listener) => listener(again))
        if (!again) return
        // One that lasted longer than its pause says nothing against listening again soon.
        if (lastedMs !== undefined && lastedMs >= pause) pause = firstPauseMs
        event({ level: 'info', message: `a subscription ended; listening again in ${pause} ms` })
        await pausing(pause * (1 + Math.random() / 5), stop.signal)
        if (over()) return
      }
    }
    void keep()
    await within(first, { ms: timeouts.requestMs, what: 'listening' }).catch(() => undefined)
    given = true
    return {
      get honoured() {
        return honoured
      },
      get refused() {
        return refused
      },
      onRenewed(listener) {
        renewed.add(listener)
        return () => renewed.delete(listener)
      },
      onEnded(listener) {
        ended.add(listener)
        return () => ended.delete(listener)
      },
      close: async () => {
        stop.abort(new Error('no longer listening'))
        await legacy?.close()
      },
    }
  }
  /** What one listener throws keeps nothing from the others. */
  function each<Listener>(listeners: ReadonlySet<Listener>, call: (listener: Listener) => void): void {
    for (const listener of [...listeners]) {
      try {
        call(listener)
      } catch (thrown) {
        event({ level: 'error', message: `a listener threw: ${reasonOf(thrown)}` })
      }
    }
  }

  function arrivedModern(notice: Notice): void {
    const meta = isJsonObject(notice.params?._meta) ? notice.params._meta : {}
    const id = meta[protocolMeta.subscriptionId]
    const found = typeof id === 'string' || typeof id === 'number' ? open.get(id) : undefined
    if (notice.method === 'notifications/subscriptions/acknowledged') {
      // An acknowledgement of nothing we asked for must not be taken for another one's.
      found?.acknowledged(readFilter(notice.params?.notifications) ?? {}, readUnwatched(meta))
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
      ignored += 1
      // A server that sends many does not fill the log with them.
      if (/^10*$/.test(String(ignored))) {
        const message = `${notice.method} belongs to no subscription of ours and is ignored (${ignored} so far)`
        event({ level: 'warn', message })
      }
      return
    }
    tell({
      method: notice.method,
      params: { ...notice.params, _meta: without(meta, new Set([protocolMeta.subscriptionId])) },
    })
  }

  return {
    async listen(filter) {
      // What the server is, and what it has, is not known before.
      if (negotiation.state === 'negotiating') await options.discover()
      return negotiation.era === 'modern' ? listenModern(filter) : listenLegacy(filter)
    },
    arrived(notice) {
      if (negotiation.era === 'modern') arrivedModern(notice)
      else tell(notice)
    },
  }
}
