import { randomUUID } from 'node:crypto'
import { type Admission, type Decision, type Gate, type Pin, refusalText } from '@truename/call-gate'
import type { DecisionEntry, DecisionLog } from '@truename/decision-log'
import {
  type DownstreamContext,
  type JsonObject,
  type Outcome,
  type Upstream,
  wasNeverHad,
} from '@truename/mcp-link'
import type { Key, LockedServer } from '@truename/tool-registry'
import { approvedPin, callOf, decisionOf, evidenceOf, pinOf, record } from './call-evidence.ts'
import { type Allowed, isStillAllowed, send, sendOnceMore } from './send-call.ts'
import type { UnavailableUpstream, UpstreamPool } from './upstream-pool.ts'

/** What a call needs beside its own arguments. */
export interface CallServices {
  readonly gate: Gate
  readonly log: DecisionLog | undefined
  readonly pool: UpstreamPool
  readonly locked: (serverId: string) => LockedServer | undefined
  readonly callTimeoutMs: number
  readonly onEvent: (level: 'info' | 'warn' | 'error', server: string, message: string) => void
}

/** A call, prompt, reading or subscription on its way to one server. */
export interface GuardedCall {
  /** Identity: for a reading or subscription the exact URI. */
  readonly key: Key
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read' | 'resources/subscribe'
  /** The model-facing name, where the call came under one. */
  readonly flat?: string | undefined
  /** For these: the template the URI belongs to. */
  readonly template?: string | undefined
  /** What the server is sent: its own names. */
  readonly params: JsonObject
  readonly args: unknown
  readonly context: DownstreamContext
  /** How it is done over a connection, where that is more than to send it. */
  readonly perform?: ((upstream: Upstream) => Promise<Outcome>) | undefined
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
  const allowed: Allowed = {
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
  }
  await record(services, { ...decisionOf(guarded, call), ...entry, ...allowed })

  // The surface may have been compared again, and the policy may forbid more, while the decision was written.
  const latest = pool.peek(key.server)
  const moved = latest && latest !== verified ? pinOf(latest, key) : pin
  const again = gate.decide(callOf(guarded, moved, locked))
  if (moved.state === 'held' || moved.state === 'unknown' || !isStillAllowed(again, allowed))
    return refuse(refusalOf(key, moved, again), evidenceOf(verified, moved, locked, key))

  const outcome = await send(services, guarded, { call, pin, locked, upstream: verified.upstream, elapsed })
  const answered = { kind: 'answered', outcome, upstream: verified.upstream, call } as const
  if (!wasNeverHad(outcome) || pool.peek(key.server)?.upstream === verified.upstream) return answered
  return (await sendOnceMore(services, guarded, { answered, pin, locked, allowed })) ?? answered
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
