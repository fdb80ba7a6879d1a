import { randomUUID } from 'node:crypto'
import type { Call, Gate, Pin } from '@truename/call-gate'
import type { DecisionEntry, DecisionLog, LogEntry } from '@truename/decision-log'
import type { DownstreamContext, JsonObject, Outcome, Upstream } from '@truename/mcp-link'
import { type Key, type LockedServer, lockedDefinition } from '@truename/tool-registry'
import type { UnavailableUpstream, UpstreamPool, VerifiedUpstream } from './upstream-pool.ts'

/** What a call needs beside its own arguments. */
export interface CallServices {
  readonly gate: Gate
  readonly log: DecisionLog | undefined
  readonly pool: UpstreamPool
  readonly locked: (serverId: string) => LockedServer | undefined
  readonly callTimeoutMs: number
  readonly onEvent: (level: 'info' | 'warn' | 'error', server: string, message: string) => void
}

/** A call, prompt or reading on its way to one server. */
export interface GuardedCall {
  /** Identity: for a reading the exact URI. */
  readonly key: Key
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read'
  /** The model-facing name, where the call came under one. */
  readonly flat?: string | undefined
  /** For a reading: the template its URI belongs to. */
  readonly template?: string | undefined
  /** What the server is sent: its own names. */
  readonly params: JsonObject
  readonly args: unknown
  readonly context: DownstreamContext
}

/** What became of it: refused here, not to be had, or answered. */
export type GuardedOutcome =
  | {
      readonly kind: 'refused'
      readonly reason: string
      readonly rule: string
      readonly field?: string | undefined
    }
  | { readonly kind: 'unavailable'; readonly unavailable: UnavailableUpstream }
  | {
      readonly kind: 'answered'
      readonly outcome: Outcome
      readonly upstream: Upstream
      readonly call: string
    }

/**
 * Decides, records, forwards, records. Nothing is forwarded before its decision is in the log, and nothing over a
 * connection whose surface was not compared with the lock.
 */
export async function guardedCall(services: CallServices, guarded: GuardedCall): Promise<GuardedOutcome> {
  const { gate, pool } = services
  const { key } = guarded
  const call = randomUUID()
  const started = performance.now()
  const elapsed = () => Math.round((performance.now() - started) * 1000) / 1000
  const locked = services.locked(key.server)

  const refuse = async (
    reason: string,
    rule: string,
    more: Partial<DecisionEntry> = {},
    field?: string,
  ): Promise<GuardedOutcome> => {
    await record(services, { ...decisionOf(guarded, call), verdict: 'deny', rule, reason, ...more })
    await record(services, { type: 'outcome', call, key, outcome: 'refused', durationMs: elapsed() })
    return { kind: 'refused', reason, rule, field }
  }

  // What the rules forbid whatever the server says today is refused without starting it.
  const early = gate.decide(callOf(guarded, approvedPin(locked, key), locked))
  if (early.verdict === 'deny') return refuse(early.reason, early.rule)

  const acquired = await pool.acquire(key.server)
  if (!acquired.ok) {
    const { unavailable } = acquired
    const refusal = await refuse(unavailable.message, 'upstream', {
      detail: { unavailable: unavailable.code },
    })
    return unavailable.code === 'endpoint-changed' ? refusal : { kind: 'unavailable', unavailable }
  }
  const { verified } = acquired
  const pin = pinOf(verified, key)
  const admission = await gate.admit(callOf(guarded, pin, locked), { signal: guarded.context.signal })
  const entry = { ...decisionOf(guarded, call), ...evidenceOf(verified, pin, locked, key) }
  if (admission.verdict !== 'allow') {
    const waiting =
      admission.verdict === 'ask'
        ? `; it waits for a person: truename approvals answer ${admission.request.id}`
        : ''
    // The registry's own sentence names pair and field, and holds no text that was not approved.
    if (pin.state === 'held') return refuse(pin.reason, admission.rule, entry, pin.field)
    return refuse(admission.reason + waiting, admission.rule, { ...entry, verdict: admission.verdict })
  }
  const { approval } = admission
  await record(services, {
    ...entry,
    verdict: 'allow',
    rule: admission.rule,
    reason: admission.reason,
    ...(approval && {
      approval: {
        by: approval.answer.who,
        channel: approval.answer.channel,
        scope: approval.answer.scope,
        id: approval.id,
      },
    }),
  })

  const { upstream } = verified
  const outcome = await upstream.request(guarded.method, guarded.params, {
    ...guarded.context,
    timeoutMs: services.callTimeoutMs,
  })
  const settled = gate.settle(callOf(guarded, pin, locked), outcome)
  await record(services, {
    type: 'outcome',
    call,
    key,
    outcome: settled.class,
    durationMs: elapsed(),
    connection: { generation: upstream.generation },
    ...(outcome.kind === 'error' && {
      code: outcome.error.code,
      message: outcome.error.message,
      failure: outcome.failure,
    }),
    ...(outcome.kind === 'result' && { result: outcome.value as never }),
    ...(settled.denial !== undefined && { detail: { denial: settled.denial } }),
  }).catch((error: unknown) =>
    // The call is over: its answer is not withheld because its second record could not be written.
    services.onEvent(
      'error',
      key.server,
      `The outcome of call ${call} could not be recorded: ${(error as Error).message}`,
    ),
  )
  return { kind: 'answered', outcome, upstream, call }
}

async function record({ log }: CallServices, entry: LogEntry): Promise<void> {
  await log?.append(entry)
}

const decisionOf = ({ key, method, flat, context, args }: GuardedCall, call: string) =>
  ({
    type: 'decision',
    call,
    key,
    method,
    flat,
    caller: { profile: context.client.profile },
    arguments: (args ?? {}) as never,
    traceparent: context.trace?.traceparent,
  }) as const

const evidenceOf = (
  { upstream, verifiedAt }: VerifiedUpstream,
  pin: Pin,
  locked: LockedServer | undefined,
  key: Key,
) => ({
  connection: { generation: upstream.generation, verifiedAgoMs: Math.max(0, Date.now() - verifiedAt) },
  pin: {
    state: pin.state,
    digest: locked && lockedDefinition(locked, key)?.digest,
  },
})

const callOf = (
  { key, args, template, context }: GuardedCall,
  pin: Pin,
  locked: LockedServer | undefined,
): Call => ({
  key,
  args,
  pin,
  template,
  caller: { profile: context.client.profile },
  endpoint: locked?.endpoint.fingerprint,
})

/** The pin as far as the lock alone can say. */
const approvedPin = (locked: LockedServer | undefined, key: Key): Pin => {
  if (key.kind === 'resource') return { state: 'live' }
  const entry = locked && lockedDefinition(locked, key)
  return entry ? { state: 'approved', digest: entry.digest } : { state: 'unknown' }
}

/** The pin as this connection was found. Concrete resources are data: no lock holds them. */
function pinOf({ verification }: VerifiedUpstream, key: Key): Pin {
  if (key.kind === 'resource') return { state: 'live' }
  const approval = verification.approval(key)
  if (approval.approved) return { state: 'approved', digest: approval.digest }
  if (approval.why === 'not-in-lock') return { state: 'unknown' }
  return { state: 'held', field: approval.field ?? approval.why, reason: approval.message }
}
