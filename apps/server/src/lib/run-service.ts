import type { LinkEvent, Service } from '@truename/mcp-link'
import { serveHttp, serveStdio } from '@truename/sdk-v2'
import { parseListenAddress } from './listen-address.ts'

/** How a program of this package serves. */
export interface RunServiceOptions {
  /** The name of the program, for what it says on stderr. */
  readonly program: string
  /** `HOST:PORT`; stdio where it is absent. */
  readonly http?: string | undefined
  /** Called once when serving has ended. */
  readonly onEnd: () => void | Promise<void>
}

/** One line on stderr: on stdout stand messages of the protocol and nothing else. */
export function reporter(program: string): (line: string) => void {
  return (line) => void process.stderr.write(`${program}: ${line}\n`)
}

/** The command line asks for something that cannot be done; the message is one line that says what to do. */
export class ServeError extends Error {
  readonly code = 'cannot-serve'
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ServeError'
  }
}

/**
 * Serves until stdin closes (stdio), or a SIGINT or SIGTERM arrives; then ends gracefully.
 * @throws ServeError where the address cannot be listened at
 */
export async function runService(service: Service, options: RunServiceOptions): Promise<void> {
  const report = reporter(options.program)
  const onEvent = ({ level, message }: LinkEvent): void => {
    if (level === 'warn' || level === 'error') report(message)
  }
  const asked = signalled()
  try {
    if (options.http === undefined) {
      const connection = await serveStdio(service, { onEvent })
      await Promise.race([connection.closed, asked])
      await connection.close()
    } else {
      const endpoint = await listen(service, options.http, onEvent)
      report(`listening on ${endpoint.url}`)
      await asked
      await endpoint.close()
    }
  } finally {
    await options.onEnd()
  }
}

async function listen(service: Service, http: string, onEvent: (event: LinkEvent) => void) {
  const address = parseListenAddress(http)
  if (typeof address === 'string') throw new ServeError(`--http ${address}`)
  try {
    return await serveHttp(service, { ...address, path: '/mcp', onEvent })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'the port is taken; choose another, or 0 for any free one' : message
    throw new ServeError(`cannot listen at ${http}: ${why}`, { cause })
  }
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

/** Runs a program to its end; an error is one line on stderr and exit code 1. */
export async function runProgram(program: string, main: () => Promise<void>): Promise<void> {
  try {
    await main()
    process.exitCode ??= 0
  } catch (cause) {
    const code = (cause as { code?: unknown }).code
    const known = cause instanceof Error && typeof code === 'string'
    reporter(program)(known ? cause.message : String(cause instanceof Error ? cause.stack : cause))
    process.exitCode = 1
  }
}
