import { isObject, own, quote } from './json.ts'
import type { Plan } from './machine.ts'
import type { Prior } from './steps.ts'
import { eraOf, REVISIONS } from './versions.ts'

/** How to negotiate, where the defaults do not fit. */
export interface NegotiationPolicy {
  /** `auto` (default) asks for the modern era first. `legacy` and `modern` never try the other one. */
  readonly era?: 'auto' | 'legacy' | 'modern' | undefined
  /** What an earlier negotiation with this very server found (`verdict()`), keyed by server id and URL. */
  readonly prior?: Prior | undefined
  /** What `admit()` says to an ordinary request before `ready`. Default `wait`. */
  readonly beforeReady?: 'wait' | 'refuse' | undefined
  /** `false` with `era: 'modern'` skips `server/discover`: no round trip, capabilities unknown. Default true. */
  readonly discover?: boolean | undefined
  /** Whether the driver can speak the HTTP+SSE transport of 2024-11-05. Default false. */
  readonly sse?: boolean | undefined
  /** What a 401 or 403 to the probe leads to. Default `close`, so that a login can come first. */
  readonly whenUnauthorized?: 'close' | 'initialize' | undefined
  /** Milliseconds; default 5000. A silent server costs this once: keep the verdict. */
  readonly probeTimeoutMs?: number | undefined
  /** Milliseconds; default 60000. */
  readonly initializeTimeoutMs?: number | undefined
}

export interface NegotiationOptions {
  readonly transport: 'stdio' | 'http'
  /** The versions this side can use, in any order. Default: all published revisions. */
  readonly versions?: readonly string[] | undefined
  /** What this side says of itself, and what it can do for the server. */
  readonly client: { readonly info: object; readonly capabilities?: object | undefined }
  readonly policy?: NegotiationPolicy | undefined
  /** The time for evidence, as ISO 8601. Without it evidence carries no time. */
  readonly now?: (() => string) | undefined
}

/** Caller misuse: options that no negotiation can be made of. `value` is what was given. */
export class NegotiationOptionsError extends Error {
  override readonly name = 'NegotiationOptionsError'
  readonly code: 'bad-transport' | 'bad-client' | 'bad-version' | 'no-version' | 'bad-timeout'
  readonly value: unknown

  constructor(code: NegotiationOptionsError['code'], message: string, value: unknown) {
    super(message)
    this.code = code
    this.value = value
  }
}

function timeout(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback
  if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value
  throw new NegotiationOptionsError('bad-timeout', `${name} must be a number of milliseconds above 0`, value)
}

/** What was remembered, as far as it is what it should be: it comes from a file. */
function believable(prior: Prior | undefined): Prior | undefined {
  const era = own(prior, 'era')
  if (era !== 'legacy' && era !== 'modern') return undefined
  const version = own(prior, 'version')
  const discovered = own(prior, 'discovered')
  return {
    era,
    ...(typeof version === 'string' ? { version } : {}),
    ...(isObject(discovered) ? { discovered } : {}),
  }
}

/** Checks options and fills in what they leave out. @throws NegotiationOptionsError */
export function planOf({ transport, versions = REVISIONS, client, policy = {} }: NegotiationOptions): Plan {
  if (transport !== 'stdio' && transport !== 'http') {
    throw new NegotiationOptionsError('bad-transport', `transport must be 'stdio' or 'http'`, transport)
  }
  if (!isObject(client?.info) || (client.capabilities !== undefined && !isObject(client.capabilities))) {
    throw new NegotiationOptionsError(
      'bad-client',
      'client must be { info, capabilities? }, both objects',
      client,
    )
  }
  for (const version of versions) {
    if (eraOf(version) !== undefined) continue
    const message = `${quote(String(version))} is no protocol version: those are dates, ${REVISIONS.join(', ')} so far`
    throw new NegotiationOptionsError('bad-version', message, version)
  }
  const era = policy.era ?? 'auto'
  const usable = versions.filter((version) => era === 'auto' || eraOf(version) === era)
  if (usable.length === 0) {
    throw new NegotiationOptionsError('no-version', `no version of era '${era}' among those given`, versions)
  }
  return {
    transport,
    versions: usable,
    client: { info: client.info, capabilities: client.capabilities ?? {} },
    prior: believable(policy.prior),
    discover: era !== 'modern' || policy.discover !== false,
    sse: policy.sse ?? false,
    whenUnauthorized: policy.whenUnauthorized ?? 'close',
    probeTimeoutMs: timeout('probeTimeoutMs', policy.probeTimeoutMs, 5_000),
    initializeTimeoutMs: timeout('initializeTimeoutMs', policy.initializeTimeoutMs, 60_000),
  }
}
