import { readFileSync } from 'node:fs'
import { CommandError } from './command-error.ts'

/** Refuses what is no UTF-8: replaced characters would make other names of names. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a file that somebody named.
 *
 * @throws CommandError `file-unreadable`, naming the file and why it cannot be read
 */
export function readTextFile(file: string, remedy: string): string {
  try {
    return decoder.decode(readFileSync(file))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const what =
      code === 'EISDIR'
        ? 'is a folder, not a file'
        : code === 'ENOENT'
          ? 'there is no such file'
          : code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
            ? 'is no UTF-8 text'
            : message
    throw new CommandError('file-unreadable', { what, where: file, remedy })
  }
}
