import { isObject, type Json, type JsonObject, own } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { Permission } from './permission.ts'
import type { Era } from './versions.ts'
import { checkPolicy, delayAfter, type WatchPolicy } from './watch-policy.ts'

/** One reading of the watched resource. */
export interface Reading {
  readonly uri: string
  /** The result of `resources/read` as it came. */
  readonly result: JsonObject
  /** What the server calls this state, where it says so (`revisionOf`). */
  readonly revision?: string | undefined
  /** A digest of the contents; changes are found by comparing the contents themselves. */
  readonly digest: string
  /** When it was read, ISO 8601. */
  readonly readAt: string
  /** Whether the contents differ from the reading before. True for the first. */
  readonly changed: boolean
  /** What led to it. */
  readonly by: 'first' | 'notification' | 'poll'
}

/** Why a resource is not, or no longer, watched. Reading it may still work. */
export interface WatchRefusal {
  readonly code: 'not-readable' | 'no-subscription' | 'gave-up'
  readonly message: string
  readonly permission?: Permission | undefined
}

/** What the driver of a watch does next. `reading` is there when what just arrived was one. */
export type WatchStep = (
  | { readonly do: 'subscribe'; readonly message: WatchMessage }
  /** Legacy: send it and forget the answer. Modern: end the `subscriptions/listen` request (no message). */
  | { readonly do: 'unsubscribe'; readonly message?: WatchMessage | undefined }
  | { readonly do: 'read'; readonly message: WatchMessage }
  /** Until then (milliseconds since 1970), or without a time until a notification comes; then call `tick()`. */
  | { readonly do: 'wait'; readonly until?: number | undefined }
  | { readonly do: 'refuse'; readonly refusal: WatchRefusal }
  | { readonly do: 'stop' }
) & { readonly reading?: Reading | undefined }

export interface WatchMessage {
  readonly method: string
  readonly params: JsonObject
}

/** What happened to a watch. */
export type WatchEvent =
  /** What became of the `subscribe` step; modern: of a listen request that failed. */
  | { readonly kind: 'subscribed'; readonly outcome: Outcome }
  /** Modern: the server's `notifications/subscriptions/acknowledged`, with the filter it honours. */
  | { readonly kind: 'acknowledged'; readonly notifications: JsonObject }
  /** A `notifications/resources/updated` arrived. */
  | { readonly kind: 'updated'; readonly uri: string }
  /** What became of the `read` step. */
  | { readonly kind: 'read'; readonly outcome: Outcome }
  /** The listen stream ended, or the connection was made anew. */
  | { readonly kind: 'ended' }

export interface WatchOptions {
  readonly uri: string
  readonly era: Era
  /** The connection's `can`, asked again before every reading. Wrap it to add checks of your own. */
  readonly can: (method: string, params?: JsonObject) => Permission
  /** How to poll where there is no subscription. Without it, watching is refused there. */
  readonly policy?: WatchPolicy | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** A digest of a text, for people to compare. Default: 64-bit FNV-1a. */
  readonly digest?: ((text: string) => string) | undefined
  /** What the server calls the state it sent. Default: `_meta.revision` of the result or its first content, if a text. */
  readonly revisionOf?: ((result: JsonObject) => string | undefined) | undefined
}

/** A resource under watch, without IO or timers: it says what to send and when. */
export interface WatchPlan {
  readonly mode: 'subscribe' | 'poll' | 'refused' | 'stopped'
  readonly last: Reading | undefined
  start(): WatchStep
  /** The time of a `wait` step has come. Earlier calls change nothing. */
  tick(): WatchStep
  receive(event: WatchEvent): WatchStep
  stop(): WatchStep
}

const READ = 'resources/read'

/**
 * Watches one resource: by subscription where `can` allows it, else by the declared policy, else it is refused with
 * the reason, and reading stays possible. A subscription that turns out not to be honoured falls back the same way.
 *
 * @throws WatchPolicyError where the policy cannot be used
 */
export function createWatch(options: WatchOptions): WatchPlan {
  const { uri, can, now, random } = options
  const policy = options.policy && checkPolicy(options.policy)
  const read: WatchMessage = { method: READ, params: { uri } }
  const subscribe: WatchMessage =
    options.era === 'modern'
      ? { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: [uri] } } }
      : { method: 'resources/subscribe', params: { uri } }
  let mode: WatchPlan['mode'] = 'stopped'
  let last: Reading | undefined
  let text: string | undefined
  let quiet = 0
  let failures = 0
  let due: number | undefined
  let reading: Reading['by'] | undefined
  let again = false
  let ended: WatchStep = { do: 'stop' }

  const refuse = (refusal: WatchRefusal): WatchStep => {
    mode = 'refused'
    due = undefined
    ended = { do: 'refuse', refusal }
    return ended
  }

  const readNow = (by: Reading['by']): WatchStep => {
    const permission = can(READ, { uri })
    if (permission.allowed === false)
      return refuse({ code: 'not-readable', message: permission.message, permission })
    reading = by
    due = undefined
    return { do: 'read', message: read }
  }

  const withoutSubscription = (why: string, permission?: Permission): WatchStep => {
    if (policy === undefined) {
      const message = `${why}; without a polling policy this resource can be read, not watched`
      return refuse({ code: 'no-subscription', message, permission })
    }
    mode = 'poll'
    return last === undefined ? readNow('first') : waitFor(undefined)
  }

  const waitFor = (ttlMs: number | undefined): WatchStep => {
    if (mode === 'subscribe' || policy === undefined) return { do: 'wait' }
    due = now() + delayAfter(policy, quiet, ttlMs, random)
    return { do: 'wait', until: due }
  }

  const begin = (): WatchStep => {
    const permission = can(subscribe.method, subscribe.params)
    if (permission.allowed === false) return withoutSubscription(permission.message, permission)
    mode = 'subscribe'
    return { do: 'subscribe', message: subscribe }
  }

  const took = (outcome: Outcome): WatchStep => {
    const by = reading
    reading = undefined
    if (by === undefined) return standing()
    if (outcome.kind !== 'result') {
      failures += 1
      quiet += 1
      if (failures >= (policy?.giveUpAfter ?? 1) && mode === 'poll') {
        return refuse({ code: 'gave-up', message: `${failures} readings in a row failed` })
      }
      return again ? pending() : waitFor(undefined)
    }
    failures = 0
    const contents = JSON.stringify(own(outcome.value, 'contents') ?? null)
    const changed = contents !== text
    quiet = changed ? 0 : quiet + 1
    text = contents
    const revision = (options.revisionOf ?? revisionOf)(outcome.value)
    last = {
      uri,
      result: outcome.value,
      ...(revision === undefined ? {} : { revision }),
      digest: (options.digest ?? fnv1a64)(contents),
      readAt: new Date(now()).toISOString(),
      changed,
      by,
    }
    const step = again ? pending() : waitFor(ttlOf(outcome.value))
    return { ...step, reading: last }
  }

  const pending = (): WatchStep => {
    again = false
    return readNow('notification')
  }

  const standing = (): WatchStep => {
    if (mode === 'refused' || mode === 'stopped') return ended
    return due === undefined ? { do: 'wait' } : { do: 'wait', until: due }
  }

  return {
    get mode() {
      return mode
    },
    get last() {
      return last
    },
    start: begin,
    tick() {
      return mode === 'poll' && due !== undefined && now() >= due ? readNow('poll') : standing()
    },
    receive(event) {
      if (mode === 'refused' || mode === 'stopped') return ended
      switch (event.kind) {
        case 'subscribed':
          if (mode !== 'subscribe') return standing()
          return event.outcome.kind === 'error'
            ? withoutSubscription(`the server refused the subscription (${event.outcome.error.code})`)
            : options.era === 'modern'
              ? standing()
              : readNow('first')
        case 'acknowledged': {
          if (mode !== 'subscribe') return standing()
          const honoured = own(event.notifications, 'resourceSubscriptions')
          const listed = Array.isArray(honoured) && honoured.includes(uri)
          return listed
            ? readNow('first')
            : withoutSubscription('the server does not honour this subscription')
        }
        case 'updated':
          if (!concerns(event.uri, uri)) return standing()
          if (reading === undefined) return readNow('notification')
          again = true
          return standing()
        case 'read':
          return took(event.outcome)
        case 'ended':
          reading = undefined
          again = false
          return begin()
      }
    },
    stop() {
      if (mode === 'refused' || mode === 'stopped') return ended
      const subscribed = mode === 'subscribe'
      mode = 'stopped'
      due = undefined
      if (!subscribed) return ended
      return options.era === 'modern'
        ? { do: 'unsubscribe' }
        : { do: 'unsubscribe', message: { method: 'resources/unsubscribe', params: { uri } } }
    },
  }
}

/** Whether an update concerns the watched resource: itself, or a sub-resource of it (schema, ResourceUpdatedNotification). */
function concerns(updated: string, watched: string): boolean {
  if (updated === watched) return true
  if (!updated.startsWith(watched)) return false
  return /[/?#]$/.test(watched) || /^[/?#]/.test(updated.slice(watched.length))
}

function ttlOf(result: JsonObject): number | undefined {
  const ttl = own(result, 'ttlMs')
  return typeof ttl === 'number' && Number.isFinite(ttl) && ttl > 0 ? ttl : undefined
}

function revisionOf(result: JsonObject): string | undefined {
  const contents = own(result, 'contents')
  const first: Json | undefined = Array.isArray(contents) ? contents[0] : undefined
  for (const holder of [result, first]) {
    const revision = own(own(holder, '_meta'), 'revision')
    if (typeof revision === 'string') return revision
  }
  return isObject(first) && typeof own(first, 'revision') === 'string'
    ? (own(first, 'revision') as string)
    : undefined
}

/** FNV-1a over UTF-16 code units, 64 bits: a label to compare by eye, no protection against a forger. */
function fnv1a64(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (let at = 0; at < text.length; at += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n)
  }
  return `fnv1a64:${hash.toString(16).padStart(16, '0')}`
}
