import { hostname } from 'node:os'
import { createDecisionLog, type DecisionLog } from '@truename/decision-log'
import { defaultSigningKeyPath, fileStore, openSigner } from '@truename/decision-log/file'
import { isJsonObject, type ServerConfig } from '@truename/mcp-link'
import { CommandError } from './command-error.ts'
import type { Workspace } from './workspace.ts'

/** The name of the key on this machine, in the checkpoints it signs. */
export const signerName = `truename.invalid/${hostname()}`

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

/** Variables that say where something is, and nothing else. */
const harmless = new Set(
  'HOME USER LOGNAME PWD PATH SHELL LANG TMPDIR TEMP TMP USERPROFILE APPDATA LOCALAPPDATA HOSTNAME NODE_ENV'.split(
    ' ',
  ),
)
const reference = /\$\{(?:env:)?([^}:]*)[^}]*\}/g
const secretName = /key|token|secret|passw|credential|auth/i

/** What stands in a text where variables were written, but for those that are harmless. */
function filledInto(written: unknown, text: string): readonly string[] {
  if (typeof written !== 'string') return []
  const names = [...written.matchAll(reference)].map(([, name]) => name)
  const literal = written.split(new RegExp(reference.source.replace('([^', '(?:[^'), 'g'))
  const pattern = literal.map((piece) => piece.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('([^]*)')
  const values = new RegExp(`^${pattern}$`).exec(text)?.slice(1) ?? []
  return values.filter((_value, at) => !harmless.has(names[at] ?? ''))
}

/** Values that the configuration was filled in with, and what is secret by its place or name: never to be written. */
export const filledIn = (servers: readonly ServerConfig[]): readonly string[] =>
  servers.flatMap((server) => {
    const { written } = server
    const [member, values] =
      server.kind === 'stdio' ? (['env', server.env] as const) : (['headers', server.headers] as const)
    const table = isJsonObject(written[member]) ? written[member] : {}
    const named = Object.entries(values).flatMap(([name, value]) => {
      if (value === null) return []
      // A header's scheme is no secret; what follows it is.
      return member === 'headers' || secretName.test(name)
        ? [value, value.replace(/^\S+ /, '')]
        : filledInto(table[name], value)
    })
    const args = Array.isArray(written.args) ? written.args : []
    const words =
      server.kind === 'stdio'
        ? server.args.flatMap((arg, at) => filledInto(args[at], arg))
        : filledInto(written.url, server.url)
    return [...named, ...words].filter((part) => part.length >= 6)
  })
