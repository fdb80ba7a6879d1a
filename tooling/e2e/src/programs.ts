import { spawn } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The folder of the whole project. */
export const root = join(import.meta.dirname, '..', '..', '..')

/** The built programs. */
export const programs = {
  truename: join(root, 'apps', 'proxy', 'dist', 'main.js'),
  host: join(root, 'apps', 'host', 'dist', 'main.js'),
  knowledgeBase: join(root, 'apps', 'server', 'dist', 'main.js'),
  shop: join(root, 'apps', 'server', 'dist', 'shop.js'),
} as const

/** What a program printed, and how it ended. */
export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end; it is killed when the test ends before it does. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>>; readonly input?: string },
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...process.env, NO_COLOR: '1', XDG_CONFIG_HOME: join(options.cwd, 'config'), ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.stdin.end(options.input ?? '')
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
  })
}

/** Runs `truename …` in a folder. */
export const truename = (cwd: string, ...args: readonly string[]): Promise<Finished> =>
  run(process.execPath, [programs.truename, ...args], { cwd })

/** A shop as a server entry. */
export const shop = (id: string, ...more: readonly string[]) => ({
  command: 'node',
  args: [programs.shop, '--id', id, ...more],
})

/** The bundled knowledge base as a server entry, on a copy of its documents in a folder. */
export function knowledgeBase(folder: string): {
  readonly command: string
  readonly args: readonly string[]
} {
  const documents = join(folder, 'knowledge-base')
  cpSync(join(root, 'examples', 'knowledge-base'), documents, { recursive: true })
  return { command: 'node', args: [programs.knowledgeBase, '--docs', documents] }
}

/** Writes a configuration; returns its path. */
export function writeConfig(
  folder: string,
  mcpServers: object,
  truenameKey: object = {},
  name = 'truename.json',
): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify({ mcpServers, truename: { log: 'decisions', ...truenameKey } }, null, 2))
  return file
}

/** A running proxy. */
export interface RunningProxy {
  readonly url: string
  readonly pid: number
  log(): string
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts the proxy over HTTP on a free port; it ends with the test. */
export async function startProxy(cwd: string, ...args: readonly string[]): Promise<RunningProxy> {
  const child = spawn(process.execPath, [programs.truename, 'serve', '--http', '127.0.0.1:0', ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', XDG_CONFIG_HOME: join(cwd, 'config') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)))
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(log)
      if (found) resolve(found[0])
    })
    child.on('error', reject)
    void ended.then((code) => reject(new Error(`truename serve ended with ${code}\n${log}`)))
  })
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  onTestFinished(async () => {
    await stop()
  })
  return { url, pid: child.pid as number, log: () => log, stop }
}

/** How a client of either SDK line starts the proxy over a folder. */
export const proxyOver = (folder: string) => ({
  command: process.execPath,
  args: [programs.truename, 'serve'],
  cwd: folder,
  env: { PATH: process.env.PATH ?? '', XDG_CONFIG_HOME: join(folder, 'config') },
  stderr: 'ignore' as const,
})
