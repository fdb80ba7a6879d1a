import type { Key } from '@truename/tool-registry/identity'
import type { Answer, ApprovalRequest, Binding, Grant } from './approval.ts'
import type { ApprovalStore, GrantFilter } from './approval-store.ts'
import { covers } from './binding.ts'
import type { Pin } from './call.ts'
import { type ChannelRefusal, checkAnswer } from './channel.ts'
import { createMemoryStore } from './memory-store.ts'
import { isOpen } from './store-state.ts'

/** How approvals behave. */
export interface ApprovalsOptions {
  /** How long a question stays open, in milliseconds; usual: five minutes. */
  readonly expiresAfter?: number | undefined
  /** How long an answer for one call waits for that call, in milliseconds; usual: five minutes. */
  readonly useWithin?: number | undefined
  /** Milliseconds since 1970; usual: the system's clock. */
  readonly clock?: (() => number) | undefined
  /** Makes ids that cannot be guessed; usual: `crypto.randomUUID`. */
  readonly ids?: (() => string) | undefined
}

/** What is asked of a person. */
export interface Question {
  readonly binding: Binding
  readonly args: unknown
  readonly pin: Pin
  readonly rule: string
  readonly reason: string
}

/** What became of an answer. */
export type AnswerResult =
  | { readonly ok: true; readonly request: ApprovalRequest; readonly grant: Grant }
  | {
      readonly ok: false
      readonly code: 'unknown-request' | 'already-answered' | 'expired' | ChannelRefusal['code']
      readonly message: string
    }

/** Questions to people and their answers, over any store. */
export interface Approvals {
  /** Opens a question, or returns the open one that asks the very same. */
  ask(question: Question): Promise<ApprovalRequest>
  /**
   * The answer in force for this, if there is one; a denial before an approval. An answer for one call is used up
   * by being taken.
   */
  take(binding: Binding): Promise<Grant | undefined>
  get(id: string): Promise<ApprovalRequest | undefined>
  pending(): Promise<readonly ApprovalRequest[]>
  grants(key?: Key): Promise<readonly Grant[]>
  /**
   * Answers an open question, once. What the channel may not grant is refused and leaves the question open.
   *
   * @param marked the profiles whose clients may answer by elicitation; usual: none
   */
  answer(id: string, answer: Omit<Answer, 'at'>, marked?: readonly string[]): Promise<AnswerResult>
  /** Takes a question back. */
  withdraw(id: string): Promise<void>
  /** Ends answers in force, for one pair, a whole server, or by id. */
  revoke(filter: GrantFilter): Promise<readonly Grant[]>
  /** Calls the listener after changes, by whichever process. */
  subscribe(listener: () => void): () => void
  /** Milliseconds since 1970, by the clock these approvals go by. */
  now(): number
  close(): Promise<void>
}

const minutes = 60_000

const reach: Readonly<Record<Answer['scope'], number>> = { always: 0, pair: 1, arguments: 2, call: 3 }

/** Denials first, then what is not used up by being taken. */
const order = (a: Grant, b: Grant): number =>
  Number(a.answer.verdict === 'allow') - Number(b.answer.verdict === 'allow') ||
  reach[a.answer.scope] - reach[b.answer.scope]

const messages = {
  'unknown-request': 'there is no such question (any more)',
  'already-answered': 'the question was answered before; each is answered once',
  expired: 'the question is too old; the call has to be made again',
} as const

/** Approvals over a store. */
export function createApprovals(store: ApprovalStore, options: ApprovalsOptions = {}): Approvals {
  const { expiresAfter = 5 * minutes, useWithin = 5 * minutes } = options
  const clock = options.clock ?? (() => Date.now())
  const newId = options.ids ?? (() => globalThis.crypto.randomUUID())

  return {
    ask(question) {
      const now = clock()
      return store.open({ id: newId(), ...question, openedAt: now, expiresAt: now + expiresAfter }, now)
    },
    async take(binding) {
      const now = clock()
      const mine = (await store.grants(binding.key, now))
        .filter((grant) => covers(grant, binding))
        .sort(order)
      for (const grant of mine) {
        if (grant.answer.scope !== 'call' || (await store.consume(grant.id, now))) return grant
      }
      return undefined
    },
    get: (id) => store.get(id),
    pending: () => store.pending(clock()),
    grants: (key) => store.grants(key, clock()),
    async answer(id, given, marked = []) {
      const request = await store.get(id)
      if (!request) return { ok: false, code: 'unknown-request', message: messages['unknown-request'] }
      const refusal = checkAnswer(given, request.binding, marked)
      if (refusal) return { ok: false, ...refusal }
      const at = clock()
      const answer: Answer = { ...given, at }
      const grant: Grant = {
        id: newId(),
        requestId: id,
        binding: request.binding,
        answer,
        ...(answer.scope === 'call' ? { expiresAt: at + useWithin } : {}),
      }
      const stored = await store.answer(id, grant)
      if (stored.state === 'stored') return { ok: true, request: stored.request, grant }
      return { ok: false, code: stored.state, message: messages[stored.state] }
    },
    async withdraw(id) {
      const request = await store.get(id)
      if (request && isOpen(request, clock())) await store.expire(id, clock())
    },
    revoke: (filter) => store.revoke(filter, clock()),
    subscribe: (listener) => store.subscribe(listener),
    now: clock,
    close: () => store.close(),
  }
}

/** Approvals that live as long as the process. */
export const memoryApprovals = (options?: ApprovalsOptions): Approvals =>
  createApprovals(createMemoryStore(), options)
