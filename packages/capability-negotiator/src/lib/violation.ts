import type { JsonObject } from './json.ts'
import type { WireError } from './outcome.ts'
import type { Era } from './versions.ts'

/** A method that the server does not have although it may have declared it: both messages, kept as evidence. */
export interface Violation {
  readonly method: string
  readonly request: { readonly method: string; readonly params?: JsonObject | undefined }
  readonly error: WireError
  /** Whether what the method needs was declared. Only then is it a fault of the server. */
  readonly declared: boolean
  /** Whether the method is refused from now on. Not for `tools/call`: many servers answer -32601 for an unknown tool. */
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
