import {
  type Downstream,
  type DownstreamContext,
  errorAnswer,
  type Listened,
  type ListenFilter,
  type Outcome,
  type TraceContext,
  type WireError,
} from '@truename/mcp-link'
import type { Key } from '@truename/tool-registry'
import { callOf } from './call-evidence.ts'
import type { GatewayServices } from './gateway.ts'
import { type GuardedCall, guardedCall } from './guarded-call.ts'
import { instead } from './open-watch.ts'
import { failedInside, noOwner, requestRefusal } from './refusal.ts'
import { isSubscribable } from './subscribable.ts'
import { createUpdateRelay, type UpdateRelay } from './update-relay.ts'
import type { UpstreamWatches, Watcher } from './upstream-watches.ts'
import type { UriOwner } from './uri-routes.ts'

/** What clients are subscribed to. */
export interface ClientSubscriptions {
  /** From now on this client wants exactly this; says what it gets of it, and why not the rest. */
  listen(
    client: Downstream,
    filter: ListenFilter,
    about?: { readonly trace?: TraceContext },
  ): Promise<Listened>
  /** Entries, routes or rules are others now: whatever may no longer be read is no longer watched. */
  judge(): void
}

/** What subscribing needs. */
export interface SubscriptionOptions {
  /** Of the lock that is served now. */
  readonly services: () => GatewayServices
  readonly watches: UpstreamWatches
  readonly maxPerClient: number
  /** Milliseconds between two updates of one resource to one client. */
  readonly pauseMs?: number
}

interface Entry {
  /** The URI as the client wrote it. */
  readonly shown: string
  readonly gone: AbortController
  readonly relay: UpdateRelay
  outcome: Promise<Outcome>
  /** Whose it is, once that is decided. */
  at: UriOwner | undefined
  /** What the rules said when it was taken. */
  verdict: 'allow' | 'ask' | 'deny'
}

/** Routes each subscription to the one server that owns its URI, by the same rules as a reading of it. */
export function createClientSubscriptions(options: SubscriptionOptions): ClientSubscriptions {
  const { watches, maxPerClient, services } = options
  const clients = new Map<Downstream, Map<string, Entry>>()

  const entriesOf = (client: Downstream): Map<string, Entry> => {
    const found = clients.get(client)
    if (found) return found
    const entries = new Map<string, Entry>()
    clients.set(client, entries)
    client.onClose(() => {
      for (const entry of [...entries.values()]) release(client, entry)
      clients.delete(client)
    })
    return entries
  }

  const tell = (client: Downstream, uri: string): Promise<void> =>
    client
      .notify('notifications/resources/updated', { uri })
      .catch((error: unknown) => services().onEvent('warn', '', `A client was not told: ${String(error)}`))

  const release = (client: Downstream, entry: Entry): void => {
    const entries = clients.get(client)
    if (entries?.get(entry.shown) === entry) entries.delete(entry.shown)
    entry.gone.abort(new Error('no longer wanted'))
    entry.relay.close()
    if (entry.at) watches.leave(entry.at.server, entry.at.uri, watcherOf(client, entry))
  }

  const watchers = new WeakMap<Entry, Watcher>()
  const watcherOf = (client: Downstream, entry: Entry): Watcher => {
    const watcher = watchers.get(entry) ?? {
      updated: (uri) => entry.relay.changed(uri),
      ended: (why) => end(client, entry, why),
    }
    watchers.set(entry, watcher)
    return watcher
  }

  /** No era has a way to say that a subscription ended: told of a change, the client reads, and is told why not. */
  const end = (client: Downstream, entry: Entry, why: string): void => {
    release(client, entry)
    void tell(client, entry.shown)
    const { at, shown } = entry
    services().onEvent('info', at?.server ?? '', `A subscription ended: ${why}`)
    void deny(client, { server: at?.server ?? '', kind: 'resource', name: at?.uri ?? shown }, why).catch(
      () => undefined,
    )
  }

  const deny = async (client: Downstream, key: Key, reason: string, trace?: TraceContext): Promise<void> => {
    await services().log?.append({
      type: 'denial',
      reason,
      key,
      method: 'resources/subscribe',
      caller: { profile: client.client?.profile ?? 'default' },
      traceparent: trace?.traceparent,
    })
  }

  /** What the rules say of reading this now, without asking anybody. */
  const verdictOn = (client: Downstream, at: UriOwner): Entry['verdict'] => {
    const { gate, locked } = services()
    const context = contextOf(client, new AbortController().signal)
    if (!context) return 'deny'
    return gate.decide(callOf({ ...callTo(at), context }, { state: 'live' }, locked(at.server))).verdict
  }

  const mayStay = (client: Downstream, { at, shown, verdict }: Entry): boolean => {
    if (!at) return true
    const { routes, locked } = services()
    const owner = routes.owner(shown)
    const server = locked(at.server)
    if (owner?.server !== at.server || owner.uri !== at.uri || !server || !isSubscribable(server))
      return false
    const now = verdictOn(client, owner)
    return now === 'allow' || now === verdict
  }

  /** Sends what a server said of its own URI under the URI that this client knows, where it may be told of it. */
  const relayed = async (client: Downstream, entry: Entry, uri: string): Promise<void> => {
    const { at, shown } = entry
    if (!at || entry.gone.signal.aborted) return
    if (!mayStay(client, entry)) return end(client, entry, noLonger)
    if (uri === at.uri) return tell(client, shown)
    const below = `${shown}${uri.slice(at.uri.length)}`
    const owner = services().routes.owner(below)
    const named = owner?.server === at.server && owner.uri === uri && verdictOn(client, owner) !== 'deny'
    if (named) return tell(client, below)
    watches.drop(at.server)
  }

  const begin = async (
    client: Downstream,
    entry: Entry,
    trace: TraceContext | undefined,
  ): Promise<Outcome> => {
    const { routes, locked } = services()
    const { shown } = entry
    const at = routes.owner(shown)
    if (!at) {
      const refused = noOwner(routes, shown)
      await deny(client, { server: '', kind: 'resource', name: shown }, refused.error.message, trace)
      return refused
    }
    const { key } = callTo(at)
    const server = locked(at.server)
    if (!server || !isSubscribable(server)) {
      const why = `Server "${at.server}" does not tell of changes of its resources (resources.subscribe), so ${shown} cannot be watched; ${instead}`
      await deny(client, key, why, trace)
      return errorAnswer(-32602, why, { uri: shown, server: at.server, reason: 'no-subscription', instead })
    }
    const context = contextOf(client, entry.gone.signal, trace)
    if (!context) return errorAnswer(-32000, 'The client is not known')
    entry.at = at
    entry.verdict = verdictOn(client, at)
    const guarded = await guardedCall(services(), {
      ...callTo(at),
      context,
      perform: async (upstream) =>
        entry.gone.signal.aborted
          ? errorAnswer(-32000, 'The client no longer wants it')
          : watches.join(at.server, at.uri, watcherOf(client, entry), upstream),
    })
    return guarded.kind === 'answered' ? guarded.outcome : requestRefusal(key, guarded)
  }

  const start = (client: Downstream, shown: string, trace: TraceContext | undefined): Entry => {
    const entry: Entry = {
      shown,
      gone: new AbortController(),
      relay: createUpdateRelay((uri) => relayed(client, entry, uri), {
        whole: () => entry.at?.uri ?? shown,
        pauseMs: options.pauseMs ?? 100,
      }),
      outcome: Promise.resolve({ kind: 'result', value: {} }),
      at: undefined,
      verdict: 'deny',
    }
    entry.outcome = begin(client, entry, trace)
      .catch((thrown: unknown) => {
        services().onEvent('error', '', `resources/subscribe: ${(thrown as Error).message}`)
        return failedInside(thrown)
      })
      .then((outcome) => {
        // What was begun under another lock, or other rules, is looked at once more.
        const taken = outcome.kind === 'result' && mayStay(client, entry)
        if (!taken) release(client, entry)
        return taken || outcome.kind !== 'result' ? outcome : errorAnswer(-32000, noLonger)
      })
    return entry
  }

  return {
    async listen(client, filter, about) {
      const wanted = new Set(filter.resourceSubscriptions ?? [])
      const entries = entriesOf(client)
      for (const [uri, entry] of [...entries]) if (!wanted.has(uri)) release(client, entry)
      const refused = new Map<string, WireError>()
      const asked: (readonly [string, Promise<Outcome>])[] = []
      for (const uri of wanted) {
        const known = entries.get(uri)
        if (!known && entries.size >= maxPerClient) {
          refused.set(uri, tooMany(maxPerClient))
          continue
        }
        const entry = known ?? start(client, uri, about?.trace)
        entries.set(uri, entry)
        asked.push([uri, entry.outcome])
      }
      const taken: string[] = []
      for (const [uri, outcome] of asked) {
        const settled = await outcome
        if (settled.kind === 'error') refused.set(uri, settled.error)
        else if (entries.has(uri)) taken.push(uri)
      }
      return { ...filter, ...(wanted.size > 0 && { resourceSubscriptions: taken }), refused }
    },
    judge() {
      for (const [client, entries] of clients) {
        for (const entry of [...entries.values()]) if (!mayStay(client, entry)) end(client, entry, noLonger)
      }
    },
  }
}

const noLonger = 'reading it is no longer allowed'

/** Watching is reading again and again: the gate decides on both by the same call. */
const callTo = ({
  server,
  uri,
  template,
}: UriOwner): Omit<GuardedCall, 'context'> & { readonly key: Key } => ({
  key: { server, kind: 'resource', name: uri },
  method: 'resources/subscribe',
  template,
  params: { uri },
  args: { uri },
})

const contextOf = (
  { client }: Downstream,
  signal: AbortSignal,
  trace?: TraceContext,
): DownstreamContext | undefined => client && { signal, client, capabilities: client.capabilities, trace }

const tooMany = (limit: number): WireError => ({
  code: -32000,
  message: `A client may be subscribed to ${limit} resources at once; unsubscribe from others first (truename.limits.subscriptionsPerClient)`,
  data: { reason: 'too-many-subscriptions', limit },
})
