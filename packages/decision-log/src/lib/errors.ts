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
