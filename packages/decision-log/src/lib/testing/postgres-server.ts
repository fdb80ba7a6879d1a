import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  return typeof address === 'object' && address ? address.port : 0
}

/** PostgreSQL refuses to run as root: then it runs as `nobody`, or whoever else can be found. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  for (const user of ['postgres', 'nobody']) {
    try {
      const id = (option: string): number => Number(execFileSync('id', [option, user], { encoding: 'utf8' }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {}
  }
  throw new Error('Running as root, and there is neither a user postgres nor nobody to run PostgreSQL as.')
}

/** A PostgreSQL server of its own, on loopback, in a folder that goes with it. */
export interface PostgresServer {
  connect(options?: { readonly max?: number }): Pool
  /** Ends the server at once, as a loss of power would, and starts it again on the same data. */
  crash(): Promise<void>
  stop(): Promise<void>
}

export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'truename-postgres-'))
  const as = unprivileged()
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid)
  chmodSync(folder, 0o700)
  const data = join(folder, 'data')
  const environment = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' }
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'truename', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    {
      ...as,
      cwd: folder,
      env: environment,
      stdio: 'pipe',
    },
  )
  const port = await freePort()
  let child: ChildProcess
  const pools = new Set<Pool>()
  const connect: PostgresServer['connect'] = ({ max = 4 } = {}) => {
    const pool = new Pool({ host: '127.0.0.1', port, user: 'truename', database: 'postgres', max })
    pool.on('error', () => undefined)
    pools.add(pool)
    return pool
  }
  const start = async (): Promise<void> => {
    const settings = [
      '-c',
      `port=${port}`,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `unix_socket_directories=`,
    ]
    child = spawn(join(programs, 'postgres'), ['-D', data, ...settings], {
      ...as,
      cwd: folder,
      env: environment,
      stdio: 'ignore',
    })
    for (let tries = 0; ; tries += 1) {
      const pool = new Pool({ host: '127.0.0.1', port, user: 'truename', database: 'postgres', max: 1 })
      pool.on('error', () => undefined)
      try {
        await pool.query('SELECT 1')
        return
      } catch (error) {
        if (tries > 200 || child.exitCode !== null) throw error
        await new Promise((done) => setTimeout(done, 100))
      } finally {
        await pool.end()
      }
    }
  }
  const ended = (signal: NodeJS.Signals): Promise<unknown> => {
    const over = new Promise((done) => child.once('exit', done))
    child.kill(signal)
    return over
  }
  await start()
  return {
    connect,
    async crash() {
      await ended('SIGQUIT')
      await start()
    },
    async stop() {
      for (const pool of pools) if (!pool.ended) await pool.end()
      await ended('SIGINT')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
