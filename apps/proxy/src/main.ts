#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError, Option } from 'commander'
import { answerCommand, approvalsCommand } from './lib/approvals-command.ts'
import { explainCommand } from './lib/explain-command.ts'
import { lockCommand } from './lib/lock-command.ts'
import { logQueryCommand, logVerifyCommand } from './lib/log-command.ts'
import { policyCheckCommand } from './lib/policy-command.ts'
import { reportFailure } from './lib/report-failure.ts'
import { serveCommand } from './lib/serve-command.ts'
import { verifyCommand } from './lib/verify-command.ts'
import { version } from './lib/version.ts'
import { defaultConfigFile, openWorkspace, type Workspace } from './lib/workspace.ts'

const own = fileURLToPath(import.meta.url)

const program = new Command('truename')
  .description('Many MCP servers behind one endpoint, served from a reviewed lock file.')
  .version(version)
  .showHelpAfterError()

const config = () =>
  new Option('-c, --config <file>', 'the configuration: the mcpServers file you already have').default(
    defaultConfigFile,
  )
const asJson = () => new Option('--json', 'machine-readable output')

const time = (text: string): string => {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError('Write it as in 2026-11-30T12:00:00Z.')
  return text
}

const count = (text: string): number => {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Write a whole number from 1 on.')
  return Number(text)
}

/** Opens the workspace, runs the command, and ends with its exit code; failures are one clear line. */
const run = async (
  file: string,
  command: (workspace: Workspace) => number | Promise<number>,
  { relock = false, endsWithReader = true } = {},
): Promise<void> => {
  // Whoever reads may have seen enough (`| head`).
  if (endsWithReader)
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      process.exit()
    })
  try {
    const workspace = await openWorkspace(file, own, { relock })
    for (const warning of workspace.warnings) console.error(`${workspace.config.file}: ${warning}`)
    process.exitCode = await command(workspace)
  } catch (error) {
    process.exitCode = reportFailure(error)
  }
}

program
  .command('serve')
  .description('serve the lock on stdio, as a client starts it, or over HTTP')
  .addOption(config())
  .option('--http <host:port>', 'serve Streamable HTTP at /mcp instead')
  .option('--stdio', 'with --http: serve stdio too')
  .addOption(new Option('--tour', 'say what to try').hideHelp())
  .addOption(new Option('--lock-if-missing', 'make the lock first where there is none').hideHelp())
  .action(
    (options: { config: string; http?: string; stdio?: boolean; tour?: boolean; lockIfMissing?: boolean }) =>
      run(
        options.config,
        async (workspace) => {
          let current = workspace
          if (!workspace.lock && options.lockIfMissing && process.stdin.isTTY) {
            const code = await lockCommand(workspace, { yes: false, expect: undefined, json: false })
            if (code !== 0) return code
            current = await openWorkspace(options.config, own)
          }
          return serveCommand(current, {
            http: options.http,
            stdio: options.stdio ?? options.http === undefined,
            tour: options.tour ?? false,
            reopen: () => openWorkspace(options.config, own),
          })
        },
        { endsWithReader: false },
      ),
  )

program
  .command('lock')
  .description(
    'connect to every server, show what it offers and what changed, and write the lock after confirmation',
  )
  .addOption(config())
  .option('-y, --yes', 'accept without asking (never findings of severity "high")')
  .option('--expect <digest>', 'with --yes: accept this very surface and no other')
  .addOption(asJson())
  .action((options: { config: string; yes?: boolean; expect?: string; json?: boolean }) =>
    run(
      options.config,
      (workspace) =>
        lockCommand(workspace, {
          yes: options.yes ?? false,
          expect: options.expect,
          json: options.json ?? false,
        }),
      { relock: true },
    ),
  )

program
  .command('verify')
  .description(
    'for CI: the lock is well-formed and covers the configuration; with --live it equals what the servers say',
  )
  .addOption(config())
  .option('--live', 'start the servers and compare')
  .addOption(asJson())
  .option('--sarif', 'SARIF 2.1.0, for code hosts')
  .addHelpText(
    'after',
    '\nExit codes: 0 it holds, 1 it does not, 2 it cannot be read, 3 a server could not be asked.',
  )
  .action((options: { config: string; live?: boolean; json?: boolean; sarif?: boolean }) =>
    run(options.config, (workspace) =>
      verifyCommand(workspace, {
        live: options.live ?? false,
        format: options.sarif ? 'sarif' : options.json ? 'json' : 'text',
      }),
    ),
  )

program
  .command('explain')
  .description('say whose a resource URI is, or why nobody has it; starts nothing')
  .argument('<uri>')
  .addOption(config())
  .addOption(asJson())
  .action((uri: string, options: { config: string; json?: boolean }) =>
    run(options.config, (workspace) => explainCommand(workspace, uri, options.json ?? false)),
  )

const log = program.command('log').description('the decision log')

log
  .command('query')
  .description('show records, oldest first')
  .addOption(config())
  .option('--server <id>', 'only of this server')
  .option('--name <name>', 'only of this tool, prompt or resource, by its own name')
  .addOption(new Option('--verdict <verdict>', 'only decisions with it').choices(['allow', 'ask', 'deny']))
  .addOption(
    new Option('--outcome <class>', 'only outcomes of it').choices([
      'success',
      'tool-error',
      'protocol-error',
      'refused',
      'input-required',
    ]),
  )
  .addOption(
    new Option('--type <type>', 'only records of it').choices([
      'decision',
      'outcome',
      'denial',
      'drift',
      'read',
      'approval',
      'event',
    ]),
  )
  .option('--trace <id>', 'only of this W3C trace id')
  .option('--since <time>', 'RFC 3339', time)
  .option('--until <time>', 'RFC 3339', time)
  .option('--limit <number>', 'at most so many', count)
  .addOption(asJson())
  .action(
    ({
      config: file,
      json,
      trace,
      ...filter
    }: { config: string; json?: boolean; trace?: string } & Record<string, never>) =>
      run(file, (workspace) => logQueryCommand(workspace, { ...filter, traceId: trace }, json ?? false)),
  )

log
  .command('verify')
  .description('check that every record is as it was written')
  .addOption(config())
  .option('--against <file>', 'a checkpoint that was kept elsewhere')
  .addOption(asJson())
  .action((options: { config: string; against?: string; json?: boolean }) =>
    run(options.config, (workspace) => logVerifyCommand(workspace, options.against, options.json ?? false)),
  )

const approvals = program
  .command('approvals')
  .description('calls that wait for a person, and answers in force')

approvals
  .command('list', { isDefault: true })
  .addOption(config())
  .addOption(asJson())
  .action((options: { config: string; json?: boolean }) =>
    run(options.config, (workspace) => approvalsCommand(workspace, options.json ?? false)),
  )

approvals
  .command('answer')
  .description('show one waiting call and answer it, at a terminal')
  .argument('<id>')
  .addOption(config())
  .action((id: string, options: { config: string }) =>
    run(options.config, (workspace) => answerCommand(workspace, id)),
  )

program
  .command('policy')
  .description('the rules')
  .command('check')
  .description('report rules that match nothing or can never be reached, and pairs left to the default')
  .addOption(config())
  .addOption(asJson())
  .action((options: { config: string; json?: boolean }) =>
    run(options.config, (workspace) => policyCheckCommand(workspace, options.json ?? false)),
  )

await program.parseAsync()
