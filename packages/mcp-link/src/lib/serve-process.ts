import { Writable } from 'node:stream'
import { createLineTransport } from './line-transport.ts'
import type { Service } from './port.ts'
import { serveConnection } from './serve-connection.ts'
import { createServing, type ServingOptions } from './serve-options.ts'

/** A service on this process's stdin and stdout. */
export interface StdioEndpoint {
  close(): Promise<void>
  /** Resolves when the client has closed its end, or `close` was called. */
  readonly closed: Promise<void>
}

/** Options of {@link serveProcess}. */
export interface StdioOptions extends ServingOptions {
  /** The operator's label for the client, from a flag. Default `default`. */
  readonly profile?: string | undefined
  readonly lineLimit?: number | undefined
}

/**
 * Keeps stdout for messages: whatever else writes there (`console.*`, a library) goes to stderr instead. Returns the
 * one stream that still reaches stdout, and what undoes it.
 */
function claimStdout(): { readonly output: Writable; readonly release: () => void } {
  const write = process.stdout.write
  const toStdout = write.bind(process.stdout)
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => void toStdout(chunk, (error) => done(error)),
  })
  const failed = (error: Error): void => void output.destroy(error)
  process.stdout.on('error', failed)
  return {
    output,
    release: () => {
      process.stdout.write = write
      process.stdout.off('error', failed)
    },
  }
}

/** Serves one client, of either era, on this process's stdin and stdout. */
export async function serveProcess(service: Service, options: StdioOptions = {}): Promise<StdioEndpoint> {
  const serving = createServing(options)
  const { output, release } = claimStdout()
  const transport = createLineTransport({
    input: process.stdin,
    output,
    lineLimit: options.lineLimit,
    event: options.onEvent,
  })
  const connection = serveConnection(transport, service, { serving, profile: options.profile ?? 'default' })
  const closed = connection.closed.then(() => {
    serving.held.close()
    process.stdin.pause()
    release()
  })
  await connection.start()
  return { close: () => connection.close(), closed }
}
