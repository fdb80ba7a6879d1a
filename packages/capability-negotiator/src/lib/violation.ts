import type { JsonObject } from './json.ts'
import type { WireError } from './outcome.ts'
import { ruleFor } from './permission.ts'
import type { Era } from './versions.ts'

/** A request that was sent. */
export interface SentRequest {
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** A method the server answered with an error although it may have declared it: both messages, kept as evidence. */
export interface Violation {
  readonly method: string
  readonly request: SentRequest
  readonly error: WireError
  /** Whether what the method needs was declared. Only then is it a fault of the server. */
  readonly declared: boolean
  /**
   * Whether the method is refused from now on: after -32601, except to `tools/call`, where many servers mean an
   * unknown tool by it.
   */
  readonly refuses: boolean
  /** The flag that was declared, as in `resources.subscribe`. */
  readonly flag?: string | undefined
  readonly era: Era
  readonly version: string
  /** What the server said of itself: name and implementation version. */
  readonly serverInfo?: JsonObject | undefined
  readonly capabilities: JsonObject
  /** How often it was answered so. */
  readonly count: number
  /** When it was first seen, as the caller's clock gave it (ISO 8601); absent without a clock. */
  readonly at?: string | undefined
}

/** The evidence of one connection. One entry per method, so it cannot grow without end. */
export interface Evidence {
  add(violation: Omit<Violation, 'count'>): Violation
  /** What falls with a refused method, if it was. */
  against(method: string): Violation | undefined
  list(): readonly Violation[]
  clear(): void
}

/** Without `resources/subscribe` there is nothing to unsubscribe. */
const feature = (method: string): string =>
  method === 'resources/unsubscribe' ? 'resources/subscribe' : method

const UNPUBLISHED_LIMIT = 64

export function createEvidence(): Evidence {
  const entries = new Map<string, Violation>()
  return {
    add(found) {
      const key = feature(found.method)
      const earlier = entries.get(key)
      const violation: Violation = earlier
        ? { ...earlier, count: earlier.count + 1, refuses: earlier.refuses || found.refuses }
        : { ...found, count: 1 }
      const room = entries.size < UNPUBLISHED_LIMIT || ruleFor('client', found.method) !== undefined
      if (earlier !== undefined || room) entries.set(key, violation)
      return violation
    },
    against: (method) => entries.get(feature(method)),
    list: () => [...entries.values()],
    clear: () => entries.clear(),
  }
}
