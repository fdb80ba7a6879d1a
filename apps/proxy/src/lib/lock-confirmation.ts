import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { digestText, formatLock, type Lock } from '@truename/tool-registry'
import { writeFileAtomically } from './atomic-write.ts'
import { stampOf } from './follow-files.ts'
import { readTextFile } from './read-text-file.ts'

/** The files a confirmation is about. */
export interface Confirmation {
  /** Where the note is. */
  readonly noteFile: string
  readonly lockFile: string
  /** Whose lock it is: {@link placeOf} its configuration. */
  readonly place: string
}

/**
 * Which configuration this is, on this machine: its name in the folder as it really is. Links that are put in the place
 * of files make no other of it.
 */
export const placeOf = (configFile: string): string =>
  join(realpathSync(dirname(configFile)), basename(configFile))

/**
 * Notes that a person at a terminal approved the lock that was just written. The note holds for this very file, as it
 * was written here, under this configuration: the same bytes from elsewhere are another file, a note that came with
 * them says nothing, and neither does one that was left for another configuration.
 */
export function confirmLock({ noteFile, lockFile, place }: Confirmation, text: string): void {
  const note = { digest: digestText(text), stamp: stampOf(lockFile), place }
  writeFileAtomically(noteFile, `${JSON.stringify(note)}\n`)
}

/** Whether the lock that stands in the file is the one a person approved for this configuration at a terminal. */
export function isConfirmed({ noteFile, lockFile, place }: Confirmation, lock: Lock): boolean {
  let note: unknown
  try {
    note = JSON.parse(readTextFile(noteFile, ''))
  } catch {
    // No note, or none that can be read: nobody's word.
    return false
  }
  const said = (note ?? {}) as { digest?: unknown; stamp?: unknown; place?: unknown }
  return (
    said.digest === digestText(formatLock(lock)) && said.stamp === stampOf(lockFile) && said.place === place
  )
}
