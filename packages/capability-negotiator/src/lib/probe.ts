import { isObject, type Json, type JsonObject, own, strings } from './json.ts'
import type { HttpAnswer, OutcomeFailure, ProbeOutcome, WireError } from './outcome.ts'
import { eraOf, newestCommon } from './versions.ts'

/** HeaderMismatch, MissingRequiredClientCapability, UnsupportedProtocolVersion (2026-07-28, §Error Codes). */
export const MODERN_ERRORS = { header: -32020, capability: -32021, version: -32022 } as const

/** What an answer comes to, whichever way it arrived. */
export type Answer =
  | { readonly is: 'result'; readonly value: JsonObject }
  | { readonly is: 'error'; readonly error: WireError; readonly status?: number | undefined }
  | { readonly is: 'http'; readonly status: number; readonly empty: boolean }
  | { readonly is: 'failure'; readonly failure: OutcomeFailure | 'exit'; readonly message: string }

const wireError = (value: Json | undefined): WireError | undefined => {
  const code = own(value, 'code')
  const message = own(value, 'message')
  if (typeof code !== 'number') return undefined
  const data = own(value, 'data')
  return {
    code,
    message: typeof message === 'string' ? message : '',
    ...(data === undefined ? {} : { data }),
  }
}

/** The messages in a text: one, or a batch of 2025-03-26; none where it is no JSON. */
const parsed = (text: string): readonly Json[] => {
  try {
    const value: Json = JSON.parse(text)
    return Array.isArray(value) ? value : [value]
  } catch {
    return []
  }
}

/** The texts of a body that may be messages: the body, or the `data` of each event of an event stream. */
const texts = (contentType: string | undefined, body: string): readonly string[] =>
  /^\s*text\/event-stream\b/i.test(contentType ?? '')
    ? body.split(/\r?\n\r?\n|\r\r/).map((event) =>
        event
          .split(/\r?\n|\r/)
          .flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
          .join('\n'),
      )
    : [body]

function httpAnswer({ status, contentType, body = '' }: HttpAnswer): Answer {
  const values = texts(contentType, body).flatMap(parsed)
  for (const message of values) {
    const error = wireError(own(message, 'error'))
    if (error) return { is: 'error', error, status }
    const result = own(message, 'result')
    if (status >= 200 && status < 300 && isObject(result)) return { is: 'result', value: result }
  }
  return { is: 'http', status, empty: body.trim() === '' }
}

/** Reads what came back, whichever way it arrived. */
export function readAnswer(outcome: ProbeOutcome): Answer {
  switch (outcome.kind) {
    case 'result':
      return isObject(outcome.value)
        ? { is: 'result', value: outcome.value }
        : { is: 'failure', failure: 'invalid', message: 'the result is no object' }
    case 'input_required':
      return { is: 'failure', failure: 'invalid', message: 'the server asked for input during negotiation' }
    case 'error': {
      const error = wireError(outcome.error as unknown as Json) ?? { code: 0, message: '' }
      if (outcome.failure === undefined) return { is: 'error', error }
      return { is: 'failure', failure: outcome.failure, message: error.message }
    }
    case 'http':
      return httpAnswer(outcome)
    case 'exit':
      return { is: 'failure', failure: 'exit', message: outcome.detail ?? '' }
  }
}

/**
 * Whether an error can only come from a server of the modern era. -32022 counts only with the versions it has to
 * name; -32601 and -32602 never count, because legacy servers use them.
 */
export function isModernError(error: WireError): boolean {
  if (error.code === MODERN_ERRORS.version) return supportedBy(error) !== undefined
  return error.code === MODERN_ERRORS.header || error.code === MODERN_ERRORS.capability
}

/** The versions a version error names. */
export function supportedBy(error: WireError): readonly string[] | undefined {
  return strings(own(error.data, 'supported'))
}

/** How a result is to be taken: an absent `resultType` means complete, an unknown one is invalid (2026-07-28, MUST). */
export function resultKind(value: unknown): 'complete' | 'input_required' | 'invalid' {
  if (!isObject(value)) return 'invalid'
  const type = own(value, 'resultType')
  if (type === undefined || type === 'complete') return 'complete'
  return type === 'input_required' ? 'input_required' : 'invalid'
}

/** Where a probe was made. */
export interface ProbeContext {
  readonly transport: 'stdio' | 'http'
  /** The versions this side can use, of either era. */
  readonly versions: readonly string[]
}

/** Why a server is taken for a legacy one. */
export type LegacyEvidence =
  | 'error'
  | 'timeout'
  | 'exit'
  | 'http-status'
  | 'empty'
  | 'not-json-rpc'
  | 'no-discovery'
  | 'legacy-only'

/** Why a probe decided nothing. Never remembered. */
export type UndeterminedCause =
  | 'unauthorized'
  | 'forbidden'
  | 'busy'
  | 'server-error'
  | 'timeout'
  | 'network'
  | 'closed'
  | 'cancelled'
  | 'http-status'

/** What an answer to `server/discover` says of the server. */
export type Verdict =
  /** Usable at `version`. `discovered` is the result; without it the server has to be asked again at that version. */
  | {
      readonly era: 'modern'
      readonly usable: true
      readonly version: string
      readonly supported: readonly string[]
      readonly discovered?: JsonObject | undefined
    }
  /** Certainly modern, and not usable: there is no falling back to `initialize`. */
  | {
      readonly era: 'modern'
      readonly usable: false
      readonly because: 'no-common-version' | 'modern-error' | 'invalid-result'
      readonly supported?: readonly string[] | undefined
      readonly error?: WireError | undefined
    }
  /** `initialize` is next. `fixed`: an answered probe fixed a dual-era process to the modern era, so on a new one. */
  | {
      readonly era: 'legacy'
      readonly because: LegacyEvidence
      readonly version?: string | undefined
      readonly fixed: boolean
      readonly error?: WireError | undefined
    }
  | {
      readonly era: undefined
      readonly because: UndeterminedCause
      readonly status?: number | undefined
      readonly error?: WireError | undefined
    }

function choose(supported: readonly string[], context: ProbeContext, discovered?: JsonObject): Verdict {
  const version = newestCommon('modern', context.versions, supported)
  if (version !== undefined) {
    return { era: 'modern', usable: true, version, supported, ...(discovered ? { discovered } : {}) }
  }
  const legacy = newestCommon('legacy', context.versions, supported)
  if (legacy !== undefined) {
    const fixed = discovered !== undefined && context.transport === 'stdio'
    return { era: 'legacy', because: 'legacy-only', version: legacy, fixed }
  }
  return { era: 'modern', usable: false, because: 'no-common-version', supported }
}

/** Whether a status tells nothing of the server's era: a login, a fault on its side, too many requests. */
export const isTransient = (status: number): boolean =>
  status >= 500 || [401, 403, 407, 408, 425, 429].includes(status)

function fromStatus(status: number, empty: boolean): Verdict {
  if (status === 401 || status === 407) return { era: undefined, because: 'unauthorized', status }
  if (status === 403) return { era: undefined, because: 'forbidden', status }
  if (status === 408 || status === 425 || status === 429) return { era: undefined, because: 'busy', status }
  if (status >= 500) return { era: undefined, because: 'server-error', status }
  if (status >= 200 && status < 300)
    return { era: 'legacy', because: empty ? 'empty' : 'not-json-rpc', fixed: false }
  if (status >= 400) return { era: 'legacy', because: 'http-status', fixed: false }
  return { era: undefined, because: 'http-status', status }
}

/**
 * What an answer to `server/discover` says of the server's era (2026-07-28, §Backward Compatibility of the stdio
 * and Streamable HTTP transports). Falling back is never keyed to one code: whatever is neither a discovery nor
 * a modern error is a legacy server, except what says nothing about the server at all (a login, a fault on its
 * side, the network), which is undetermined.
 */
export function classifyProbe(outcome: ProbeOutcome, context: ProbeContext): Verdict {
  const answer = readAnswer(outcome)
  switch (answer.is) {
    case 'result': {
      const supported = strings(own(answer.value, 'supportedVersions'))
      if (supported === undefined) return { era: 'legacy', because: 'no-discovery', fixed: false }
      if (resultKind(answer.value) !== 'complete') {
        return { era: 'modern', usable: false, because: 'invalid-result', supported }
      }
      return choose(supported, context, answer.value)
    }
    case 'error': {
      const { error, status } = answer
      if (isModernError(error)) {
        const supported = error.code === MODERN_ERRORS.version ? supportedBy(error) : undefined
        return supported
          ? choose(supported, context)
          : { era: 'modern', usable: false, because: 'modern-error', error }
      }
      const byStatus = status === undefined || status < 300 ? undefined : fromStatus(status, false)
      return byStatus?.era === undefined && byStatus
        ? { ...byStatus, error }
        : { era: 'legacy', because: 'error', fixed: false, error }
    }
    case 'http':
      return fromStatus(answer.status, answer.empty)
    case 'failure':
      return fromFailure(answer.failure, context.transport)
  }
}

function fromFailure(failure: OutcomeFailure | 'exit', transport: 'stdio' | 'http'): Verdict {
  if (failure === 'cancelled' || failure === 'refused') return { era: undefined, because: 'cancelled' }
  if (failure === 'invalid') return { era: 'legacy', because: 'not-json-rpc', fixed: false }
  if (failure === 'timeout') {
    return transport === 'stdio'
      ? { era: 'legacy', because: 'timeout', fixed: false }
      : { era: undefined, because: 'timeout' }
  }
  if (failure === 'transport') return { era: undefined, because: 'network' }
  return transport === 'stdio'
    ? { era: 'legacy', because: 'exit', fixed: false }
    : { era: undefined, because: 'closed' }
}

/** The version in an `initialize` result, where it is a legacy version this side can use. */
export function answeredVersion(result: JsonObject, versions: readonly string[]): string | undefined {
  const version = own(result, 'protocolVersion')
  return typeof version === 'string' && versions.includes(version) && eraOf(version) === 'legacy'
    ? version
    : undefined
}
