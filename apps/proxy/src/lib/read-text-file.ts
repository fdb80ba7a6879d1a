import { readFileSync } from 'node:fs'
import { CommandError } from './command-error.ts'

/**
 * Reads a file that somebody named.
 *
 * @throws CommandError `file-unreadable`, naming the file and why it cannot be read
 */
export function readTextFile(file: string, remedy: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const what =
      code === 'EISDIR' ? 'is a folder, not a file' : code === 'ENOENT' ? 'there is no such file' : message
    throw new CommandError('file-unreadable', { what, where: file, remedy })
  }
}
