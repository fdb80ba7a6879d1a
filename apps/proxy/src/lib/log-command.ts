import { statSync } from 'node:fs'
import type { Filter, LogRecord } from '@truename/decision-log'
import { sanitizeForDisplay } from '@truename/tool-registry'
import { CommandError } from './command-error.ts'
import { openLog } from './open-log.ts'
import { readTextFile } from './read-text-file.ts'
import { createStyle } from './style.ts'
import type { Workspace } from './workspace.ts'

const logOf = async (workspace: Workspace) => {
  const { logFolder } = workspace.settings
  if (logFolder !== false && statSync(logFolder, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new CommandError('file-unreadable', {
      what: 'is a file where the folder of the decision log should be',
      where: logFolder,
      remedy: 'Correct "truename.log" in the configuration, or move the file away.',
    })
  }
  const log = await openLog(workspace, (message) => console.error(message))
  if (log) return log
  throw new CommandError('log-unwritable', {
    what: 'the decision log is turned off ("log": false)',
    where: workspace.config.file,
    remedy: 'Name a folder under "truename.log".',
  })
}

/** `truename log query`: the records that match, oldest first. Returns the exit code. */
export async function logQueryCommand(workspace: Workspace, filter: Filter, json: boolean): Promise<number> {
  const log = await logOf(workspace)
  const style = createStyle(process.stdout)
  for await (const record of log.query(filter))
    console.log(json ? JSON.stringify(record) : showRecord(record, style))
  await log.close()
  return 0
}

/** `truename log verify`: whether every record is as it was written. Returns the exit code. */
export async function logVerifyCommand(
  workspace: Workspace,
  against: string | undefined,
  json: boolean,
): Promise<number> {
  const checkpoint =
    against === undefined
      ? undefined
      : readTextFile(against, 'Name a checkpoint that was kept with --against.')
  const log = await logOf(workspace)
  const report = await log.verify(checkpoint)
  await log.close()
  if (json)
    console.log(
      JSON.stringify(
        report,
        (_key, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value),
        2,
      ),
    )
  else {
    for (const { severity, kind, message, segment, line } of report.findings) {
      console.log(`${severity} ${kind}${segment ? ` ${segment}${line ? `:${line}` : ''}` : ''}: ${message}`)
    }
    const trees = `${report.trees.length} tree${report.trees.length === 1 ? '' : 's'}`
    console.log(
      report.ok
        ? `${report.records} records in ${trees}: as they were written.`
        : `${report.records} records in ${trees}: ${report.errors} do not add up.`,
    )
  }
  return report.ok ? 0 : 1
}

/** One record on one line: when, what, whose, and how it ended. */
function showRecord(record: LogRecord, style: ReturnType<typeof createStyle>): string {
  const when = style('dim', record.time)
  const pair =
    'key' in record && typeof record.key === 'object'
      ? sanitizeForDisplay(`${record.key.server}/${record.key.name}`)
      : ''
  switch (record.type) {
    case 'decision':
      return `${when} ${record.verdict.padEnd(5)} ${pair}  ${style('dim', sanitizeForDisplay(`${record.rule ?? ''}: ${record.reason}`))}`
    case 'outcome':
      return `${when}   ${record.outcome}  ${pair}  ${style('dim', `${record.durationMs} ms`)}${record.message ? `  ${sanitizeForDisplay(record.message)}` : ''}`
    case 'read':
      return `${when} read  ${pair}  ${style('dim', record.revision ?? '')}`
    case 'drift':
      return `${when} held  ${record.held.map(({ key, field, change }) => sanitizeForDisplay(`${key.server}/${key.name} ${field ?? change}`)).join(', ')}`
    default:
      return `${when} ${record.type}  ${pair}${'reason' in record && record.reason ? ` ${sanitizeForDisplay(record.reason)}` : ''}`
  }
}
