import {
  type CloseReason,
  createNegotiation,
  type Negotiation,
  type NegotiationEvent,
  type Prior,
  type Step,
} from '@truename/capability-negotiator'
import type { Isolation } from './attribution.ts'
import { httpEvent } from './exchanges.ts'
import { printable, reasonOf } from './failure.ts'
import { HttpAnswerError } from './http-answer.ts'
import type { JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'
import type { HttpOutcome } from './outgoing-requests.ts'
import { createPeer, type Peer, type PeerHandlers } from './peer.ts'
import type { Era, Implementation, LinkEvent, Upstream } from './port.ts'
import { defaultTimeouts, type Timeouts } from './timeouts.ts'
import { TimeUpError, within } from './timer.ts'
import type { Transport } from './transport.ts'
import { createUpstream } from './upstream.ts'

/** A connection on which nothing was said yet. */
export interface Dialled {
  readonly transport: Transport
  /** The last lines of the child's stderr. */
  stderr?(): readonly string[]
  /** How the child ended, once it has. */
  ending?(): string | undefined
  /** Ends a session at the server, where there is one (HTTP `DELETE`). */
  farewell?(): Promise<void>
}

/** How an adapter opens connections to one server. */
export interface Dialler {
  readonly serverId: string
  readonly transport: 'stdio' | 'http'
  /** Whether `dial('http+sse')` works. */
  readonly sse?: boolean
  /** Opens a new connection each time. Rejects where it cannot. */
  dial(kind: 'same' | 'http+sse'): Promise<Dialled>
}

/** How to connect, on either SDK line. */
export interface ConnectOptions {
  /** What this side says of itself. */
  readonly client: Implementation
  /** What this side can do for the server; servers vary their tools by it. Default none. */
  readonly capabilities?: JsonObject | undefined
  /** Default `auto`: the modern era first, then the legacy one. */
  readonly era?: 'auto' | Era | undefined
  /** The revisions to offer; default all published ones that the SDK line speaks. */
  readonly versions?: readonly string[] | undefined
  /** `false` with `era: 'modern'` connects without a round trip; what the server can do is then not known. */
  readonly discover?: boolean | undefined
  /** What becomes of a request that comes while negotiation is under way. Default `wait`. */
  readonly beforeReady?: 'wait' | 'refuse' | undefined
  /** What an earlier connection to this very server found (`negotiation.verdict()`). */
  readonly prior?: Prior | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Default 1. */
  readonly generation?: number | undefined
  /** Whose connection this is; default `session`. */
  readonly isolation?: Isolation | undefined
  /** What a 401 or 403 to the probe leads to. Default `close`, so that a login can come first. */
  readonly whenUnauthorized?: 'close' | 'initialize' | undefined
  readonly onEvent?: ((event: LinkEvent) => void) | undefined
  /** Aborting gives the attempt up. */
  readonly signal?: AbortSignal | undefined
}

/** Why there is no connection. Match on `code`. */
export interface ConnectFailure {
  readonly code: CloseReason['code'] | 'cannot-start' | 'aborted'
  readonly serverId: string
  /** One line: which server, what happened, and what the child wrote last. */
  readonly message: string
  /** What the negotiation ended with, where it got that far. */
  readonly reason: CloseReason | undefined
  /** Whether the same attempt may succeed later, or after a login. */
  readonly retry: boolean
  /** The last lines of the child's stderr, oldest first. */
  readonly stderr: readonly string[]
  /** `WWW-Authenticate` of a 401, where the server sent one. */
  readonly challenge?: string | undefined
}

/** What came of connecting. */
export type Connected =
  | { readonly ok: true; readonly upstream: Upstream }
  | { readonly ok: false; readonly failure: ConnectFailure }

const handlersOf = (dialled: Dialled, handlers: PeerHandlers): PeerHandlers => ({
  ...handlers,
  whyClosed: () => {
    const how = dialled.ending?.()
    return how === undefined ? undefined : `the server process ended (${how})`
  },
})

/**
 * Opens a connection to one server and drives its negotiation, on whatever transport the adapter dials. Never
 * throws for what a server does; what was opened is closed again where it fails.
 */
export async function connectLink(dialler: Dialler, options: ConnectOptions): Promise<Connected> {
  const timeouts: Timeouts = { ...defaultTimeouts, ...options.timeouts }
  const event = (happened: LinkEvent): void => options.onEvent?.(happened)
  const negotiation = createNegotiation({
    transport: dialler.transport,
    versions: options.versions,
    client: { info: options.client, capabilities: options.capabilities ?? {} },
    policy: {
      era: options.era ?? 'auto',
      prior: options.prior,
      discover: options.discover,
      beforeReady: options.beforeReady,
      sse: dialler.sse ?? false,
      whenUnauthorized: options.whenUnauthorized,
      probeTimeoutMs: timeouts.probeMs,
      initializeTimeoutMs: timeouts.connectMs,
    },
    now: () => new Date().toISOString(),
  })
  let dialled: Dialled | undefined
  let peer: Peer | undefined
  let challenge: string | undefined
  const link = createUpstream({
    serverId: dialler.serverId,
    generation: options.generation ?? 1,
    transport: dialler.transport,
    negotiation,
    timeouts,
    isolation: options.isolation ?? 'session',
    event,
    stderr: () => dialled?.stderr?.() ?? [],
    drive: (step) => drive(step),
    close: () => hangUp('closed by this side'),
  })

  const { signal } = options
  const limits = { ms: timeouts.connectMs, signal }
  async function dial(kind: 'same' | 'http+sse'): Promise<void> {
    signal?.throwIfAborted()
    const fresh = await within(
      dialler.dial(kind),
      { ...limits, what: 'reaching it' },
      ({ transport }) => void transport.close().catch(() => undefined),
    )
    const made = createPeer(
      fresh.transport,
      handlersOf(
        fresh,
        link.handlers(() => peer === made),
      ),
    )
    dialled = fresh
    peer = made
    await within(made.start(), { ...limits, what: 'opening the connection' })
  }
  /** Whoever waits for an answer has one at once; the farewell has the time a child has to end. */
  async function hangUp(why: string, silently = false): Promise<void> {
    const [old, from] = [peer, dialled]
    peer = undefined
    if (!old) return
    const speaks = !silently && old.closedBecause === undefined
    await old.close(why, async () => {
      if (speaks && from?.farewell)
        await within(from.farewell(), { ms: timeouts.graceMs, what: 'the farewell' })
    })
  }
  const fail = async (
    failure: Omit<ConnectFailure, 'serverId' | 'stderr' | 'message'> & { what: string },
  ): Promise<Connected> => {
    // After a negotiation that came to nothing, nothing more is sent.
    await hangUp(failure.what, failure.reason !== undefined)
    const stderr = dialled?.stderr?.() ?? []
    const last = stderr.filter((line) => line.trim() !== '').at(-1)
    const { what, ...rest } = failure
    const message = `Server ${JSON.stringify(dialler.serverId)}: ${what}${last === undefined ? '' : `; its last line on stderr: ${printable(last, 300)}`}`
    return {
      ok: false,
      failure: {
        ...rest,
        serverId: dialler.serverId,
        message,
        stderr,
        ...(challenge === undefined ? {} : { challenge }),
      },
    }
  }
  /** An HTTP server may leave a notification without its 202. */
  const notified = (
    to: Peer,
    { method, params }: { readonly method: string; readonly params?: JsonObject | undefined },
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly error?: unknown }> =>
    within(to.notify(method, params, { headers }), {
      ms: timeouts.connectMs,
      signal,
      what: `sending ${method}`,
    }).catch((error: unknown) => ({ error }))
  const perform = async (
    step: Extract<Step, { do: 'send' }>,
    signal: AbortSignal | undefined,
  ): Promise<Step> => {
    const { exchange, message } = step
    if (peer === undefined) return negotiation.receive({ kind: 'exit', exchange })
    if (step.expect === 'nothing') {
      // From here on HTTP carries the negotiated version, this very notification included.
      if (negotiation.version !== undefined) dialled?.transport.setProtocolVersion?.(negotiation.version)
      const { error } = await notified(peer, message, step.headers, signal)
      return negotiation.receive(
        error === undefined ? { kind: 'sent', exchange } : { ...thrownEvent(error), exchange },
      )
    }
    const outcome = await peer.request(message.method, message.params ?? {}, {
      timeoutMs: step.timeoutMs,
      signal,
      cancelBy: dialler.transport === 'http' ? 'stream' : 'nothing',
      send: { headers: step.headers },
      // What it says is in the machine by the time the handshake is answered.
      onLate: (answer) => void negotiation.receive({ ...answer, exchange }),
    })
    if (outcome.kind === 'http') challenge = outcome.answer.challenge ?? challenge
    return negotiation.receive({ ...toEvent(outcome, dialler.transport, dialled), exchange })
  }
  const drive = async (first: Step, signal?: AbortSignal): Promise<Step> => {
    let step = first
    while (step.do === 'send' && !signal?.aborted) step = await perform(step, signal)
    return step
  }
  const unreachable = dialler.transport === 'stdio' ? 'cannot-start' : 'network'
  const broken = (thrown: unknown): Promise<Connected> =>
    options.signal?.aborted
      ? fail({ code: 'aborted', what: 'connecting was given up', reason: undefined, retry: true })
      : fail({
          code: thrown instanceof TimeUpError ? 'timeout' : unreachable,
          what: `${dialler.transport === 'stdio' ? 'it cannot be started' : 'it cannot be reached'}: ${reasonOf(thrown)}`,
          reason: undefined,
          retry: dialler.transport === 'http' || thrown instanceof TimeUpError,
        })
  try {
    await dial('same')
    let step = negotiation.start()
    for (;;) {
      step = await drive(step, options.signal)
      if (options.signal?.aborted) return broken(options.signal.reason)
      if (step.do === 'reconnect') {
        event({ level: 'info', message: `connecting again: ${step.cause}` })
        await hangUp(`connecting again: ${step.cause}`)
        await dial(step.transport)
        step = negotiation.receive({ kind: 'connected' })
      } else if (step.do === 'close') {
        return fail({
          code: step.reason.code,
          what: step.reason.message,
          reason: step.reason,
          retry: step.reason.retry,
        })
      } else break
    }
    if (negotiation.state !== 'ready' || peer === undefined) {
      return fail({
        code: 'invalid-answer',
        what: 'the negotiation did not come to an end',
        reason: undefined,
        retry: false,
      })
    }
    if (negotiation.version !== undefined) dialled?.transport.setProtocolVersion?.(negotiation.version)
    for (const { message } of negotiation.diagnostics) event({ level: 'warn', message })
    return { ok: true, upstream: link.ready(peer, () => dialled?.transport) }
  } catch (thrown) {
    return broken(thrown)
  }
}

function thrownEvent(thrown: unknown): NegotiationEvent {
  if (thrown instanceof HttpAnswerError) return httpEvent(thrown)
  const failure = thrown instanceof TimeUpError ? 'timeout' : 'transport'
  return { kind: 'error', error: { code: 0, message: reasonOf(thrown) }, failure }
}

function toEvent(
  outcome: Outcome | HttpOutcome,
  transport: 'stdio' | 'http',
  dialled: Dialled | undefined,
): NegotiationEvent {
  if (outcome.kind === 'http') return httpEvent(outcome.answer)
  const gone = outcome.kind === 'error' && (outcome.failure === 'closed' || outcome.failure === 'transport')
  return gone && transport === 'stdio' ? { kind: 'exit', detail: dialled?.ending?.() } : outcome
}

export type { Negotiation }
