import { createAudience, type DownstreamContext, type Service } from '@truename/mcp-link'
import { serveHttp, serveStdio } from '@truename/sdk-v2'
import { clientInfo } from './client.ts'
import { CommandError } from './command-error.ts'
import { followWorkspace } from './follow-workspace.ts'
import { type OpenGateway, openGateway } from './open-gateway.ts'
import { filledIn, openLog } from './open-log.ts'
import { createOperatorLog } from './operator-log.ts'
import { createStyle } from './style.ts'
import type { Workspace } from './workspace.ts'

/** How `truename serve` was called. */
export interface ServeOptions {
  /** `HOST:PORT` for Streamable HTTP; with stdio too where `stdio` is set. */
  readonly http: string | undefined
  readonly stdio: boolean
  /** Print what to try with the bundled servers. */
  readonly tour: boolean
  /** Reads configuration and lock again. */
  readonly reopen: () => Promise<Workspace>
}

/** Serves the lock until the client leaves or the process is told to end. Returns the exit code. */
export async function serveCommand(workspace: Workspace, options: ServeOptions): Promise<number> {
  const style = createStyle(process.stderr)
  // On stdio, stdout belongs to the protocol: everything for people goes to stderr.
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const { onEvent, onLogError } = createOperatorLog(process.stderr, filledIn(workspace.config.servers))
  const log = await openLog(workspace, onLogError)
  const announce = (method: string): Promise<void> =>
    audience
      .broadcast(method)
      .catch((error: unknown) => onEvent('warn', '', `A client was not told: ${(error as Error).message}`))
  const open = openGateway(workspace, log, onEvent, announce)
  const audience = createAudience(serviceOf(open))
  const following = followWorkspace(workspace, options.reopen, open, {
    onEvent,
    log,
    announce,
  })
  const ends: (() => Promise<void>)[] = []
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        resolve()
        // Whoever asks twice does not want to wait for servers that take their time.
        process.once(signal, () => process.exit(1))
      })
    }
    if (options.stdio) void serve(resolve)
  })

  async function serve(resolve: () => void): Promise<void> {
    const stdio = await serveStdio(audience.service)
    ends.push(() => stdio.close())
    await stdio.closed
    resolve()
  }

  if (options.http !== undefined) {
    const { host, port } = parseAddress(options.http)
    const endpoint = await serveHttp(audience.service, {
      host,
      port,
      onEvent: ({ level, message }) => level !== 'debug' && onEvent(level, '', message),
    })
    ends.push(() => endpoint.close())
    say(
      `Truename serves ${open.serverIds.join(', ')} (${open.toolCount} tools) at ${style('bold', endpoint.url)}`,
    )
    if (options.tour) say(tour(endpoint.url, workspace.config.file))
  }
  await ended
  following.close()
  for (const end of ends) await end()
  await open.close()
  await log?.close()
  return 0
}

const serviceOf = ({ gateway, declaration, listen }: OpenGateway): Service => ({
  declare: () => ({ info: clientInfo, ...declaration() }),
  accept: (downstream) => {
    downstream.serve((method, params, context: DownstreamContext) => gateway(method, params, context))
  },
  listening: listen,
})

function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const parts = /^(?:(?<host>\[[^\]]+\]|[^:]+):)?(?<port>\d{1,5})$/.exec(text)?.groups
  const port = Number(parts?.port)
  if (!parts || port > 65_535) {
    throw new CommandError('bad-argument', {
      what: `"${text}" is not HOST:PORT`,
      where: '--http',
      remedy: 'For example: --http 127.0.0.1:4873',
    })
  }
  return { host: (parts.host ?? '127.0.0.1').replaceAll(/^\[|\]$/g, ''), port }
}

const tour = (url: string, config: string): string => `
In another terminal:

  node apps/host/dist/main.js tools --url ${url}
  node apps/host/dist/main.js read 'Отчёт май/июнь' --url ${url}
  node apps/host/dist/main.js call shop-a__search --arg query=tea --url ${url}
  node apps/proxy/dist/main.js log query --config ${config}

The whole story, with a server that changes its tool behind your back: npm run demo
Ctrl-C ends this and every server it started.
`
