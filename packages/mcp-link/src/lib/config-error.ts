/** What is wrong with a configuration. Match on it, not on the message. */
export type ConfigErrorCode =
  | 'not-found'
  | 'unreadable'
  | 'syntax'
  | 'no-servers'
  | 'invalid-server'
  | 'invalid-options'
  | 'duplicate-server'
  | 'duplicate-member'
  | 'missing-variable'
  | 'unsupported-variable'

/** Where something stands in a file; line and column count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Thrown where a configuration cannot be used. The message names file, line, column, the fault and the way out. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode
  readonly file: string
  readonly line: number
  readonly column: number

  constructor(code: ConfigErrorCode, file: string, position: Position, text: string) {
    super(`${file}:${position.line}:${position.column}: ${text}`)
    this.name = 'ConfigError'
    this.code = code
    this.file = file
    this.line = position.line
    this.column = position.column
  }
}
