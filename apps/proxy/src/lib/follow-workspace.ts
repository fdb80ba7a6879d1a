import type { DecisionLog } from '@truename/decision-log'
import { filesToFollow } from './files-to-follow.ts'
import { followFiles } from './follow-files.ts'
import { isConfirmed, placeOf } from './lock-confirmation.ts'
import type { OnEvent, OpenGateway } from './open-gateway.ts'
import { isPipe } from './read-text-file.ts'
import type { Workspace } from './workspace.ts'

/**
 * Follows the files a gateway was opened from. What they narrow holds at once. What a lock adds holds where a person
 * approved that very file at a terminal (`truename lock`); else it waits, as whatever else is wider, until the proxy is
 * started again. Files that cannot be read, or hold no lock, change nothing.
 */
export function followWorkspace(
  workspace: Workspace,
  reopen: () => Promise<Workspace>,
  open: OpenGateway,
  ways: {
    readonly onEvent: OnEvent
    readonly log: DecisionLog | undefined
    readonly announce: (method: string) => Promise<void>
  },
): { close(): void } {
  const { config, settings } = workspace
  const { onEvent, log, announce } = ways
  const record = (event: string, message: string): void =>
    void log
      ?.append({ type: 'event', event, message })
      .catch((error: unknown) =>
        onEvent('error', '', `It could not be recorded: ${(error as Error).message}`),
      )

  // Before anything can change: another folder in its place is another one.
  const place = placeOf(config.file)
  const changed = async (): Promise<void> => {
    // It was opened when the proxy was started; a pipe in its place would be waited for.
    if (isPipe(config.file)) throw new Error(`${config.file} is a pipe or a device, not a file`)
    const next = await reopen()
    const { lockFile } = next.settings
    const confirmation = { noteFile: settings.confirmedFile, lockFile, place }
    const confirmed = next.lock !== undefined && isConfirmed(confirmation, next.lock)
    const { moved, lockMoved, waiting, wider } = open.reload(next, confirmed)
    if (lockMoved) {
      const message = confirmed
        ? 'The lock that was approved at a terminal is served from now on'
        : 'What is no longer approved is withdrawn'
      onEvent('info', '', message)
      record('lock-taken', message)
    }
    if (waiting.length > 0) {
      const message = `What is new in the lock waits until truename serve is started again, since nobody approved this file at a terminal here (${waiting.join(', ')})`
      onEvent('warn', '', message)
      record('lock-waits', message)
    }
    if (wider) {
      const message = 'The changed policy is in force where it is narrower'
      onEvent('info', '', wider.length > 0 ? message : 'The changed policy is in force')
      record('policy-taken', message)
    }
    for (const message of wider ?? [])
      onEvent('warn', '', `A wider policy waits until truename serve is started again: ${message}`)
    for (const family of moved) await announce(`notifications/${family}/list_changed`)
  }
  const failed = (error: unknown): void =>
    onEvent(
      'error',
      '',
      `Files were changed and cannot be used, so what was read before holds: ${(error as Error).message}`,
    )
  return followFiles(filesToFollow(workspace), changed, failed)
}
