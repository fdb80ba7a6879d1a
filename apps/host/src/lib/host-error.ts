import type { ExitCode } from './exit-code.ts'

/** The host cannot go on; the message is one line that says what to do. */
export class HostError extends Error {
  readonly code = 'host'
  readonly exitCode: ExitCode
  constructor(message: string, exitCode: ExitCode, options?: ErrorOptions) {
    super(message, options)
    this.name = 'HostError'
    this.exitCode = exitCode
  }
}
