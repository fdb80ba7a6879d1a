import { appendFile } from 'node:fs/promises'

/** A file of JSON lines, one for each thing that happened. */
export interface LineLog {
  /** Lines come in the order of these calls. */
  write(record: object): void
  /** Resolves when everything written is in the file. */
  close(): Promise<void>
}

/** The log file cannot be written. */
export class LogFileError extends Error {
  readonly code = 'log-unwritable'
  readonly file: string
  constructor(file: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`cannot write the log ${file}: ${why}; give a file in a folder that exists with --log`, { cause })
    this.name = 'LogFileError'
    this.file = file
  }
}

/**
 * Opens a log for appending; it is readable by its owner alone.
 * @param report told once, in one line, when a later line could not be written
 * @throws LogFileError where the file cannot be opened
 */
export async function openLineLog(file: string, report: (line: string) => void): Promise<LineLog> {
  const append = (text: string) => appendFile(file, text, { mode: 0o600 })
  await append('').catch((cause: unknown) => {
    throw new LogFileError(file, cause)
  })
  let last = Promise.resolve()
  let failed = false
  return {
    write(record) {
      const line = `${JSON.stringify(record)}\n`
      last = last
        .then(() => append(line))
        .catch((cause: unknown) => {
          if (!failed) report(new LogFileError(file, cause).message)
          failed = true
        })
    },
    close: () => last,
  }
}
