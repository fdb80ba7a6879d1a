import type { JsonObject } from './json.ts'
import { own } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { Permission } from './permission.ts'
import { resultKind } from './probe.ts'
import { concerns, contentsOf, fnv1a, freshFor, type Reading, revisionOf } from './reading.ts'
import type { Era } from './versions.ts'
import { checkPolicy, delayAfter, type WatchPolicy } from './watch-policy.ts'

/** Why a resource is not, or no longer, watched. Reading it may still work. */
export interface WatchRefusal {
  readonly code: 'not-readable' | 'no-subscription' | 'gave-up'
  readonly message: string
  readonly permission?: Permission | undefined
}

/** A request to send for a watch. */
export interface WatchMessage {
  readonly method: string
  readonly params: JsonObject
}

/** What the driver of a watch does next. What just arrived is in `reading`, or in `failed` if it was no reading. */
export type WatchStep = (
  | { readonly do: 'subscribe'; readonly message: WatchMessage }
  /** Legacy: send the message, whatever the answer. Modern: end the `subscriptions/listen` request. */
  | { readonly do: 'unsubscribe'; readonly message?: WatchMessage | undefined }
  | { readonly do: 'read'; readonly message: WatchMessage }
  /** Call `tick()` at that time (milliseconds since 1970); without one, wait for an event. */
  | { readonly do: 'wait'; readonly until?: number | undefined }
  | { readonly do: 'refuse'; readonly refusal: WatchRefusal }
  | { readonly do: 'stop' }
) & { readonly reading?: Reading | undefined; readonly failed?: Outcome | undefined }

/** What happened to a watch. */
export type WatchEvent =
  /** What became of the `subscribe` step; modern: only if the listen request failed. */
  | { readonly kind: 'subscribed'; readonly outcome: Outcome }
  /** Modern: the server's `notifications/subscriptions/acknowledged`, with the filter it honours. */
  | { readonly kind: 'acknowledged'; readonly notifications: JsonObject }
  /** A `notifications/resources/updated` arrived. */
  | { readonly kind: 'updated'; readonly uri: string }
  /** What became of the `read` step. */
  | { readonly kind: 'read'; readonly outcome: Outcome }
  /** The listen stream ended, or the connection was made anew and is ready. */
  | { readonly kind: 'ended' }
  /**
   * Modern: the listen stream ended and the driver makes it anew by itself; `acknowledged` says when, and with which
   * filter. Until then the policy takes over, where there is one.
   */
  | { readonly kind: 'lapsed' }

export interface WatchOptions {
  readonly uri: string
  readonly era: Era
  /** The connection's `can`, asked again before every reading and subscription. Wrap it to add checks of your own. */
  readonly can: (method: string, params?: JsonObject) => Permission
  /** How to poll where there is no subscription. Without it, watching is refused there. */
  readonly policy?: WatchPolicy | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Milliseconds between two readings at least, however many notifications come. Default 200. */
  readonly minIntervalMs?: number | undefined
  /** A digest of a text, for people to compare. Default: FNV-1a. */
  readonly digest?: ((text: string) => string) | undefined
  /** What the server calls the state it sent. Default: a text in `_meta.revision` of the result or its first content. */
  readonly revisionOf?: ((result: JsonObject) => string | undefined) | undefined
}

/** A resource under watch, without IO or timers: it says what to send and when. */
export interface WatchPlan {
  readonly mode: 'idle' | 'subscribe' | 'poll' | 'refused' | 'stopped'
  readonly last: Reading | undefined
  start(): WatchStep
  /** The time of a `wait` step has come. An earlier call changes nothing. */
  tick(): WatchStep
  receive(event: WatchEvent): WatchStep
  stop(): WatchStep
}

const READ = 'resources/read'
/** How subscriptions that end one after the other are made again; the first at once. */
const RENEWAL = checkPolicy({ intervalMs: 1_000, jitter: 0.2, maxIntervalMs: 60_000 })

/**
 * Watches one resource: by subscription where `can` allows it, else by the declared policy, else it is refused with
 * the reason, and reading stays possible. A subscription that turns out not to be honoured falls back the same way.
 *
 * @throws WatchPolicyError where the policy cannot be used
 */
export function createWatch(options: WatchOptions): WatchPlan {
  const { uri, can, now, random, minIntervalMs = 200 } = options
  const policy = options.policy && checkPolicy(options.policy)
  const read: WatchMessage = { method: READ, params: { uri } }
  const subscribe: WatchMessage =
    options.era === 'modern'
      ? { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: [uri] } } }
      : { method: 'resources/subscribe', params: { uri } }
  let mode: WatchPlan['mode'] = 'idle'
  let last: Reading | undefined
  let contents: string | undefined
  /** Readings in a row without anything new, failed ones included; and failed ones alone. */
  let quiet = 0
  let failures = 0
  /** Whether the driver is making the subscription anew. */
  let lapsed = false
  /** Subscriptions in a row that ended early, and when the present one began. */
  let endings = 0
  let subscribedAt: number | undefined
  let lastReadAt = Number.NEGATIVE_INFINITY
  /** What is to be done at what time. */
  let due: { readonly at: number; readonly then: Reading['by'] | 'subscribe' } | undefined
  let reading: Reading['by'] | undefined
  let dirty = false
  let over: WatchStep = { do: 'stop' }

  const standing = (): WatchStep => {
    if (mode === 'refused' || mode === 'stopped') return over
    return due === undefined ? { do: 'wait' } : { do: 'wait', until: due.at }
  }

  const waitUntil = (at: number, then: Reading['by'] | 'subscribe'): WatchStep => {
    due = { at, then }
    return standing()
  }

  const refuse = (refusal: WatchRefusal): WatchStep => {
    mode = 'refused'
    due = undefined
    over = { do: 'refuse', refusal }
    return over
  }

  const readNow = (by: Reading['by']): WatchStep => {
    const permission = can(READ, { uri })
    due = undefined
    if (permission.allowed === false) {
      if (permission.why === 'not-ready') return waitUntil(now() + (policy ?? RENEWAL).intervalMs, by)
      return refuse({ code: 'not-readable', message: permission.message, permission })
    }
    reading = by
    dirty = false
    lastReadAt = now()
    return { do: 'read', message: read }
  }

  const nextPoll = (ttlMs: number): WatchStep =>
    policy === undefined ? standing() : waitUntil(now() + delayAfter(policy, quiet, ttlMs, random), 'poll')

  const withoutSubscription = (why: string, permission?: Permission): WatchStep => {
    if (policy === undefined) {
      const message = `${why}; without a polling policy this resource can be read, not watched`
      return refuse({ code: 'no-subscription', message, permission })
    }
    mode = 'poll'
    if (reading !== undefined) return standing()
    return last === undefined ? readNow('first') : nextPoll(0)
  }

  const begin = (): WatchStep => {
    const permission = can(subscribe.method, subscribe.params)
    due = undefined
    if (permission.allowed === false) {
      if (permission.why === 'not-ready') return waitUntil(now() + RENEWAL.intervalMs, 'subscribe')
      return withoutSubscription(permission.message, permission)
    }
    mode = 'subscribe'
    lapsed = false
    subscribedAt = now()
    return { do: 'subscribe', message: subscribe }
  }

  const notified = (): WatchStep => {
    if (reading !== undefined) {
      dirty = true
      return standing()
    }
    const earliest = lastReadAt + minIntervalMs
    return now() >= earliest ? readNow('notification') : waitUntil(earliest, 'notification')
  }

  const failed = (outcome: Outcome): WatchStep => {
    failures += 1
    quiet += 1
    if (policy !== undefined && failures >= policy.giveUpAfter) {
      due = undefined
      // Polling ends; a subscription that is being made anew goes on when it is there.
      const step = lapsed
        ? standing()
        : refuse({ code: 'gave-up', message: `${failures} readings in a row failed` })
      return { ...step, failed: outcome }
    }
    return { ...(dirty ? notified() : nextPoll(0)), failed: outcome }
  }

  const took = (outcome: Outcome): WatchStep => {
    const by = reading
    if (by === undefined) return standing()
    reading = undefined
    if (outcome.kind !== 'result' || resultKind(outcome.value) !== 'complete') return failed(outcome)
    const text = contentsOf(outcome.value)
    const changed = text !== contents
    const revision = (options.revisionOf ?? revisionOf)(outcome.value)
    contents = text
    failures = 0
    quiet = changed ? 0 : quiet + 1
    last = {
      uri,
      result: outcome.value,
      ...(revision === undefined ? {} : { revision }),
      digest: (options.digest ?? fnv1a)(text),
      readAt: new Date(now()).toISOString(),
      changed,
      by,
    }
    const step = dirty ? notified() : mode === 'poll' ? nextPoll(freshFor(outcome.value)) : standing()
    return { ...step, reading: last }
  }

  const lapse = (): WatchStep => {
    if (mode !== 'subscribe' || lapsed) return standing()
    lapsed = true
    if (policy === undefined) return standing()
    mode = 'poll'
    return reading === undefined ? nextPoll(0) : standing()
  }

  const acknowledged = (notifications: JsonObject): WatchStep => {
    if (mode !== 'subscribe' && !lapsed) return standing()
    const again = lapsed
    lapsed = false
    const honoured = own(notifications, 'resourceSubscriptions')
    if (!Array.isArray(honoured) || !honoured.includes(uri))
      return withoutSubscription('the server does not honour this subscription')
    mode = 'subscribe'
    failures = 0
    // What happened in between was not told.
    if (again) return notified()
    return reading === undefined ? readNow('first') : standing()
  }

  const ended = (): WatchStep => {
    reading = undefined
    lapsed = false
    dirty = false
    if (subscribedAt !== undefined) endings = now() - subscribedAt < RENEWAL.maxIntervalMs ? endings + 1 : 0
    const early = subscribedAt !== undefined && endings > 1
    subscribedAt = undefined
    return early ? waitUntil(now() + delayAfter(RENEWAL, endings - 2, 0, random), 'subscribe') : begin()
  }

  return {
    get mode() {
      return mode
    },
    get last() {
      return last
    },
    start: () => (mode === 'idle' ? begin() : standing()),
    tick() {
      if (due === undefined || now() < due.at) return standing()
      return due.then === 'subscribe' ? begin() : readNow(due.then)
    },
    receive(event) {
      if (mode === 'refused' || mode === 'stopped') return standing()
      // Begun before the connection was ready, and not before it was begun.
      if (mode === 'idle') return event.kind === 'ended' && due !== undefined ? begin() : standing()
      switch (event.kind) {
        case 'subscribed':
          if (mode !== 'subscribe') return standing()
          if (event.outcome.kind === 'error') {
            return withoutSubscription(`the server refused the subscription (${event.outcome.error.code})`)
          }
          return options.era === 'legacy' && reading === undefined ? readNow('first') : standing()
        case 'acknowledged':
          return acknowledged(event.notifications)
        case 'lapsed':
          return lapse()
        case 'updated':
          return concerns(event.uri, uri) ? notified() : standing()
        case 'read':
          return took(event.outcome)
        case 'ended':
          return ended()
      }
    },
    stop() {
      if (mode === 'refused' || mode === 'stopped') return over
      const subscribed = mode === 'subscribe' || lapsed
      mode = 'stopped'
      due = undefined
      if (!subscribed) return over
      if (options.era === 'modern') return { do: 'unsubscribe' }
      return { do: 'unsubscribe', message: { method: 'resources/unsubscribe', params: { uri } } }
    },
  }
}
