export type { Answer, ApprovalRequest, Binding, Channel, Grant, Scope } from './lib/approval.ts'
export type { ApprovalStore, GrantFilter, StoredAnswer } from './lib/approval-store.ts'
export {
  type ApprovalFacts,
  type ApprovalLine,
  type ApprovalTextOptions,
  type ApprovalView,
  type Claims,
  describeApproval,
  describeRequest,
  type Origin,
} from './lib/approval-text.ts'
export {
  type AnswerResult,
  type Approvals,
  type ApprovalsOptions,
  createApprovals,
  memoryApprovals,
  type Question,
} from './lib/approvals.ts'
export type { AskOptions } from './lib/ask-person.ts'
export { bindingOf, digestArguments } from './lib/binding.ts'
export type { Call, Caller, Pin } from './lib/call.ts'
export { type ChannelRefusal, checkAnswer, scopesOf } from './lib/channel.ts'
export { checkPolicy, type PolicyFinding } from './lib/check-policy.ts'
export { comparePolicies, type Widening } from './lib/compare-policies.ts'
export type { Comparison, Condition } from './lib/condition.ts'
export type { Decision } from './lib/decision.ts'
export { type ForModelOptions, forModel } from './lib/for-model.ts'
export { type Admission, createGate, type Gate, type GateOptions } from './lib/gate.ts'
export type { Glob } from './lib/glob.ts'
export type { LoopOptions } from './lib/loop-breaker.ts'
export {
  type CallOutcome,
  type ClassifiedOutcome,
  type ClassifyOptions,
  classifyOutcome,
  examineOutcome,
  type OutcomeClass,
} from './lib/outcome.ts'
export { type ParsePolicyOptions, parsePolicy } from './lib/parse-policy.ts'
export type { Confirmation, ConfirmResult, Reload } from './lib/policies-in-force.ts'
export type { DenialPattern, Kind, Policy, Position, Rule } from './lib/policy.ts'
export { PolicyError, type PolicyProblem } from './lib/policy-error.ts'
export { policyJsonSchema } from './lib/policy-json-schema.ts'
export type { PolicySource, RuleSource } from './lib/policy-schema.ts'
export { refusalError, refusalResult, refusalText } from './lib/refusal.ts'
export type { Folded } from './lib/show.ts'
export type { Verdict } from './lib/verdict.ts'
