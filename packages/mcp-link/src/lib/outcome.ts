import type { OutcomeFailure } from '@truename/capability-negotiator'

/** What became of a request, and the error object of JSON-RPC: the same as the negotiation takes. */
export type { Outcome, WireError } from '@truename/capability-negotiator'

/**
 * Why a request got no answer from its peer: it took too long, the connection ended, the caller took it back,
 * the negotiation does not allow it, the transport failed, or the answer was not a legal message.
 */
export type LinkFailure = OutcomeFailure
