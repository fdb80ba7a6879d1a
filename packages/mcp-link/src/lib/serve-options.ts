import { REVISIONS } from '@truename/capability-negotiator'
import { createHeldCalls, type HeldCalls } from './held-call.ts'
import { createParamHeaders, type ParamHeaders } from './param-headers.ts'
import type { LinkEvent } from './port.ts'
import { createSealer, type Sealer } from './sealed-state.ts'

/** What the connections of one endpoint share. */
export interface Serving {
  /** The revisions served. */
  readonly versions: readonly string[]
  readonly held: HeldCalls
  readonly sealer: Sealer
  /** What the tools that were listed declare of headers. */
  readonly paramHeaders: ParamHeaders
  /** Milliseconds to wait for what a client is asked (a person answers elicitations). */
  readonly askTimeoutMs: number
  readonly event: (event: LinkEvent) => void
}

/** Options of every way to serve. */
export interface ServingOptions {
  /** The revisions to serve; default all published ones. */
  readonly versions?: readonly string[] | undefined
  /** 32 bytes for what clients carry between attempts; replicas share one. Default: random. */
  readonly sealingKey?: Uint8Array | undefined
  /** How long a call waits for a client's answers. Default five minutes. */
  readonly askTimeoutMs?: number | undefined
  readonly onEvent?: ((event: LinkEvent) => void) | undefined
}

/** Fills in the defaults. */
export function createServing(options: ServingOptions = {}): Serving {
  const askTimeoutMs = options.askTimeoutMs ?? 300_000
  return {
    versions: options.versions ?? REVISIONS,
    held: createHeldCalls({ lifetimeMs: askTimeoutMs }),
    sealer: createSealer(options.sealingKey ? { key: options.sealingKey } : {}),
    paramHeaders: createParamHeaders(),
    askTimeoutMs,
    event: (happened) => options.onEvent?.(happened),
  }
}
