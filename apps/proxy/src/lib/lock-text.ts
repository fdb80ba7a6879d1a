import { type Lock, LockError, parseLock } from '@truename/tool-registry'
import { CommandError } from './command-error.ts'

/**
 * Reads a lock's text.
 *
 * @throws CommandError `lock-invalid`, naming the file and every entry that is wrong; `lock-newer` where a newer
 * version of this program wrote it
 */
export function readLockText(text: string, file: string): Lock {
  try {
    return parseLock(text)
  } catch (error) {
    if (!(error instanceof LockError)) throw error
    const newer = error.problems.some(({ code }) => code === 'unknown-version')
    throw new CommandError(newer ? 'lock-newer' : 'lock-invalid', {
      what: error.problems.map(({ pointer, message }) => `${pointer || '/'}: ${message}`).join('; '),
      where: file,
      remedy: newer
        ? 'Use the version of truename that wrote it.'
        : 'Undo the edit (git checkout), or run "truename lock" at a terminal to write it anew after review.',
    })
  }
}

/** What one side of an unresolved merge says; the other side's lines are left out. */
const oursOf = (text: string): string =>
  text.replaceAll(/^<{7}.*\n([\s\S]*?)(?:^\|{7}.*\n[\s\S]*?)?^={7}\n[\s\S]*?^>{7}.*(?:\n|$)/gm, '$1')

/** What can be had of a lock that cannot be read: our side of a merge, or nothing. */
export function lockOfMerge(text: string): Lock | undefined {
  const ours = oursOf(text)
  if (ours === text) return undefined
  try {
    return parseLock(ours)
  } catch {
    // Damaged otherwise too.
    return undefined
  }
}
