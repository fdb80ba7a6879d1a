import { type Lock, LockError, parseLock } from '@truename/tool-registry'
import { CommandError } from './command-error.ts'

/**
 * Reads a lock's text.
 *
 * @throws CommandError `lock-invalid`, naming the file and every entry that is wrong
 */
export function readLockText(text: string, file: string): Lock {
  try {
    return parseLock(text)
  } catch (error) {
    if (!(error instanceof LockError)) throw error
    const problems = error.problems.map(({ pointer, message }) => `${pointer || '/'}: ${message}`).join('; ')
    throw new CommandError('lock-invalid', {
      what: problems,
      where: file,
      remedy: 'Undo the edit (git checkout), or run "truename lock" to write it anew after review.',
    })
  }
}
