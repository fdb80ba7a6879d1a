import {
  createWatch,
  type Permission,
  type Reading,
  type WatchOptions,
  type WatchPolicy,
  type WatchRefusal,
  type WatchStep,
} from '@truename/capability-negotiator'
import { codes, errorAnswer, reasonOf } from './failure.ts'
import type { JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { Subscription, Upstream } from './port.ts'

/** How to watch a resource. */
export interface WatchResourceOptions extends Pick<WatchOptions, 'minIntervalMs' | 'digest' | 'revisionOf'> {
  /** Called for the first reading, and for each one after it: what was read, when, and whether it differs. */
  readonly onReading: (reading: Reading) => void
  /** Called with the outcome of a reading that failed. Watching goes on. */
  readonly onFailed?: ((outcome: Outcome) => void) | undefined
  /** Called once, when watching ends by itself: it is refused, given up, or the connection is gone. */
  readonly onEnd?:
    | ((why: WatchRefusal | { readonly code: 'closed'; readonly message: string }) => void)
    | undefined
  /** How to poll where there is no subscription. Without it, watching is refused there. */
  readonly policy?: WatchPolicy | undefined
  /** A further check before every reading and subscription, after the connection's own. */
  readonly may?: ((method: string, params: JsonObject) => Permission) | undefined
  readonly now?: (() => number) | undefined
  readonly random?: (() => number) | undefined
}

/** A resource under watch. */
export interface ResourceWatch {
  /** How it is watched. */
  readonly mode: 'idle' | 'subscribe' | 'poll' | 'refused' | 'stopped'
  readonly last: Reading | undefined
  stop(): Promise<void>
}

/**
 * Watches one resource on a connection: by subscription where the server has it and honours it, else by the declared
 * policy, else it is refused with the reason, and reading stays possible. Every reading is checked anew.
 *
 * @throws WatchPolicyError where the policy cannot be used
 */
export function watchResource(upstream: Upstream, uri: string, options: WatchResourceOptions): ResourceWatch {
  const { negotiation } = upstream
  const era = negotiation.era ?? 'legacy'
  const now = options.now ?? Date.now
  const ended = new AbortController()
  let subscription: Subscription | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const watch = createWatch({
    uri,
    era,
    now,
    random: options.random ?? Math.random,
    can: (method, params = {}) => {
      const permission = negotiation.can(method, params)
      return permission.allowed === false ? permission : (options.may?.(method, params) ?? permission)
    },
    policy: options.policy,
    minIntervalMs: options.minIntervalMs,
    digest: options.digest,
    revisionOf: options.revisionOf,
  })

  const release = async (): Promise<void> => {
    clearTimeout(timer)
    ended.abort(new Error('no longer watched'))
    for (const stop of stops) stop()
    const open = subscription
    subscription = undefined
    await open?.close()
  }

  async function subscribe(): Promise<void> {
    const opened = await upstream.listen({ resourceSubscriptions: [uri] })
    if (ended.signal.aborted) return opened.close()
    subscription = opened
    opened.onRenewed(() => take(watch.receive({ kind: 'updated', uri })))
    const honoured = opened.honoured.resourceSubscriptions ?? []
    if (era === 'modern') {
      return take(
        watch.receive({ kind: 'acknowledged', notifications: { resourceSubscriptions: [...honoured] } }),
      )
    }
    const outcome: Outcome = honoured.includes(uri)
      ? { kind: 'result', value: {} }
      : errorAnswer(codes.methodNotFound, 'the server does not honour this subscription')
    take(watch.receive({ kind: 'subscribed', outcome }))
  }

  async function read(params: JsonObject): Promise<void> {
    const outcome = await upstream.request('resources/read', params, { signal: ended.signal })
    if (!ended.signal.aborted) take(watch.receive({ kind: 'read', outcome }))
  }

  function take(step: WatchStep): void {
    if (ended.signal.aborted) return
    if (step.reading) options.onReading(step.reading)
    if (step.failed) options.onFailed?.(step.failed)
    clearTimeout(timer)
    switch (step.do) {
      case 'subscribe':
        void subscribe()
        break
      case 'read':
        void read(step.message.params)
        break
      case 'wait':
        if (step.until !== undefined)
          timer = setTimeout(() => take(watch.tick()), Math.max(0, step.until - now())).unref()
        break
      case 'refuse':
        void release()
        options.onEnd?.(step.refusal)
        break
      default:
        void release()
    }
  }

  const stops = [
    upstream.onNotification(({ method, params }) => {
      if (method === 'notifications/resources/updated' && typeof params?.uri === 'string')
        take(watch.receive({ kind: 'updated', uri: params.uri }))
    }),
    upstream.onClose((reason) => {
      if (ended.signal.aborted) return
      watch.stop()
      void release()
      options.onEnd?.({ code: 'closed', message: reasonOf(reason) })
    }),
  ]
  take(watch.start())

  return {
    get mode() {
      return watch.mode
    },
    get last() {
      return watch.last
    },
    async stop() {
      watch.stop()
      await release()
    },
  }
}
