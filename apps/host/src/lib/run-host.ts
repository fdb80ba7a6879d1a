import { openLineLog } from '@truename/mcp-link'
import { Command, CommanderError } from 'commander'
import { type ExitCode, exitCodes } from './exit-code.ts'
import { findAndRead, readExactly } from './find-and-read.ts'
import { heldOf } from './held.ts'
import { HostError } from './host-error.ts'
import { problemsOf } from './listing-problems.ts'
import { jsonText, type Output, shown } from './output.ts'
import { showFound } from './read-command.ts'
import { type Session, withSession } from './session.ts'
import { callTool, showTools, toolsOf } from './tool-commands.ts'

/** What the host runs with. */
export interface HostContext {
  readonly version: string
  readonly output: Output
}

interface CommonOptions {
  readonly url?: string
  readonly config?: string
  readonly server?: string
  readonly json?: boolean
}

interface ReadOptions extends CommonOptions {
  readonly from?: string
  readonly uri?: boolean
  readonly text?: boolean
  readonly log?: string
}

interface CallOptions extends CommonOptions {
  readonly arg: readonly string[]
}

type Run = (options: CommonOptions, work: (session: Session) => Promise<ExitCode>) => Promise<void>

/** Runs one command line and returns its exit code. What stands after `--` is the server to start. */
export async function runHost(argv: readonly string[], context: HostContext): Promise<ExitCode> {
  const { version, output } = context
  const split = argv.indexOf('--')
  const words = split < 0 ? argv : argv.slice(0, split)
  const command = split < 0 ? [] : argv.slice(split + 1)
  let exitCode: ExitCode = exitCodes.ok
  const run: Run = async ({ url, config, server }, work) => {
    exitCode = await withSession({ url, config, server, command }, version, output, work)
  }
  try {
    await commands(run, context).parseAsync([...words], { from: 'user' })
    return exitCode
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    const known = cause instanceof Error && typeof (cause as { code?: unknown }).code === 'string'
    output.note(`truename-host: ${shown(known ? cause.message : String((cause as Error)?.stack ?? cause))}`)
    return cause instanceof HostError ? cause.exitCode : exitCodes.failed
  }
}

function commands(run: Run, { version, output }: HostContext): Command {
  const root = new Command('truename-host')
    .description('A small MCP host: finds documents by their names, and calls tools by their flat names.')
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: output.text, writeErr: (text) => output.note(text.trimEnd()) })
    .addHelpText(
      'after',
      '\nEvery command connects to one of: --url URL, --config FILE, or -- COMMAND ARGS at the end.',
    )

  add(root, 'read <name>', 'find a document by its name; print it with its URI, server, revision and time')
    .option('--from <server>', 'only documents of this server')
    .option('--uri', 'NAME is a URI: send it as it stands')
    .option('--text', 'print the text alone, letter for letter')
    .option('--log <file>', 'append one JSON line for each read that is sent')
    .action((name: string, options: ReadOptions) =>
      run(options, async ({ upstream }) => {
        const log = options.log === undefined ? undefined : await openLineLog(options.log, output.note)
        const look = options.uri ? readExactly : findAndRead
        const found = await look(upstream, name, {
          from: options.from,
          log,
          note: (line) => output.note(shown(line)),
        })
        await log?.close()
        return showFound(name, found, { json: options.json === true, text: options.text === true }, output)
      }),
    )
  add(root, 'tools', 'list the tools: flat name, server, and the server’s own name').action(
    (options: CommonOptions) =>
      run(options, async ({ upstream, tools }) => {
        for (const problem of problemsOf(tools)) output.note(shown(problem))
        return showTools(toolsOf(tools, upstream.serverId), options.json === true, output)
      }),
  )
  add(root, 'call <flat-name> [arguments]', 'call a tool; the arguments are one JSON object')
    .option(
      '--arg <name=value>',
      'one argument; may be repeated',
      (pair: string, all: string[]) => [...all, pair],
      [],
    )
    .action((flat: string, json: string | undefined, options: CallOptions) =>
      run(options, ({ upstream, tools }) =>
        callTool(
          upstream,
          toolsOf(tools, upstream.serverId),
          { flat, json, pairs: options.arg },
          options.json === true,
          output,
        ),
      ),
    )
  add(root, 'held', 'say what the proxy holds back, and why').action((options: CommonOptions) =>
    run(options, async ({ tools }) => {
      const held = heldOf(tools.metas)
      if (options.json) output.line(jsonText(held))
      else if (held.length === 0) output.line('nothing is held')
      for (const { server, name, field, message } of options.json ? [] : held) {
        output.line(shown(`${server}/${name} ${field}: ${message}`))
      }
      return exitCodes.ok
    }),
  )
  return root
}

function add(root: Command, usage: string, description: string): Command {
  return root
    .command(usage)
    .description(description)
    .option('--url <url>', 'a Streamable HTTP endpoint, e.g. http://127.0.0.1:8080/mcp')
    .option('--config <file>', 'an mcpServers file; its only server, or the one of --server')
    .option('--server <id>', 'which server of --config; otherwise the id to call the endpoint by')
    .option('--json', 'print one JSON value')
}
