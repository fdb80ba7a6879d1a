import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChildGroup, startChild } from './child-group.ts'
import { createLineReader } from './line-reader.ts'
import { createLineTransport, type LineTransport } from './line-transport.ts'
import type { LinkEvent } from './port.ts'

/** The stdio transport to a child process. */
export interface ChildTransport extends LineTransport {
  /** The last lines the process wrote on stderr, oldest first. */
  stderr(): readonly string[]
  /** How the process ended, once it has. */
  ending(): string | undefined
  readonly pid: number | undefined
}

const keptLines = 200
const keptLineLength = 2000
const longestLine = 256 * 1024

/** Starts a server as a child process and talks to it over its stdin and stdout. Rejects where it cannot start. */
export async function startChildTransport(options: {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  readonly lineLimit?: number | undefined
  readonly graceMs: number
  readonly event?: ((event: LinkEvent) => void) | undefined
}): Promise<ChildTransport> {
  const group: ChildGroup = await startChild(options).catch(async (error: unknown) => {
    throw (await faultOfFolder(options.cwd)) ?? error
  })
  const { stdin, stdout, stderr } = group.process
  if (!stdin || !stdout || !stderr) throw new Error('the process has no stdio')
  const tail: string[] = []
  const reader = createLineReader({
    limit: longestLine,
    line: (text) => {
      tail.push(text.slice(0, keptLineLength))
      if (tail.length > keptLines) tail.shift()
    },
    tooLong: () => tail.push('(a line too long to keep)'),
  })
  stderr.on('data', (chunk: Buffer) => reader.push(chunk))
  stderr.on('error', () => undefined)

  let ending: string | undefined
  const exited = group.exited.then((how) => {
    ending = how
  })
  const transport = createLineTransport({
    input: stdout,
    output: stdin,
    lineLimit: options.lineLimit,
    event: options.event,
    closing: () => group.end(options.graceMs),
    // A closed stdout and the exit come in any order; the exit says why.
    settled: Promise.race([exited, once(stdout, 'end').then(() => sleep(500, undefined, { ref: false }))]),
  })
  // 'close' comes after everything the process wrote was read; a grandchild may hold the pipes open for longer.
  group.process.once('close', () => void exited.then(transport.ended))
  void exited.then(async () => {
    await sleep(100, undefined, { ref: false })
    reader.end()
    transport.ended()
    void group.end(options.graceMs)
  })
  return Object.assign(transport, {
    stderr: () => [...tail],
    ending: () => ending,
    pid: group.process.pid,
  })
}

/** What is wrong with the folder a process was to be started in: the system blames the command for it. */
async function faultOfFolder(folder: string | undefined): Promise<Error | undefined> {
  if (folder === undefined) return undefined
  const found = await stat(folder).catch(() => undefined)
  if (found?.isDirectory()) return undefined
  return new Error(`its folder ${JSON.stringify(folder)} ${found ? 'is none' : 'is not there'}`)
}
