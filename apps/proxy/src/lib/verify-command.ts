import { compareEndpoint, isAtLeast, type LockedServer } from '@truename/tool-registry'
import { CommandError } from './command-error.ts'
import { lockDifference, type ServerDifference } from './lock-difference.ts'
import { toSarif } from './sarif.ts'
import type { ServerSettings } from './settings.ts'
import { showDifference } from './show-difference.ts'
import { createStyle } from './style.ts'
import { surveyServers } from './survey.ts'
import { endpointOf, entryOf, machineOf, settingsOf, type Workspace } from './workspace.ts'

/** How `truename verify` was called. */
export interface VerifyOptions {
  /** Also start the servers and compare what they say. */
  readonly live: boolean
  readonly format: 'text' | 'json' | 'sarif'
}

/** One thing that does not hold. */
export interface VerifyProblem {
  readonly server: string
  readonly code:
    | 'not-in-lock'
    | 'not-configured'
    | 'endpoint-changed'
    | 'modes-changed'
    | 'unreachable'
    | 'drift'
  readonly level: 'error' | 'warning'
  readonly message: string
}

/** Exit codes: everything holds; something does not; a server could not be asked. */
export const verifyExit = { holds: 0, differs: 1, unknown: 3 } as const

/**
 * For CI: the lock is well-formed and covers the configuration, and with `live` equals what the servers say.
 * Returns the exit code.
 *
 * @throws CommandError where there is no lock
 */
export async function verifyCommand(workspace: Workspace, options: VerifyOptions): Promise<number> {
  const { lock, settings, config } = workspace
  if (!lock) throw lockMissing(settings.lockFile)
  const style = createStyle(process.stdout)
  const problems = coverage(workspace)
  let differences: readonly ServerDifference[] = []
  if (options.live) {
    const survey = await surveyServers(workspace)
    for (const { id, message } of survey.failed)
      problems.push({ server: id, code: 'unreachable', level: 'error', message })
    differences = lockDifference(
      lock,
      survey.servers
        .filter(({ id }) => entryOf(workspace, id))
        .map(({ id, entry, surface }) => ({
          entry,
          surface,
          machine: machineOf(
            workspace,
            config.servers.find((server) => server.id === id) as (typeof config.servers)[number],
          ),
        })),
    ).filter(({ kind }) => kind === 'changed')
    problems.push(...differences.flatMap(driftProblems))
  }
  if (options.format === 'json')
    console.log(
      JSON.stringify({ lock: settings.lockFile, problems, differences: differences.map(plain) }, null, 2),
    )
  else if (options.format === 'sarif')
    console.log(JSON.stringify(toSarif(settings.lockFile, problems), null, 2))
  else {
    for (const { server, code, message } of problems)
      if (code !== 'drift') console.log(`${style('red', code)} ${server}: ${message}`)
    for (const difference of differences) console.log(showDifference(difference, style))
    const errors = problems.filter(({ level }) => level === 'error').length
    console.log(
      errors === 0
        ? `${settings.lockFile}: ${lock.servers.length} server${lock.servers.length === 1 ? '' : 's'}, ${options.live ? 'as they are live' : 'well-formed, and covers the configuration'}.`
        : `${settings.lockFile}: ${errors} thing${errors === 1 ? ' does' : 's do'} not hold. Review, then run "truename lock".`,
    )
  }
  if (problems.some(({ code }) => code === 'unreachable')) return verifyExit.unknown
  return problems.some(({ level }) => level === 'error') ? verifyExit.differs : verifyExit.holds
}

/** The one error of every command that needs a lock. */
export const lockMissing = (file: string): CommandError =>
  new CommandError('lock-missing', {
    what: 'there is no lock, and only what was reviewed is served',
    where: file,
    remedy: 'Run "truename lock" (npm start does it for you), look at what it shows, and commit the file.',
  })

function coverage(workspace: Workspace): VerifyProblem[] {
  const { config, lock } = workspace
  const configured = new Set(config.servers.map(({ id }) => id))
  const stale = (lock?.servers ?? []).filter(({ id }) => !configured.has(id))
  return [
    ...config.servers.flatMap((server): VerifyProblem[] => {
      const entry = entryOf(workspace, server.id)
      if (!entry)
        return [
          {
            server: server.id,
            code: 'not-in-lock',
            level: 'error',
            message: 'configured, but not in the lock',
          },
        ]
      const moved = compareEndpoint(entry, endpointOf(workspace, server))
      const modes = changedModes(entry.modes, settingsOf(workspace, server.id))
      return [
        ...(moved.length === 0
          ? []
          : [
              {
                server: server.id,
                code: 'endpoint-changed',
                level: 'error',
                message: `its entry in the configuration is not the one that was approved (${moved.map(({ field }) => field).join(', ')})`,
              } as const,
            ]),
        ...modes.map(
          (mode) =>
            ({
              server: server.id,
              code: 'modes-changed',
              level: 'error',
              message: `"${mode}" is not what it was when the lock was made, and has no effect until it is made again`,
            }) as const,
        ),
      ]
    }),
    ...stale.map(
      ({ id }): VerifyProblem => ({
        server: id,
        code: 'not-configured',
        level: 'warning',
        message: 'in the lock, but not configured',
      }),
    ),
  ]
}

/** The modes that a configuration sets otherwise than the lock has them. */
export const changedModes = (
  locked: LockedServer['modes'],
  { uris = 'plain', resources = 'on' }: ServerSettings,
): readonly ('uris' | 'resources')[] => [
  ...(locked.uris === uris ? [] : (['uris'] as const)),
  ...(locked.resources === resources ? [] : (['resources'] as const)),
]

const driftProblems = ({ id, drift, parts }: ServerDifference): VerifyProblem[] => [
  ...drift.map(
    (one): VerifyProblem => ({
      server: id,
      code: 'drift',
      // What differs from an approved definition is held, however little it may matter.
      level:
        (one.key !== undefined && one.change !== 'added') || isAtLeast(one.severity, 'low')
          ? 'error'
          : 'warning',
      message: one.message,
    }),
  ),
  ...parts
    .filter((part) => part !== 'version' && part !== 'endpoint')
    .map(
      (part): VerifyProblem => ({
        server: id,
        code: 'drift',
        level: 'error',
        message: `${part} differs from what was approved`,
      }),
    ),
]

const plain = ({ id, profile, kind, drift, parts }: ServerDifference) => ({ id, profile, kind, drift, parts })
