/** What went wrong in this package. Match on `code`. */
export type LogErrorCode =
  | 'log-closed'
  | 'write-failed'
  | 'record-too-large'
  | 'bad-record'
  | 'bad-option'
  | 'bad-checkpoint'
  | 'bad-key'
  | 'unknown-tree'
  | 'out-of-range'
  | 'newer-schema'

/**
 * An error of the decision log: `code` says which, `evidence` what it was about.
 * A `write-failed` means that nothing was acknowledged: the call it was for must not be forwarded.
 */
export class DecisionLogError extends Error {
  override readonly name = 'DecisionLogError'
  readonly code: LogErrorCode
  readonly evidence: Readonly<Record<string, unknown>>

  constructor(
    code: LogErrorCode,
    message: string,
    evidence: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.evidence = evidence
  }
}

const word = /^\w{1,60}$/
const wordsOf = (values: readonly unknown[]): string =>
  values.filter((value) => typeof value === 'string' && word.test(value)).join(' ')

/**
 * What may be said of an error to whoever reads a log or is refused. Messages of others may quote what they were given,
 * a record or a secret: only those of the operating system are repeated, which name an operation and a path. The error
 * itself is the `cause`.
 */
export function describeFailure(error: unknown): string {
  if (error instanceof DecisionLogError) return error.message
  if (!(error instanceof Error)) return `a ${typeof error} was thrown`
  const { name, code, errno, syscall } = error as Error & {
    readonly code?: unknown
    readonly errno?: unknown
    readonly syscall?: unknown
  }
  if (typeof errno === 'number' && typeof syscall === 'string') return error.message
  return wordsOf([name, code]) || 'Error'
}
