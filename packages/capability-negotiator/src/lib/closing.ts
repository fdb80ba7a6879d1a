import { quote } from './json.ts'
import type { OutcomeFailure, WireError } from './outcome.ts'
import { isTransient, type UndeterminedCause } from './probe.ts'
import type { CloseCode, CloseReason } from './steps.ts'

/** What is known when a connection has to be closed; `closeFor` makes the reason of it. */
export interface Closing {
  readonly code?: CloseCode | undefined
  readonly undetermined?: UndeterminedCause | undefined
  readonly failure?: OutcomeFailure | 'exit' | undefined
  readonly status?: number | undefined
  readonly error?: WireError | undefined
  readonly ours?: readonly string[] | undefined
  readonly theirs?: readonly string[] | undefined
  readonly detail?: string | undefined
}

const BY_FAILURE: Readonly<Record<OutcomeFailure | 'exit', CloseCode>> = {
  timeout: 'timeout',
  closed: 'exited',
  exit: 'exited',
  cancelled: 'cancelled',
  refused: 'cancelled',
  transport: 'network',
  invalid: 'invalid-answer',
}

const BY_CAUSE: Readonly<Record<UndeterminedCause, CloseCode>> = {
  unauthorized: 'unauthorized',
  forbidden: 'forbidden',
  busy: 'server-error',
  'server-error': 'server-error',
  timeout: 'timeout',
  network: 'network',
  closed: 'exited',
  cancelled: 'cancelled',
  'http-status': 'refused',
}

const byStatus = (status: number): CloseCode => {
  if (status === 401 || status === 407) return 'unauthorized'
  if (status === 403) return 'forbidden'
  if (isTransient(status)) return 'server-error'
  return status >= 200 && status < 300 ? 'invalid-answer' : 'refused'
}

const RETRY: ReadonlySet<CloseCode> = new Set([
  'unauthorized',
  'server-error',
  'network',
  'timeout',
  'exited',
])

const SENTENCE: Readonly<Record<CloseCode, string>> = {
  'version-mismatch': 'no protocol version in common',
  refused: 'the server refused the handshake',
  'invalid-answer': 'the answer to the handshake was not a legal answer',
  unauthorized: 'the server asks for a login first',
  forbidden: 'the server forbids access',
  'server-error': 'the server could not answer the handshake',
  network: 'the server could not be reached',
  timeout: 'the server did not answer the handshake in time',
  exited: 'the connection ended',
  'session-lost': 'the server forgot the session twice in a row',
  cancelled: 'the handshake was cancelled',
  closed: 'the connection was closed from this side',
}

const list = (versions: readonly string[]): string => {
  const shown = versions
    .slice(0, 8)
    .map((version) => quote(version, 24))
    .join(', ')
  return versions.length > 8 ? `${shown}, …` : shown || 'none'
}

/** The reason to close a connection with, for people and for programs. */
export function closeFor(closing: Closing): CloseReason {
  const { undetermined, failure, status, error, ours, theirs, detail } = closing
  const code =
    closing.code ??
    (undetermined === undefined ? undefined : BY_CAUSE[undetermined]) ??
    (failure === undefined ? undefined : BY_FAILURE[failure]) ??
    (status === undefined || (error && status < 400) ? 'refused' : byStatus(status))
  const common = code === 'version-mismatch' && ours?.some((version) => theirs?.includes(version))
  const parts = [common ? 'no agreement on a protocol version, though both sides name one' : SENTENCE[code]]
  if (ours) parts.push(`this side offers ${list(ours)}`)
  if (theirs) parts.push(`the server named ${list(theirs)}`)
  if (status !== undefined) parts.push(`HTTP ${status}`)
  if (error) parts.push(`error ${error.code} ${quote(error.message)}`)
  if (detail) parts.push(quote(detail, 120))
  return {
    code,
    message: parts.join('; '),
    ...(ours ? { ours } : {}),
    ...(theirs ? { theirs } : {}),
    ...(error ? { error } : {}),
    ...(status === undefined ? {} : { status }),
    retry: RETRY.has(code),
  }
}
