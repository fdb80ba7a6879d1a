import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A PostgreSQL server on loopback with an empty database, for one test file. */
export interface PostgresServer {
  /** `postgres://…`, a superuser of this server alone. */
  readonly url: string
  /** Ends it without a word to its clients, and starts it again on the same data and port. */
  crash(): Promise<void>
  stop(): Promise<void>
}

const run = promisify(execFile)

/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Resolves when the server says that it accepts connections. */
function whenReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('database system is ready to accept connections')) resolve()
    })
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`postgres ended with ${code}:\n${said}`)))
  })
}

/**
 * Starts a server in a folder of its own; `stop` ends it and removes the folder.
 *
 * @param programs the folder with `postgres` and `initdb`, as `postgres` of `./needs` finds it
 */
export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'truename-postgres-'))
  const password = randomBytes(16).toString('hex')
  const secret = join(folder, 'password')
  const data = join(folder, 'data')
  writeFileSync(secret, password, { mode: 0o600 })
  for (const path of [folder, secret])
    if (unprivileged.uid) chownSync(path, unprivileged.uid, unprivileged.gid)
  const cleanUp = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    const settings = [
      '-D',
      data,
      '-U',
      'tester',
      '-A',
      'scram-sha-256',
      '--pwfile',
      secret,
      '-E',
      'UTF8',
      '--no-sync',
    ]
    await run(join(programs, 'initdb'), [...settings, '--locale', 'C'], { ...unprivileged, cwd: folder })
    const port = await freePort()
    const options = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', fsync: 'off' }
    const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const start = async (): Promise<ChildProcess> => {
      const server = spawn(join(programs, 'postgres'), ['-D', data, ...flags], {
        ...unprivileged,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await whenReady(server)
      return server
    }
    let server = await start()
    const end = async (signal: NodeJS.Signals): Promise<void> => {
      const ended = once(server, 'exit')
      server.kill(signal)
      await ended
    }
    return {
      url: `postgres://tester:${password}@127.0.0.1:${port}/postgres`,
      async crash() {
        await end('SIGQUIT')
        server = await start()
      },
      async stop() {
        await end('SIGINT')
        cleanUp()
      },
    }
  } catch (error) {
    cleanUp()
    throw error
  }
}
