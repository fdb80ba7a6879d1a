import { covers, errorAnswer, failure, type Notice, type Outcome, type Upstream } from '@truename/mcp-link'
import { createDropCount } from './drop-count.ts'
import { mayPass, type OpenedWatch, openWatch } from './open-watch.ts'
import { pause } from './pause.ts'
import type { UpstreamPool } from './upstream-pool.ts'

/** Who is told of one resource of one server. */
export interface Watcher {
  /** This URI of the server's own changed, or may have: the watched one, or one below it. */
  updated(uri: string): void
  /** It is no longer watched, and will not be by itself. */
  ended(why: string): void
}

/** The resources of servers that somebody watches: one subscription each, however many do. */
export interface UpstreamWatches {
  /** Watches over this connection where nobody does yet. A result where the server agreed; else nothing is kept. */
  join(server: string, uri: string, watcher: Watcher, upstream: Upstream): Promise<Outcome>
  /** The last who leaves ends the subscription. */
  leave(server: string, uri: string, watcher: Watcher): void
  /** A connection was compared with the lock. What was watched over an earlier one is watched over this one. */
  connected(server: string, upstream: Upstream): void
  /** An update that nobody is told of. */
  drop(server: string): void
  /** How many updates of each server nobody was told of, since nobody had subscribed. */
  dropped(): ReadonlyMap<string, number>
  close(): void
}

/** How watching is kept up. */
export interface WatchOptions {
  readonly pool: Pick<UpstreamPool, 'acquire'>
  /** Resources of one server watched at once. */
  readonly maxPerServer: number
  readonly onEvent: (level: 'info' | 'warn' | 'error', server: string, message: string) => void
  /** Called where subscriptions were made anew over another connection. */
  readonly onRenewed?: (server: string, uri: string) => void
  readonly now?: () => number
  readonly pausesMs?: { readonly least: number; readonly most: number }
  readonly pingMs?: number
}

interface Watch {
  readonly uri: string
  readonly watchers: Set<Watcher>
  first: Promise<Outcome>
  /** Whether the server ever agreed: then another connection takes it over. */
  agreed: boolean
  opened: OpenedWatch | undefined
}

interface Place {
  readonly id: string
  readonly watches: Map<string, Watch>
  upstream: Upstream | undefined
  /** Of the connection. */
  since: number
  pauseMs: number
  renewing: boolean
  detach: () => void
}

const jittered = (ms: number): number => ms * (0.9 + Math.random() / 5)

/** Creates the bookkeeping; opens nothing. */
export function createUpstreamWatches(options: WatchOptions): UpstreamWatches {
  const { pool, maxPerServer, onEvent } = options
  const now = options.now ?? (() => performance.now())
  const { least, most } = options.pausesMs ?? { least: 250, most: 60_000 }
  const places = new Map<string, Place>()
  const drops = createDropCount(onEvent)
  let closed = false

  const placeOf = (id: string): Place => {
    const found = places.get(id)
    if (found) return found
    const place: Place = {
      id,
      watches: new Map(),
      upstream: undefined,
      since: now(),
      pauseMs: least,
      renewing: false,
      detach: () => undefined,
    }
    places.set(id, place)
    return place
  }

  const tell = (watch: Watch, uri: string): void => {
    for (const watcher of [...watch.watchers]) watcher.updated(uri)
  }

  const isWatched = (place: Place, watch: Watch): boolean => place.watches.get(watch.uri) === watch

  const remove = (place: Place, watch: Watch): void => {
    if (!isWatched(place, watch)) return
    place.watches.delete(watch.uri)
    void watch.opened?.close()
    watch.opened = undefined
  }

  const lose = (place: Place, watch: Watch, why: string): void => {
    if (!isWatched(place, watch)) return
    remove(place, watch)
    for (const watcher of [...watch.watchers]) watcher.ended(why)
  }

  const arrived = (place: Place, { method, params }: Notice): void => {
    if (method !== 'notifications/resources/updated') return
    const uri = params?.uri
    const concerned = [...place.watches.values()].filter((watch) => covers(watch.uri, uri))
    if (typeof uri !== 'string' || concerned.length === 0) {
      drops.add(place.id)
      return
    }
    for (const watch of concerned) tell(watch, uri)
  }

  const attach = (place: Place, upstream: Upstream): void => {
    place.detach()
    place.upstream = upstream
    place.since = now()
    for (const watch of place.watches.values()) watch.opened = undefined
    // A legacy session that is gone over HTTP is noticed only by asking for something.
    const pinging = setInterval(() => {
      if (upstream.negotiation.era === 'legacy' && place.watches.size > 0)
        void upstream.request('ping', {}, { timeoutMs: 10_000 })
    }, options.pingMs ?? 60_000)
    pinging.unref()
    const stops = [
      upstream.onNotification((notice) => arrived(place, notice)),
      upstream.onClose(() => {
        if (place.upstream !== upstream) return
        place.detach()
        // One that lasted longer than the pause before it says nothing against coming back soon.
        place.pauseMs = now() - place.since > place.pauseMs ? least : Math.min(most, place.pauseMs * 2)
        void renew(place)
      }),
      () => clearInterval(pinging),
    ]
    place.detach = () => {
      for (const stop of stops) stop()
      place.upstream = undefined
      place.detach = () => undefined
    }
  }

  /** Opens a watch over a connection; what the server agreed to may have ended when this returns. */
  const open = async (place: Place, watch: Watch, upstream: Upstream): Promise<Outcome> => {
    const opened = await openWatch(upstream, watch.uri, {
      renewed: () => tell(watch, watch.uri),
      ended: (why) => lose(place, watch, why),
    })
    if (!isWatched(place, watch) || place.upstream !== upstream) {
      if (!('outcome' in opened)) void opened.close()
      // Whatever became of it ended with the connection: subscribing over the next one does nothing twice.
      return failure('closed', 'The connection ended, or nobody watches any more', { retry: 'safe' })
    }
    if ('outcome' in opened) return opened.outcome
    watch.opened = opened
    watch.agreed = true
    return { kind: 'result', value: {} }
  }

  /** Watches over this connection what was watched over another. What happened between was not told. */
  const reopen = async (place: Place, watch: Watch, upstream: Upstream): Promise<void> => {
    for (let pauseMs = least; ; pauseMs = Math.min(most, pauseMs * 2)) {
      const outcome = await open(place, watch, upstream)
      if (closed || !isWatched(place, watch) || place.upstream !== upstream) return
      if (outcome.kind === 'result') {
        options.onRenewed?.(place.id, watch.uri)
        return tell(watch, watch.uri)
      }
      if (!mayPass(outcome)) {
        const why = outcome.kind === 'error' ? outcome.error.message : 'the server asks for input first'
        return lose(place, watch, why)
      }
      await pause(jittered(pauseMs))
    }
  }

  /** Until somebody is connected to the server again, or it is no longer served. */
  const renew = async (place: Place): Promise<void> => {
    if (place.renewing) return
    place.renewing = true
    const waits = (): boolean =>
      !closed && !place.upstream && [...place.watches.values()].some(({ agreed }) => agreed)
    while (waits()) {
      await pause(jittered(place.pauseMs))
      if (!waits()) break
      const acquired = await pool.acquire(place.id)
      if (acquired.ok) {
        connected(place.id, acquired.verified.upstream)
        continue
      }
      place.pauseMs = Math.min(most, place.pauseMs * 2)
      const { code, message } = acquired.unavailable
      if (code !== 'not-locked' && code !== 'endpoint-changed') continue
      for (const watch of [...place.watches.values()]) lose(place, watch, message)
    }
    place.renewing = false
  }

  function connected(server: string, upstream: Upstream): void {
    const place = placeOf(server)
    // Whoever had an earlier connection in hand may come later.
    if (closed || (place.upstream && place.upstream.generation >= upstream.generation)) return
    attach(place, upstream)
    for (const watch of place.watches.values()) if (watch.agreed) void reopen(place, watch, upstream)
  }

  return {
    async join(server, uri, watcher, upstream) {
      const place = placeOf(server)
      const found = place.watches.get(uri)
      if (found) {
        found.watchers.add(watcher)
        const outcome = await found.first
        return isWatched(place, found) || outcome.kind !== 'result'
          ? outcome
          : errorAnswer(-32000, 'The server ended this subscription meanwhile; subscribe again')
      }
      if (place.watches.size >= maxPerServer) {
        return errorAnswer(
          -32000,
          `${maxPerServer} resources of server "${server}" are watched, and no more are; unsubscribe from others, or read this one again when you need it (truename.limits.subscriptionsPerServer)`,
          { reason: 'too-many-subscriptions', server, limit: maxPerServer },
        )
      }
      connected(server, upstream)
      const watch: Watch = {
        uri,
        watchers: new Set([watcher]),
        first: Promise.resolve({ kind: 'result', value: {} }),
        agreed: false,
        opened: undefined,
      }
      place.watches.set(uri, watch)
      watch.first = open(place, watch, place.upstream ?? upstream)
      const outcome = await watch.first
      if (outcome.kind !== 'result') remove(place, watch)
      return outcome
    },
    leave(server, uri, watcher) {
      const place = places.get(server)
      const watch = place?.watches.get(uri)
      if (!place || !watch?.watchers.delete(watcher)) return
      if (watch.watchers.size === 0) remove(place, watch)
    },
    connected,
    drop: (server) => drops.add(server),
    dropped: () => drops.counts(),
    close() {
      closed = true
      for (const place of places.values()) {
        place.detach()
        place.watches.clear()
      }
    },
  }
}
