import { codes, errorAnswer, failure } from './failure.ts'
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
  /** A call began. Returns how to say under which id it was sent, and that it ended. */
  began(context: CallContext): { readonly sentAs: (id: RequestId) => void; readonly ended: () => void }
  readonly inFlight: number
  answer(
    method: string,
    params: JsonObject,
    /** The call on whose HTTP exchange the request came: an answer to the question, where there is one. */
    via: RequestId | undefined,
    signal: AbortSignal,
    handler: RequestHandler<{ readonly signal: AbortSignal }> | undefined,
  ): Promise<Outcome>
}

/** Creates the attribution of one upstream. */
export function createAttribution(isolation: Isolation): Attribution {
  const calls = new Set<CallContext>()
  const byId = new Map<RequestId, CallContext>()
  return {
    began(context) {
      const call = { ...context }
      const ids: RequestId[] = []
      calls.add(call)
      return {
        sentAs: (id) => {
          ids.push(id)
          byId.set(id, call)
        },
        ended: () => {
          calls.delete(call)
          for (const id of ids) byId.delete(id)
        },
      }
    },
    get inFlight() {
      return calls.size
    },
    async answer(method, params, via, signal, handler) {
      const named = via === undefined ? undefined : byId.get(via)
      if (named === undefined && isolation === 'shared' && calls.size > 1) {
        return failure(
          'refused',
          `${method} cannot be relayed: ${calls.size} calls are in flight on this shared connection, and the request does not say which one it belongs to`,
        )
      }
      // All calls of a session have the same client; the newest one has a live stream to it.
      const asking = named ?? [...calls].findLast((call) => call.ask !== undefined)
      if (asking?.ask) return asking.ask(method, params)
      if (handler) return handler(method, params, { signal })
      return errorAnswer(codes.methodNotFound, `Method not found: ${method}`)
    },
  }
}
