import { hostname } from 'node:os'
import { createDecisionLog, type DecisionLog } from '@truename/decision-log'
import { defaultSigningKeyPath, fileStore, openSigner } from '@truename/decision-log/file'
import { isJsonObject, type ServerConfig } from '@truename/mcp-link'
import { CommandError } from './command-error.ts'
import type { Workspace } from './workspace.ts'

/** The name of the key on this machine, in the checkpoints it signs. */
const signerName = `truename.invalid/${hostname()}`

/**
 * The decision log of a configuration, in its folder; undefined where the operator turned it off.
 *
 * @throws CommandError `log-unwritable`
 */
export async function openLog(
  { settings, config }: Workspace,
  onError: (message: string) => void,
): Promise<DecisionLog | undefined> {
  if (settings.logFolder === false) return undefined
  try {
    const signer = await openSigner(defaultSigningKeyPath(), { name: signerName })
    return createDecisionLog({
      store: fileStore(settings.logFolder),
      signer,
      keep: { secrets: filledIn(config.servers) },
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

/** Values that the configuration was filled in with, and what stands in headers: never to be written. */
export const filledIn = (servers: readonly ServerConfig[]): readonly string[] =>
  servers.flatMap((server) => {
    const values = server.kind === 'stdio' ? server.env : server.headers
    const written = server.written[server.kind === 'stdio' ? 'env' : 'headers']
    return Object.entries(values).flatMap(([name, value]) => {
      const before = isJsonObject(written) ? written[name] : undefined
      const secret = server.kind === 'http' || before !== value
      // A header's scheme is no secret; what follows it is.
      return secret ? [value, value.replace(/^\S+ /, '')].filter((part) => part.length >= 6) : []
    })
  })
