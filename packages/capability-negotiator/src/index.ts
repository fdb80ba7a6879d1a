export type { Diagnostic } from './lib/capabilities.ts'
export {
  normalizeClientCapabilities,
  readClientCapabilities,
  readServerCapabilities,
} from './lib/capabilities.ts'
export type { GatewayOptions, UpstreamView } from './lib/gateway.ts'
export { clientCanAnswer, intersectClient, unionForGateway } from './lib/gateway.ts'
export { encodeHeaderValue, headersFor } from './lib/headers.ts'
export type { Json, JsonObject } from './lib/json.ts'
export type { Flag, MessageRule, Need, Variant } from './lib/messages.ts'
export { LISTEN_FLAGS, MESSAGES } from './lib/messages.ts'
export type { Admission, Negotiation } from './lib/negotiation.ts'
export { createNegotiation } from './lib/negotiation.ts'
export type { NegotiationOptions, NegotiationPolicy } from './lib/options.ts'
export { NegotiationOptionsError } from './lib/options.ts'
export type {
  HttpAnswer,
  NegotiationEvent,
  Outcome,
  OutcomeFailure,
  ProbeOutcome,
  WireError,
} from './lib/outcome.ts'
export type { ParameterHeader, ParameterHeaders } from './lib/parameter-headers.ts'
export { parameterHeaders, parameterHeadersFor } from './lib/parameter-headers.ts'
export type { Permission, Why } from './lib/permission.ts'
export type { LegacyEvidence, ProbeContext, UndeterminedCause, Verdict } from './lib/probe.ts'
export { classifyProbe, isModernError, resultKind } from './lib/probe.ts'
export type { Reading } from './lib/reading.ts'
export { freshFor } from './lib/reading.ts'
export type { CloseCode, CloseReason, Prior, ReconnectCause, Step } from './lib/steps.ts'
export { forgotSession } from './lib/use.ts'
export type { Era, Revision } from './lib/versions.ts'
export { eraOf, REVISIONS } from './lib/versions.ts'
export type { SentRequest, Violation } from './lib/violation.ts'
export type {
  WatchEvent,
  WatchMessage,
  WatchOptions,
  WatchPlan,
  WatchRefusal,
  WatchStep,
} from './lib/watch.ts'
export { createWatch } from './lib/watch.ts'
export type { WatchPolicy } from './lib/watch-policy.ts'
export { WatchPolicyError } from './lib/watch-policy.ts'
