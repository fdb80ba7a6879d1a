import { confirm, isCancel } from '@clack/prompts'
import {
  checkEndpoint,
  digestText,
  emptyLock,
  formatLock,
  isAtLeast,
  type Lock,
  LockError,
  parseLock,
  type ScanFinding,
  sanitizeForDisplay,
  withoutServer,
  withServer,
} from '@truename/tool-registry'
import { writeFileAtomically } from './atomic-write.ts'
import { CommandError } from './command-error.ts'
import { confirmLock, placeOf } from './lock-confirmation.ts'
import { lockDifference } from './lock-difference.ts'
import { showDifference } from './show-difference.ts'
import { createStyle, fold } from './style.ts'
import { type Survey, surveyServers } from './survey.ts'
import { findUriConflicts, type UriConflict } from './uri-conflicts.ts'
import { machineOf, type Workspace } from './workspace.ts'

/** How `truename lock` was called. */
export interface LockOptions {
  /** Accepts without asking; never where the scan has findings of severity "high". */
  readonly yes: boolean
  /** With `yes`: accepts this very surface and no other. */
  readonly expect: string | undefined
  readonly json: boolean
}

/**
 * Connects to everything in the configuration, shows what it starts and what it found, asks, and writes the lock.
 * Returns the process's exit code.
 *
 * @throws CommandError with the lock left as it was
 */
export async function lockCommand(workspace: Workspace, options: LockOptions): Promise<number> {
  const style = createStyle(process.stderr)
  const say = (line: string) => console.error(line)
  const { config, settings, damage } = workspace
  if (damage) {
    // What was approved is not known then, so that nobody can have meant to accept only what changed.
    if (!workspace.lock && options.yes && options.expect === undefined) throw damage
    say(style('yellow', damage.message))
    say(
      workspace.lock
        ? 'What the servers offer is compared with our side of the merge.'
        : 'What was approved is not known, so that everything is shown as new.',
    )
  }
  say(
    `${config.file}: ${config.servers.length} server${config.servers.length === 1 ? '' : 's'}. To list what they offer, these are started or called:`,
  )
  for (const server of config.servers) {
    // As it is written: what variables are filled in with may be secret.
    const { command, args, url } = server.written
    const what =
      server.kind === 'stdio'
        ? [command, ...((args ?? []) as string[])].map(String).map(quote).join(' ')
        : String(url)
    say(`  ${style('bold', server.id)}  ${sanitizeForDisplay(what)}`)
    if (server.kind === 'stdio') say(style('dim', `      in ${server.cwd}`))
    for (const { severity, message } of checkEndpoint(server.written)) {
      say(style(severity === 'high' ? 'red' : 'yellow', fold(`${severity}: ${message}`, '      ')))
    }
  }
  if (!options.yes && !(await ask('Start them? A configuration is code: it runs as you.')))
    return declined(say)

  const survey = await surveyServers(workspace)
  refuseFailures(survey, workspace)
  const next = nextLock(workspace, survey)
  refuseConflicts(findUriConflicts(next.servers), config.file)

  const text = formatLock(next)
  refuseUnreadable(text, settings.lockFile)
  const digest = digestText(text)
  const differences = lockDifference(
    workspace.lock,
    survey.servers.map(({ id, entry, surface }) => ({
      entry,
      surface,
      machine: machineOf(
        workspace,
        config.servers.find((server) => server.id === id) as (typeof config.servers)[number],
      ),
    })),
  )
  const findings = survey.servers.flatMap(({ id, findings }) => findings.map((finding) => ({ id, finding })))

  say('')
  for (const difference of differences) say(showDifference(difference, style))
  for (const { id, notLocked, substitutions, problems } of survey.servers) {
    for (const { message } of notLocked) say(style('yellow', `  ${id}: left out: ${message}`))
    for (const { pointer, placeholder } of substitutions)
      say(`  ${id}: ${pointer} holds this machine's ${placeholder}; recorded as \${${placeholder}}`)
    for (const problem of problems) say(style('yellow', `  ${id}: ${problem}`))
  }
  for (const { id, finding } of findings) say(showFinding(id, finding, style))
  say('')
  if (options.json)
    console.log(JSON.stringify({ digest, differences: differences.map(plain), findings }, null, 2))

  if (workspace.lock && !workspace.damage && formatLock(workspace.lock) === text) {
    say(`${settings.lockFile} is up to date (${digest}).`)
    return 0
  }
  const grave = findings.filter(({ finding }) => isAtLeast(finding.severity, 'high'))
  if (options.expect !== undefined && options.expect !== digest) {
    throw new CommandError('unexpected-surface', {
      what: `the servers show ${digest}, not the expected ${options.expect}`,
      where: settings.lockFile,
      remedy: 'Review the difference above; the lock is as it was.',
    })
  }
  if (options.yes && grave.length > 0 && options.expect === undefined) {
    throw new CommandError('lock-refused', {
      what: `--yes does not accept findings of severity "high" (${grave.length})`,
      where: settings.lockFile,
      remedy: `Review them and run without --yes, or accept this very surface with --yes --expect ${digest}. The lock is as it was.`,
    })
  }
  if (!options.yes && !(await ask(`Approve this and write ${settings.lockFile}?`))) return declined(say)
  writeFileAtomically(settings.lockFile, text)
  // A script approves for proxies that are started after it; a person also for those that run.
  if (!options.yes) {
    try {
      const { confirmedFile: noteFile, lockFile } = settings
      confirmLock({ noteFile, lockFile, place: placeOf(config.file) }, text)
    } catch (error) {
      say(style('yellow', `A running truename serve has to be started again: ${(error as Error).message}`))
    }
  }
  say(`Wrote ${settings.lockFile} (${digest}). Commit it: it is what is served.`)
  return 0
}

/** The entries of servers that are configured; others go, and those of other profiles stay. */
function nextLock({ lock, config }: Workspace, survey: Survey): Lock {
  const configured = new Set(config.servers.map(({ id }) => id))
  const kept = (lock ?? emptyLock).servers
    .filter(({ id }) => !configured.has(id))
    .reduce((rest, { id }) => withoutServer(rest, id), lock ?? emptyLock)
  return survey.servers.reduce((next, { entry }) => withServer(next, entry), kept)
}

/** What cannot be read back is not written. */
function refuseUnreadable(text: string, file: string): void {
  try {
    parseLock(text)
  } catch (error) {
    if (!(error instanceof LockError)) throw error
    throw new CommandError('lock-refused', {
      what: `the new lock would not read back: ${error.problems.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ')}`,
      where: file,
      remedy: 'This is a fault of Truename; please report it. The lock is as it was.',
    })
  }
}

function refuseFailures({ failed }: Survey, { settings, config }: Workspace): void {
  const [first] = failed
  if (!first) return
  const tail =
    first.stderr.length > 0 ? ` It last wrote: ${sanitizeForDisplay(first.stderr.slice(-3).join(' / '))}` : ''
  const others =
    failed.length > 1
      ? ` (${failed.length - 1} more failed: ${failed
          .slice(1)
          .map(({ id }) => id)
          .join(', ')})`
      : ''
  throw new CommandError('server-unreachable', {
    what: `${first.message}${others}`,
    where: `${config.file}, server "${first.id}"`,
    remedy: `Mend its entry or take it out; ${settings.lockFile} is as it was.${tail}`,
  })
}

function refuseConflicts([conflict]: readonly UriConflict[], file: string): void {
  if (!conflict) return
  const [first, second] = conflict.servers
  const shown =
    conflict.witness === undefined
      ? 'it could not be decided that no URI belongs to both'
      : `both would answer ${conflict.witness}`
  throw new CommandError('lock-refused', {
    what: `the resources of "${first}" (${conflict.claims[0]}) and "${second}" (${conflict.claims[1]}) overlap: ${shown}`,
    where: file,
    remedy: `Settle it for one of them: "truename": { "servers": { "${second}": { "uris": "prefixed" } } }, or "resources": "off". The lock is as it was.`,
  })
}

function showFinding(id: string, finding: ScanFinding, style: ReturnType<typeof createStyle>): string {
  const colour = finding.severity === 'high' ? 'red' : finding.severity === 'medium' ? 'yellow' : 'dim'
  return style(
    colour,
    fold(
      `${id} ${finding.pointer}: ${finding.severity} ${finding.code}: ${finding.message}`,
      '  ! ',
    ).replaceAll('\n  ! ', '\n    '),
  )
}

const plain = ({ id, profile, kind, drift, parts }: ReturnType<typeof lockDifference>[number]) => ({
  id,
  profile,
  kind,
  drift,
  parts,
})

const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

async function ask(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new CommandError('bad-argument', {
      what: 'there is no terminal to ask at',
      where: 'truename lock',
      remedy: 'Run it at a terminal, or with --yes (in scripts: --yes --expect DIGEST).',
    })
  }
  const answer = await confirm({ message: question, initialValue: false })
  return !isCancel(answer) && answer
}

function declined(say: (line: string) => void): number {
  say('Nothing was written.')
  return 1
}
