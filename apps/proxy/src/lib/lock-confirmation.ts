import { digestText, formatLock, type Lock } from '@truename/tool-registry'
import { writeFileAtomically } from './atomic-write.ts'
import { stampOf } from './follow-files.ts'
import { readTextFile } from './read-text-file.ts'

/**
 * Notes that a person at a terminal approved the lock that was just written. The note holds for this very file, as it
 * was written here: the same bytes from elsewhere are another file, and a note that came with them says nothing.
 */
export function confirmLock(noteFile: string, lockFile: string, text: string): void {
  const note = { digest: digestText(text), stamp: stampOf(lockFile) }
  writeFileAtomically(noteFile, `${JSON.stringify(note)}\n`)
}

/** Whether the lock that stands in the file is the one a person approved at a terminal of this machine. */
export function isConfirmed(noteFile: string, lockFile: string, lock: Lock): boolean {
  let note: unknown
  try {
    note = JSON.parse(readTextFile(noteFile, ''))
  } catch {
    // No note, or none that can be read: nobody's word.
    return false
  }
  const { digest, stamp } = (note ?? {}) as { digest?: unknown; stamp?: unknown }
  return digest === digestText(formatLock(lock)) && stamp === stampOf(lockFile)
}
