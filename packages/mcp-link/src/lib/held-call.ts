import { randomUUID } from 'node:crypto'
import { codes, errorAnswer, failure, reasonOf } from './failure.ts'
import type { Json, JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { Progress } from './port.ts'
import { delayOf } from './timer.ts'

/** What the handler of a call is given while the client comes and goes. */
export interface HeldContext {
  readonly signal: AbortSignal
  progress(step: Progress): void
  /** Tells the client in the attempt there is, else in the next one. */
  notify(method: string, params: JsonObject | undefined): Promise<void>
  ask(
    method: string,
    params: JsonObject,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Outcome>
}

/** What a client gets for one attempt: the end, or what has to be answered first. */
export type Turn =
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'asks'; readonly inputRequests: JsonObject }

/**
 * A call whose client asks again: the handler runs once, and where it asks for something the attempt ends with the
 * questions (2026-07-28 `input_required`), while the handler waits for the answers the next attempt brings.
 */
export interface HeldCall {
  /** Hands in answers and waits for the next turn. */
  attempt(options: {
    readonly inputResponses?: JsonObject | undefined
    readonly signal: AbortSignal
    readonly progress?: ((step: Progress) => void) | undefined
    readonly notify?: ((method: string, params: JsonObject | undefined) => Promise<void>) | undefined
    /** Why this client is not asked something, from this attempt on. */
    readonly refuses?: ((method: string, params: JsonObject) => Outcome | undefined) | undefined
  }): Promise<Turn>
  /** Gives the call up. */
  abandon(reason: string): void
}

type Attempt = Parameters<HeldCall['attempt']>[0]

/** How many notifications wait for the next attempt. */
const maxUnsaid = 256

/** Starts a handler as a call that can be held. */
export function startHeldCall(run: (context: HeldContext) => Promise<Outcome>): HeldCall {
  const controller = new AbortController()
  const asks = new Map<
    string,
    { readonly request: JsonObject; readonly answer: (outcome: Outcome) => void }
  >()
  let finished: Outcome | undefined
  let waiting: ((turn: Turn) => void) | undefined
  let { progress, notify, refuses }: Partial<Attempt> = {}
  const unsaid: (readonly [string, JsonObject | undefined])[] = []
  let count = 0
  let scheduled = false

  const turn = (): Turn | undefined => {
    if (finished) return { kind: 'done', outcome: finished }
    if (asks.size === 0) return undefined
    return {
      kind: 'asks',
      inputRequests: Object.fromEntries([...asks].map(([key, { request }]) => [key, request])),
    }
  }
  const offer = (): void => {
    const next = waiting && turn()
    if (!next || !waiting) return
    const give = waiting
    waiting = undefined
    give(next)
  }
  /** Questions that are asked at once go out together. */
  const offerSoon = (): void => {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      offer()
    })
  }
  const finish = (outcome: Outcome): void => {
    finished ??= outcome
    offer()
  }
  const context: HeldContext = {
    signal: controller.signal,
    progress: (step) => progress?.(step),
    notify: async (method, params) => {
      if (notify) return notify(method, params)
      if (unsaid.push([method, params]) > maxUnsaid) unsaid.shift()
    },
    ask: (method, params, { signal } = {}) =>
      new Promise((resolve) => {
        if (finished) return resolve(errorAnswer(codes.refused, 'The call is over'))
        const refusal = refuses?.(method, params)
        if (refusal) return resolve(refusal)
        const withdrawn = (): void => {
          asks.delete(key)
          answer(failure('cancelled', reasonOf(signal?.reason ?? 'cancelled')))
        }
        const answer = (outcome: Outcome): void => {
          signal?.removeEventListener('abort', withdrawn)
          resolve(outcome)
        }
        count += 1
        const key = `ask-${count}`
        if (signal?.aborted) return withdrawn()
        signal?.addEventListener('abort', withdrawn, { once: true })
        asks.set(key, { request: { method, params }, answer })
        offerSoon()
      }),
  }
  Promise.resolve()
    .then(() => run(context))
    .then(finish, (thrown) => finish(errorAnswer(codes.internalError, `Internal error: ${reasonOf(thrown)}`)))

  const abandon = (reason: string): void => {
    controller.abort(new Error(reason))
    for (const { answer } of asks.values()) answer(errorAnswer(codes.refused, reason))
    asks.clear()
    finish(errorAnswer(codes.refused, reason))
  }
  return {
    abandon,
    attempt: ({ inputResponses = {}, signal, ...way }) =>
      new Promise((resolve) => {
        ;({ progress, notify, refuses } = way)
        for (const [method, params] of unsaid.splice(0)) void notify?.(method, params)
        for (const [key, response] of Object.entries(inputResponses)) {
          const ask = asks.get(key)
          if (!ask) continue
          asks.delete(key)
          ask.answer(asOutcome(response))
        }
        const taken = (): void => {
          if (waiting === give) abandon(reasonOf(signal.reason ?? 'cancelled'))
        }
        const give = (next: Turn): void => {
          signal.removeEventListener('abort', taken)
          progress = undefined
          notify = undefined
          resolve(next)
        }
        waiting = give
        signal.addEventListener('abort', taken, { once: true })
        if (signal.aborted) return taken()
        // After answers the handler gets its chance to go on before what is still open is asked again.
        if (finished || Object.keys(inputResponses).length === 0) offer()
        else offerSoon()
      }),
  }
}

const asOutcome = (response: Json | undefined): Outcome =>
  isJsonObject(response)
    ? { kind: 'result', value: response }
    : errorAnswer(codes.invalidParams, 'The client answered with something that is no object')

/** Keeps calls between attempts, for a time and up to a number. */
export interface HeldCalls {
  hold(call: HeldCall): string
  /** Takes a call out; `undefined` where it is not here or no more. */
  take(id: string): HeldCall | undefined
  readonly size: number
  close(): void
}

/** Creates the place where calls wait for their clients. The oldest is given up where there are too many. */
export function createHeldCalls({ lifetimeMs = 300_000, max = 1000 } = {}): HeldCalls {
  const held = new Map<string, { readonly call: HeldCall; readonly timer: ReturnType<typeof setTimeout> }>()
  const drop = (id: string, reason: string): void => {
    const found = held.get(id)
    if (!found) return
    held.delete(id)
    clearTimeout(found.timer)
    found.call.abandon(reason)
  }
  return {
    hold(call) {
      const id = randomUUID()
      const oldest = held.size >= max ? held.keys().next().value : undefined
      if (oldest !== undefined) drop(oldest, 'too many calls wait for answers')
      const timer = setTimeout(() => drop(id, 'the client did not answer in time'), delayOf(lifetimeMs))
      timer.unref()
      held.set(id, { call, timer })
      return id
    },
    take(id) {
      const found = held.get(id)
      if (!found) return undefined
      held.delete(id)
      clearTimeout(found.timer)
      return found.call
    },
    get size() {
      return held.size
    },
    close() {
      for (const id of [...held.keys()]) drop(id, 'the server is closing')
    },
  }
}
