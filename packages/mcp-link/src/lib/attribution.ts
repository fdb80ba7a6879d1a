import { codes, errorAnswer, failure, wasNeverHad } from './failure.ts'
import type { JsonObject } from './json.ts'
import type { RequestId } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { CallContext, RequestHandler } from './port.ts'

/**
 * Whose connection an upstream is: `session` has one downstream client, so that any of its calls may be asked;
 * `shared` has many, so that a request that names no call may be answered only while exactly one is in flight.
 */
export type Isolation = 'session' | 'shared'

/** Finds out which client a server's request is meant for; legacy requests name no call. */
export interface Attribution {
  /** A call began. Returns how to say under which id it was sent, and what became of it. */
  began(context: CallContext): {
    readonly sentAs: (id: RequestId) => void
    readonly ended: (outcome: Outcome) => void
  }
  /** The server answered a call that was given up before. */
  answeredLate(id: RequestId): void
  answer(
    method: string,
    params: JsonObject,
    /** The call on whose HTTP exchange the request came: an answer to the question, where there is one. */
    via: RequestId | undefined,
    signal: AbortSignal,
    handler: RequestHandler<{ readonly signal: AbortSignal }> | undefined,
  ): Promise<Outcome>
}

interface OpenCall {
  readonly context: CallContext
  /** Aborted when the call is over: nothing of it is asked any more. */
  readonly questions: Set<AbortController>
}

/** How many calls that were given up are remembered. */
const maxGivenUp = 4096

/** Creates the attribution of one upstream. */
export function createAttribution(
  isolation: Isolation,
  {
    doubtMs = 60_000,
    now = () => performance.now(),
  }: {
    /** For how many milliseconds a call that was given up may still be the one that asks. */
    readonly doubtMs?: number
    readonly now?: () => number
  } = {},
): Attribution {
  const calls = new Set<OpenCall>()
  const byId = new Map<RequestId, OpenCall>()
  /** Calls that were given up, by their ids, and until when the server may still be at work on them. */
  const givenUp = new Map<RequestId, number>()

  /** How many calls that are over may be asking all the same. */
  const doubtful = (): number => {
    for (const [id, until] of givenUp) {
      if (until > now() && givenUp.size <= maxGivenUp) break
      givenUp.delete(id)
    }
    return givenUp.size
  }

  /** Asks the client of a call, for as long as both the question and the call are open. */
  async function put(
    call: OpenCall,
    ask: NonNullable<CallContext['ask']>,
    [method, params]: readonly [string, JsonObject],
    signal: AbortSignal,
  ): Promise<Outcome> {
    const controller = new AbortController()
    const withdraw = (): void => controller.abort(signal.reason)
    call.questions.add(controller)
    if (signal.aborted) withdraw()
    signal.addEventListener('abort', withdraw, { once: true })
    try {
      return await ask(method, params, { signal: controller.signal })
    } finally {
      signal.removeEventListener('abort', withdraw)
      call.questions.delete(controller)
    }
  }

  return {
    began(context) {
      const call: OpenCall = { context, questions: new Set() }
      const ids: RequestId[] = []
      calls.add(call)
      return {
        sentAs: (id) => {
          ids.push(id)
          byId.set(id, call)
        },
        ended: (outcome) => {
          calls.delete(call)
          for (const id of ids) byId.delete(id)
          const last = ids.at(-1)
          if (last !== undefined && isOpenAtServer(outcome)) {
            givenUp.set(last, now() + doubtMs)
            doubtful()
          }
          for (const question of call.questions) question.abort(new Error('the call is over'))
        },
      }
    },
    answeredLate: (id) => void givenUp.delete(id),
    async answer(method, params, via, signal, handler) {
      const named = via === undefined ? undefined : byId.get(via)
      if (via !== undefined && named === undefined)
        return failure('refused', `${method} cannot be relayed: the request it came with is over`)
      const unnamed = named === undefined && isolation === 'shared' && calls.size > 0
      const over = unnamed ? doubtful() : 0
      if (unnamed && calls.size + over > 1) {
        const many = over === 0 ? '' : ` (${over} given up, and not known to be over)`
        return failure(
          'refused',
          `${method} cannot be relayed: ${calls.size + over} calls are in flight on this shared connection${many}, and the request does not say which one it belongs to`,
        )
      }
      // All calls of a session have the same client; the newest one has a live stream to it.
      const asking = named ?? [...calls].findLast(({ context }) => context.ask !== undefined)
      if (asking?.context.ask) return put(asking, asking.context.ask, [method, params], signal)
      if (handler) return handler(method, params, { signal })
      return errorAnswer(codes.methodNotFound, `Method not found: ${method}`)
    },
  }
}

/** Whether a server may still be at work on a call that ended so: it was sent, and not answered. */
function isOpenAtServer(outcome: Outcome): boolean {
  if (outcome.kind !== 'error' || wasNeverHad(outcome)) return false
  const { failure: how } = outcome
  return how === 'timeout' || how === 'cancelled' || how === 'transport'
}
