import {
  createWatch,
  type Permission,
  type Reading,
  type WatchOptions,
  type WatchPlan,
  type WatchPolicy,
  type WatchRefusal,
  type WatchStep,
} from '@truename/capability-negotiator'
import { codes, errorAnswer, reasonOf } from './failure.ts'
import type { JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { Era, LinkEvent, Subscription, Upstream } from './port.ts'
import { delayOf } from './timer.ts'

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
  /** Told what a listener threw; watching goes on. */
  readonly onEvent?: ((event: LinkEvent) => void) | undefined
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
  const now = options.now ?? Date.now
  const ended = new AbortController()
  let subscription: Subscription | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  let era: Era = 'legacy'
  const plan = (): WatchPlan => {
    era = negotiation.era ?? 'legacy'
    return createWatch({
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
  }
  let watch = plan()

  const release = async (): Promise<void> => {
    clearTimeout(timer)
    ended.abort(new Error('no longer watched'))
    for (const stop of stops) stop()
    const open = subscription
    subscription = undefined
    await open?.close()
  }

  /** What a listener throws ends no watch. */
  const guarded = (name: string, call: () => void): void => {
    try {
      call()
    } catch (thrown) {
      options.onEvent?.({ level: 'error', message: `${name} of ${uri} threw: ${reasonOf(thrown)}` })
    }
  }

  async function subscribe(): Promise<void> {
    const opened = await upstream.listen({ resourceSubscriptions: [uri] })
    if (ended.signal.aborted) return opened.close()
    subscription = opened
    const honoured = (): readonly string[] => opened.honoured.resourceSubscriptions ?? []
    if (era === 'legacy') {
      const outcome: Outcome = honoured().includes(uri)
        ? { kind: 'result', value: {} }
        : errorAnswer(codes.methodNotFound, 'the server does not honour this subscription')
      return take(watch.receive({ kind: 'subscribed', outcome }))
    }
    const acknowledged = (): void =>
      take(watch.receive({ kind: 'acknowledged', notifications: { resourceSubscriptions: [...honoured()] } }))
    opened.onRenewed(acknowledged)
    opened.onEnded((renews) => {
      take(watch.receive({ kind: 'lapsed' }))
      if (!renews) acknowledged()
    })
    acknowledged()
  }

  async function read(params: JsonObject): Promise<void> {
    const outcome = await upstream.request('resources/read', params, { signal: ended.signal })
    if (!ended.signal.aborted) take(watch.receive({ kind: 'read', outcome }))
  }

  function take(step: WatchStep): void {
    if (ended.signal.aborted) return
    const { reading, failed } = step
    if (reading) guarded('onReading', () => options.onReading(reading))
    if (failed) guarded('onFailed', () => options.onFailed?.(failed))
    // Whoever was told may have ended it.
    if (ended.signal.aborted) return
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
          timer = setTimeout(() => take(watch.tick()), delayOf(step.until - now())).unref()
        break
      case 'refuse':
        void release()
        guarded('onEnd', () => options.onEnd?.(step.refusal))
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
      guarded('onEnd', () => options.onEnd?.({ code: 'closed', message: reasonOf(reason) }))
    }),
  ]
  const begin = (): void => {
    if (ended.signal.aborted) return
    watch = plan()
    take(watch.start())
  }
  // What the server is, and what it has, is not known before.
  if (negotiation.state === 'negotiating') void upstream.discover().then(begin)
  else begin()

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
