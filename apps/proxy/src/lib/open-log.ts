import { hostname } from 'node:os'
import { createDecisionLog, type DecisionLog } from '@truename/decision-log'
import { defaultSigningKeyPath, fileStore, openSigner } from '@truename/decision-log/file'
import { CommandError } from './command-error.ts'
import type { Settings } from './settings.ts'

/** The name of the key on this machine, in the checkpoints it signs. */
const signerName = `truename.invalid/${hostname()}`

/**
 * The decision log of a configuration, in its folder; undefined where the operator turned it off.
 *
 * @throws CommandError `log-unwritable`
 */
export async function openLog(
  settings: Settings,
  onError: (message: string) => void,
): Promise<DecisionLog | undefined> {
  if (settings.logFolder === false) return undefined
  try {
    const signer = await openSigner(defaultSigningKeyPath(), { name: signerName })
    return createDecisionLog({
      store: fileStore(settings.logFolder),
      signer,
      onError: (error) => onError(error.message),
    })
  } catch (error) {
    throw new CommandError('log-unwritable', {
      what: `the decision log cannot be opened: ${(error as Error).message}`,
      where: settings.logFolder,
      remedy:
        'Make the folder writable, or name another under "truename.log"; without a log no call is forwarded.',
    })
  }
}
