import type { Answer, ApprovalRequest, Grant } from './approval.ts'
import type { AnswerResult, Approvals } from './approvals.ts'
import { type AskOptions, askPerson } from './ask-person.ts'
import { bindingOf, covers } from './binding.ts'
import type { Call, Pin } from './call.ts'
import { byPin } from './decide.ts'
import type { Decision } from './decision.ts'
import { createLoopBreaker, type LoopOptions } from './loop-breaker.ts'
import { type CallOutcome, type ClassifiedOutcome, examineOutcome } from './outcome.ts'
import {
  type Confirmation,
  type ConfirmResult,
  createPoliciesInForce,
  type Reload,
} from './policies-in-force.ts'
import type { Policy } from './policy.ts'

/** What a gate is made of. */
export interface GateOptions {
  readonly policy: Policy
  readonly approvals: Approvals
  /** Milliseconds since 1970; usual: the clock of the approvals. */
  readonly clock?: (() => number) | undefined
  readonly loop?: LoopOptions | undefined
}

/** A decision with the approval it rests on, or the question that is open. */
export type Admission =
  | (Decision & { readonly verdict: 'allow' | 'deny'; readonly approval?: Grant | undefined })
  | (Decision & { readonly verdict: 'ask'; readonly request: ApprovalRequest })

/** The gate every call, prompt and reading passes. */
export interface Gate {
  /**
   * What pins, policy and loop breaker say, in that order. `ask` means that a person decides: see `admit`.
   * Changes nothing; a call refused on this alone is counted by settling it with `failure: 'refused'`.
   */
  decide(call: Call): Decision
  /**
   * Decides, and where a person has to: uses an answer in force or opens a question. Refusals are counted for the
   * loop breaker.
   */
  admit(call: Call, options?: AskOptions): Promise<Admission>
  /** Classifies the outcome of an admitted call, by the policy's denial patterns too, for log and loop breaker. */
  settle(call: Call, outcome: CallOutcome): ClassifiedOutcome
  /** Answers a question, as far as its channel may; elicitation only for the profiles the policy marks. */
  answer(id: string, answer: Omit<Answer, 'at'>): Promise<AnswerResult>
  /** The policies in force: one, or several while something wider waits for a person. The strictest verdict holds. */
  policies(): readonly Policy[]
  /** Takes a changed policy: what is narrower holds at once, what is wider when a person confirms it. */
  reload(policy: Policy): Reload
  /** What waits for a person to confirm; `undefined` where nothing does. */
  waiting(): Reload | undefined
  /** A person confirms the policy of the revision that was shown. */
  confirm(word: Confirmation): ConfirmResult
  /** A person changed what calls are decided by beside policy and answers: earlier refusals say nothing any more. */
  forgetRefusals(): void
}

/** Creates a gate. */
export function createGate({ policy, approvals, clock, loop }: GateOptions): Gate {
  const breaker = createLoopBreaker(clock ?? approvals.now, loop)
  const force = createPoliciesInForce(policy)

  const base = (call: Call): Decision => byPin(call) ?? force.decide(call)

  const interrupt = (call: Call, decision: Decision): Decision | undefined => {
    const repeated = breaker.repeated(call)
    if (repeated === undefined) return undefined
    const last = decision.verdict === 'deny' ? `: ${decision.reason}` : ''
    return {
      verdict: 'deny',
      rule: 'loop',
      reason: `this very call was refused ${repeated} times lately${last}; repeating it will not change that`,
      repeated,
    }
  }

  const refuse = (call: Call, decision: Decision, approval?: Grant): Admission => {
    breaker.refused(call)
    return { ...decision, verdict: 'deny', ...(approval ? { approval } : {}) }
  }

  const byAnswer = (call: Call, grant: Grant): Admission => {
    const { verdict, scope, who, channel } = grant.answer
    const said = channel === 'elicitation' ? `the client of ${JSON.stringify(grant.binding.profile)}` : who
    const decision: Decision = {
      verdict,
      rule: `approval:${grant.id}`,
      reason: `${verdict === 'allow' ? 'allowed' : 'refused'} by ${said} (${channel}, scope ${scope})`,
    }
    return verdict === 'deny' ? refuse(call, decision, grant) : { ...decision, verdict, approval: grant }
  }

  /** What came in the way while a person was deciding. */
  const overtaken = (call: Call, grant: Grant, pin: Pin): Decision | undefined => {
    const now = base({ ...call, pin })
    if (now.verdict === 'deny') return now
    if (covers(grant, bindingOf({ ...call, pin }))) return undefined
    return { verdict: 'deny', rule: 'pin', reason: 'the definition changed while a person was deciding' }
  }

  return {
    decide(call) {
      const decision = base(call)
      // Where a person decides, an answer in force comes before the loop breaker: `admit` looks for it.
      return decision.verdict === 'ask' ? decision : (interrupt(call, decision) ?? decision)
    },

    async admit(call, options = {}) {
      const decision = base(call)
      if (decision.verdict !== 'ask') {
        const final = interrupt(call, decision) ?? decision
        return final.verdict === 'deny' ? refuse(call, final) : { ...final, verdict: 'allow' }
      }
      let binding: ReturnType<typeof bindingOf>
      try {
        binding = bindingOf(call)
      } catch {
        return refuse(call, {
          verdict: 'deny',
          rule: decision.rule,
          reason: 'the arguments are not plain JSON, so nobody can approve them',
        })
      }
      const standing = await approvals.take(binding)
      if (standing) return byAnswer(call, standing)
      const cut = interrupt(call, decision)
      if (cut) return refuse(call, cut)
      const { rule, reason } = decision
      const question = { binding, args: call.args ?? {}, pin: call.pin, rule, reason }
      const asked = await askPerson(approvals, question, options)
      if (!('grant' in asked)) return { ...decision, verdict: 'ask', request: asked.request }
      const late = overtaken(call, asked.grant, options.pinNow?.() ?? call.pin)
      return late ? refuse(call, late) : byAnswer(call, asked.grant)
    },

    settle(call, outcome) {
      const denials = force.policies().flatMap((one) => one.denials)
      const examined = examineOutcome(outcome, { key: call.key, denials })
      if (examined.class === 'refused') breaker.refused(call)
      else if (examined.class === 'success' || examined.class === 'tool-error') breaker.passed(call)
      return examined
    },

    async answer(id, answer) {
      const result = await approvals.answer(id, answer, force.elicitation())
      if (result.ok && result.grant.answer.verdict === 'allow') breaker.reset()
      return result
    },

    policies: () => force.policies(),
    reload: (next) => force.reload(next),
    waiting: () => force.waiting(),
    confirm(word) {
      const result = force.confirm(word)
      if (result.ok) breaker.reset()
      return result
    },
    forgetRefusals: () => breaker.reset(),
  }
}
