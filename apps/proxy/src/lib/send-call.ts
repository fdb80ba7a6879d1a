import { randomUUID } from 'node:crypto'
import type { Decision, Pin } from '@truename/call-gate'
import type { DecisionEntry } from '@truename/decision-log'
import type { Outcome, Upstream } from '@truename/mcp-link'
import type { LockedServer } from '@truename/tool-registry'
import { callOf, decisionOf, evidenceOf, pinOf, record } from './call-evidence.ts'
import type { CallServices, GuardedCall, GuardedOutcome } from './guarded-call.ts'

/** What a decision to let a call through rests on. */
export type Allowed = Pick<DecisionEntry, 'verdict' | 'rule' | 'reason' | 'approval'>

/** Whether what was let through would be let through now: a person's answer stands where a person decides. */
export const isStillAllowed = ({ verdict }: Decision, { approval }: Pick<Allowed, 'approval'>): boolean =>
  verdict === 'allow' || (verdict === 'ask' && approval !== undefined)

/** Sends what was decided, and records what came of it. */
export async function send(
  services: CallServices,
  guarded: GuardedCall,
  {
    call,
    pin,
    locked,
    upstream,
    elapsed,
  }: {
    readonly call: string
    readonly pin: Pin
    readonly locked: LockedServer | undefined
    readonly upstream: Upstream
    readonly elapsed: () => number
  },
): Promise<Outcome> {
  const { key } = guarded
  const { method, params, context, perform } = guarded
  const outcome = perform
    ? await perform(upstream)
    : await upstream.request(method, params, { ...context, timeoutMs: services.callTimeoutMs })
  const settled = services.gate.settle(callOf(guarded, pin, locked), outcome)
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
  return outcome
}

type Answered = Extract<GuardedOutcome, { kind: 'answered' }>

/**
 * A call that a server certainly never had, over a connection that is gone, is sent once more over the next one, where
 * the very definition it was decided on is approved there too and nothing forbids it meanwhile; else what was said of
 * the first stands. It has records of its own, which name the first.
 */
export async function sendOnceMore(
  services: CallServices,
  guarded: GuardedCall,
  first: {
    readonly answered: Answered
    readonly pin: Pin
    readonly locked: LockedServer | undefined
    readonly allowed: Allowed
  },
): Promise<Answered | undefined> {
  const { key, context } = guarded
  const { pin, locked, allowed, answered } = first
  if (context.signal.aborted) return undefined
  const started = performance.now()
  const acquired = await services.pool.acquire(key.server)
  if (!acquired.ok) return undefined
  const { verified } = acquired
  const now = pinOf(verified, key)
  if (!samePin(pin, now) || context.signal.aborted) return undefined
  const isAllowed = () => isStillAllowed(services.gate.decide(callOf(guarded, now, locked)), allowed)
  if (!isAllowed()) return undefined
  const call = randomUUID()
  await record(services, {
    ...decisionOf(guarded, call),
    ...evidenceOf(verified, now, locked, key),
    ...allowed,
    detail: { again: answered.call },
  })
  const latest = services.pool.peek(key.server)
  const elapsed = () => Math.round((performance.now() - started) * 1000) / 1000
  const isSame = latest === verified || (latest && samePin(pin, pinOf(latest, key)))
  if (!isSame || !isAllowed()) {
    await record(services, { type: 'outcome', call, key, outcome: 'refused', durationMs: elapsed() })
    return undefined
  }
  const { upstream } = verified
  const outcome = await send(services, guarded, { call, pin, locked, upstream, elapsed })
  return { kind: 'answered', outcome, upstream, call }
}

const samePin = (one: Pin, other: Pin): boolean =>
  one.state === other.state &&
  (one.state === 'live' ||
    (one.state === 'approved' && other.state === 'approved' && one.digest === other.digest))
