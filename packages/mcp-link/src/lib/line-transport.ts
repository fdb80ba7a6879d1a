import type { Readable, Writable } from 'node:stream'
import { printable, reasonOf, UnsentError } from './failure.ts'
import { createLineReader } from './line-reader.ts'
import type { WireMessage } from './message.ts'
import type { LinkEvent } from './port.ts'
import type { Transport } from './transport.ts'

/** How much one message may weigh on stdio. The largest list seen of a real server is one line of 1.03 MB. */
export const defaultLineLimit = 64 * 1024 * 1024

/** A transport over two byte streams, and the way to say from outside that they are gone. */
export interface LineTransport extends Transport {
  /** The streams are gone: hands on what is left and closes. */
  ended(): void
}

/**
 * The stdio transport over two byte streams: one JSON message per line. Lines that are no JSON are what programs
 * print on stdout by mistake: they are reported and passed over. JSON of any shape is handed on, since the layer
 * above reads any value. Messages are parsed by `JSON.parse` alone, so nothing is dropped on the way.
 */
export function createLineTransport(options: {
  readonly input: Readable
  readonly output: Writable
  readonly lineLimit?: number | undefined
  /** What follows the closing of this side. */
  readonly closing?: (() => Promise<void>) | undefined
  /** What is waited for between the end of the input and saying that the connection is gone. */
  readonly settled?: Promise<unknown> | undefined
  readonly event?: ((event: LinkEvent) => void) | undefined
}): LineTransport {
  const { input, output, closing, event } = options
  let noisy = 0
  let closed = false

  const noise = (text: string): void => {
    noisy += 1
    // The first ten are shown, then one in a hundred: a server that logs on stdout must not flood the log.
    if (noisy <= 10 || noisy % 100 === 0) {
      event?.({ level: 'warn', message: `no message on stdout (${noisy})`, detail: printable(text, 200) })
    }
  }
  const reader = createLineReader({
    limit: options.lineLimit ?? defaultLineLimit,
    line: (text) => {
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        return noise(text)
      }
      transport.onmessage?.(value as never)
    },
    tooLong: (bytes) => event?.({ level: 'error', message: `a line of over ${bytes} bytes was dropped` }),
  })
  const finish = (): void => {
    if (closed) return
    closed = true
    input.off('data', onData)
    transport.onclose?.()
  }
  const onData = (chunk: Buffer): void => reader.push(chunk)
  const ended = (): void => {
    if (!closed) reader.end()
    finish()
  }

  const transport: LineTransport = {
    onmessage: undefined,
    onclose: undefined,
    onerror: undefined,
    ended,
    start: async () => {
      input.on('data', onData)
      input.on('end', () => {
        if (options.settled === undefined) ended()
        else void options.settled.then(ended)
      })
      input.on('error', (error) => transport.onerror?.(error))
      output.on('error', (error) => {
        transport.onerror?.(error)
        // The writes that failed say so first: they know more of their messages than that the stream is gone.
        setImmediate(finish)
      })
    },
    send: (message: WireMessage) =>
      new Promise((resolve, reject) => {
        if (closed || !output.writable) return reject(new UnsentError('the stream is closed'))
        const line = `${JSON.stringify(message)}\n`
        // A line that is written by itself and fails never arrived whole: its line feed goes last. Lines that wait
        // for another one are written together and fail together, whatever became of the first of them.
        const alone = output.writableLength === 0
        output.write(line, (error) => {
          if (!error) resolve()
          else reject(alone ? new UnsentError(reasonOf(error)) : new Error(reasonOf(error)))
        })
      }),
    close: async () => {
      if (closing) await closing()
      finish()
    },
  }
  return transport
}
