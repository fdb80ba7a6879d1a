import { randomUUID } from 'node:crypto'
import {
  type Admission,
  type Call,
  type Decision,
  type Gate,
  type Pin,
  refusalText,
} from '@truename/call-gate'
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
      readonly verdict: 'ask' | 'deny'
      readonly rule: string
      /** What the client is told; holds no text of a server that was not approved. */
      readonly text: string
      /** The member that moved, where the definition is held. */
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

  const refuse = async (decision: Refusal, more: Partial<DecisionEntry> = {}): Promise<GuardedOutcome> => {
    const { verdict, rule, reason, text, field } = decision
    await record(services, { ...decisionOf(guarded, call), verdict, rule, reason, ...more })
    await record(services, { type: 'outcome', call, key, outcome: 'refused', durationMs: elapsed() })
    return { kind: 'refused', verdict, rule, text, field }
  }

  // What the rules forbid whatever the server says today is refused without starting it.
  const likely = callOf(guarded, approvedPin(locked, key), locked)
  const early = gate.decide(likely)
  if (early.verdict === 'deny') {
    // A refusal counts for the loop breaker wherever it was decided.
    gate.settle(likely, { kind: 'error', error: { code: 0, message: early.reason }, failure: 'refused' })
    return refuse({ ...early, verdict: 'deny', text: refusalText(key, early) })
  }

  const acquired = await pool.acquire(key.server)
  if (!acquired.ok) {
    const { code, message } = acquired.unavailable
    const refused = await refuse(
      { verdict: 'deny', rule: 'upstream', reason: message, text: message },
      { detail: { unavailable: code } },
    )
    return code === 'endpoint-changed' ? refused : { kind: 'unavailable', unavailable: acquired.unavailable }
  }
  const { verified } = acquired
  const pin = pinOf(verified, key)
  const entry = evidenceOf(verified, pin, locked, key)
  const admission = await gate.admit(callOf(guarded, pin, locked), { signal: guarded.context.signal })
  if (admission.verdict !== 'allow') return refuse(refusalOf(key, pin, admission), entry)
  const { approval } = admission
  await record(services, {
    ...decisionOf(guarded, call),
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

  // The surface may have been compared again while the decision was written.
  const latest = pool.peek(key.server)
  const moved = latest && latest !== verified ? pinOf(latest, key) : pin
  if (moved.state === 'held' || moved.state === 'unknown') {
    return refuse(
      refusalOf(key, moved, gate.decide(callOf(guarded, moved, locked))),
      evidenceOf(verified, moved, locked, key),
    )
  }

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
    refusedBy: settled.by,
    denial: settled.denial,
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

/** A decision not to forward, and what the client is told of it. */
interface Refusal {
  readonly verdict: 'ask' | 'deny'
  readonly rule: string
  readonly reason: string
  readonly text: string
  readonly field?: string | undefined
}

function refusalOf(key: Key, pin: Pin, admission: Decision | Admission): Refusal {
  const verdict = admission.verdict === 'ask' ? 'ask' : 'deny'
  const { rule, reason } = admission
  // The registry's own sentence names pair and field.
  if (pin.state === 'held' && rule === 'pin')
    return { verdict, rule, reason, text: `${pin.reason} The call was not sent.`, field: pin.field }
  const how =
    'request' in admission
      ? ` A person answers it with: truename approvals answer ${admission.request.id}`
      : ''
  return { verdict, rule, reason, text: refusalText(key, admission) + how }
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
