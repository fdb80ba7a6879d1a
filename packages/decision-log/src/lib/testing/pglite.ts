import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { Pool } from 'pg'

/** A PostgreSQL in this process, behind a socket on loopback. It serves one connection at a time. */
export async function startPglite(): Promise<{ pool: Pool; stop(): Promise<void> }> {
  const db = await PGlite.create()
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0 })
  await server.start()
  const address = server.getServerConn().split(':')
  const pool = new Pool({
    host: '127.0.0.1',
    port: Number(address.at(-1)),
    user: 'postgres',
    database: 'postgres',
    max: 1,
  })
  return {
    pool,
    async stop() {
      await pool.end()
      await server.stop()
      await db.close()
    },
  }
}
