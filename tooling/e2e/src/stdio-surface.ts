import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { JsonObject, Key, ProbeConnection, Surface } from '@truename/tool-registry'

interface Answer {
  readonly result?: JsonObject
  readonly error?: { readonly code: number; readonly message: string }
}

/** How a published server is started: a file of a dependency, and its arguments. */
export interface PublishedServer {
  readonly id: string
  readonly file: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files that must stand in its folder, by name. */
  readonly files?: Readonly<Record<string, string>>
}

/**
 * Starts a published server in a folder and a home of its own and speaks to it in plain JSON-RPC lines, so that what
 * is scanned is what it sent and nothing that a client library made of it.
 */
export async function startPublished(
  server: PublishedServer,
  capabilities: JsonObject = {},
): Promise<ProbeConnection & { readonly cwd: string }> {
  const cwd = mkdtempSync(join(tmpdir(), 'truename-published-'))
  for (const [name, text] of Object.entries(server.files ?? {})) writeFileSync(join(cwd, name), text)
  const child = spawn(
    process.execPath,
    [server.file, ...(server.args ?? []).map((arg) => arg.replace('{cwd}', cwd))],
    {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, ...server.env },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
  const send = exchange(child)
  const initialize = await send('initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'scan', version: '0.0.0' },
  })
  child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const said = initialize.result ?? {}
  return {
    cwd,
    list: async () => readSurface(said, send),
    call: async ({ name }: Key) => void (await send('tools/call', { name, arguments: {} })),
    close: async () => {
      const ended = hasEnded(child) ? undefined : new Promise((resolve) => child.once('close', resolve))
      child.stdin?.end()
      const killing = setTimeout(() => child.kill('SIGKILL'), 2_000)
      await ended
      clearTimeout(killing)
      rmSync(cwd, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

type Send = (method: string, params: JsonObject) => Promise<Answer>

/** Sends requests and gives each the answer with its id; what the server asks is refused, what it notes is dropped. */
function exchange(child: ChildProcess): Send {
  const waiting = new Map<number, (answer: Answer) => void>()
  let ended = false
  let last = 0
  const fail = (message: string): void => {
    ended = true
    for (const resolve of waiting.values()) resolve({ error: { code: 0, message } })
    waiting.clear()
  }
  child.on('error', (error) => fail(error.message))
  child.on('close', () => fail('the server ended'))
  if (child.stdout === null) throw new Error('no output to read')
  createInterface({ input: child.stdout }).on('line', (line) => {
    let message: Answer & { readonly id?: number; readonly method?: string }
    try {
      message = JSON.parse(line)
    } catch {
      return
    }
    if (message.method !== undefined) {
      const error = { code: -32601, message: 'not offered' }
      if (message.id !== undefined)
        child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, error })}\n`)
      return
    }
    waiting.get(message.id ?? -1)?.(message)
    waiting.delete(message.id ?? -1)
  })
  return (method, params) =>
    new Promise((resolve) => {
      const id = ++last
      if (ended) return resolve({ error: { code: 0, message: 'the server ended' } })
      waiting.set(id, resolve)
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
}

async function readSurface(said: JsonObject, send: Send): Promise<Surface> {
  return {
    serverInfo: said.serverInfo as JsonObject,
    capabilities: said.capabilities as JsonObject,
    era: 'legacy',
    version: String(said.protocolVersion),
    instructions: said.instructions as string | undefined,
    tools: await readList('tools/list', 'tools', send),
    prompts: await readList('prompts/list', 'prompts', send),
    resources: await readList('resources/list', 'resources', send),
    resourceTemplates: await readList('resources/templates/list', 'resourceTemplates', send),
  }
}

/** All pages of a list; none where the server does not have it. */
async function readList(method: string, member: string, send: Send): Promise<unknown[]> {
  const all: unknown[] = []
  let cursor: unknown
  do {
    const { result } = await send(method, cursor === undefined ? {} : { cursor: cursor as string })
    all.push(...((result?.[member] as unknown[] | undefined) ?? []))
    cursor = result?.nextCursor
  } while (cursor !== undefined)
  return all
}
