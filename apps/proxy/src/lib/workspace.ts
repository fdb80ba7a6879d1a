import { homedir, hostname, platform } from 'node:os'
import { resolve } from 'node:path'
import { type Config, loadConfig, type ServerConfig } from '@truename/mcp-link'
import {
  type EndpointFingerprint,
  emptyLock,
  fingerprintEndpoint,
  type Lock,
  type LockedServer,
  lockedServer,
  type MachineFacts,
} from '@truename/tool-registry'
import { CommandError } from './command-error.ts'
import { lockOfMerge, readLockText } from './lock-text.ts'
import { isMissing, readTextFile } from './read-text-file.ts'
import { readSettings, type ServerSettings, type Settings } from './settings.ts'

/** What every command starts from: the configuration, its `truename` key, and the lock if there is one. */
export interface Workspace {
  readonly config: Config
  readonly settings: Settings
  readonly lock: Lock | undefined
  /** Why the lock's file could not be read as it stands; `lock` is then what could be had of it. */
  readonly damage: CommandError | undefined
  /** What deserves a line on stderr and stops nothing. */
  readonly warnings: readonly string[]
}

/** Where a command reads its configuration when none is named. */
export const defaultConfigFile = 'truename.json'

/**
 * Reads configuration, settings and lock. `relock`: the lock is to be made anew, so that one that cannot be read is
 * no error here.
 *
 * @throws ConfigError, CommandError with file, place and remedy
 */
export async function openWorkspace(
  file: string,
  own: string,
  { relock = false }: { readonly relock?: boolean } = {},
): Promise<Workspace> {
  const config = await loadConfig(resolve(file))
  refuseItself(config, own)
  const settings = readSettings(config)
  const warnings = [...config.warnings.map((warning) => warning.message), ...settings.warnings]
  if (isMissing(settings.lockFile)) return { config, settings, lock: undefined, damage: undefined, warnings }
  const text = readTextFile(settings.lockFile, 'Correct "truename.lock" in the configuration.')
  try {
    return { config, settings, lock: readLockText(text, settings.lockFile), damage: undefined, warnings }
  } catch (error) {
    if (!relock || !(error instanceof CommandError) || error.code !== 'lock-invalid') throw error
    return { config, settings, lock: lockOfMerge(text), damage: error, warnings }
  }
}

/** A proxy that started itself would start itself again. */
function refuseItself(config: Config, own: string): void {
  for (const server of config.servers) {
    if (server.kind !== 'stdio') continue
    const words = [server.command, ...server.args]
    const starts = words.some(
      (word) => /(^|[/\\])truename(\.cmd)?$/.test(word) || resolve(config.folder, word) === own,
    )
    if (starts && words.includes('serve')) {
      throw new CommandError('config-starts-itself', {
        what: `the server "${server.id}" would start Truename again`,
        where: config.file,
        remedy: 'Name here the servers behind Truename; a client names Truename in its own configuration.',
      })
    }
  }
}

/** Options of one server, empty if none are given. */
export const settingsOf = (workspace: Workspace, id: string): ServerSettings =>
  workspace.settings.servers[id] ?? {}

/** The operator's label for the authorization a server is used with. */
export const profileOf = (workspace: Workspace, id: string): string =>
  settingsOf(workspace, id).profile ?? 'default'

/** What the lock holds of a server under its profile. */
export const entryOf = (workspace: Workspace, id: string): LockedServer | undefined =>
  lockedServer(workspace.lock ?? emptyLock, id, profileOf(workspace, id))

/** The fingerprint of a server's endpoint, from the configuration as written. */
export const endpointOf = (workspace: Workspace, server: ServerConfig): EndpointFingerprint =>
  fingerprintEndpoint(server.written, { configFolder: workspace.config.folder })

/** This machine's own values, which some servers put into their definitions. */
export const machineOf = (workspace: Workspace, server: ServerConfig): MachineFacts => ({
  cwd: server.kind === 'stdio' ? (server.cwd ?? workspace.config.folder) : workspace.config.folder,
  home: homedir(),
  hostname: hostname(),
  os: platform(),
})
