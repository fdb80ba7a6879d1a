import { describeWith, postgres } from '@truename/tooling-vitest/needs'
import { type PostgresServer, startPostgres } from '@truename/tooling-vitest/postgres-server'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { migrateApprovals, postgresApprovals } from '../postgres.ts'
import type { Question } from './approvals.ts'
import { inTransaction, queryOnce } from './postgres-pool.ts'
import { describeApprovals } from './testing/approvals-contract.ts'

const question = (args: string): Question => ({
  binding: { key: { server: 'kb', kind: 'tool', name: 'search' }, pin: 'd1', args, profile: 'default' },
  args: {},
  pin: { state: 'approved', digest: 'd1' },
  rule: 'default:tool',
  reason: 'no rule matches',
})

describeWith(postgres, 'on PostgreSQL', (programs) => {
  let server: PostgresServer
  const pools: pg.Pool[] = []
  const databases: string[] = []
  const connect = (database: string): pg.Pool => {
    const url = new URL(server.url)
    url.pathname = database
    const pool = new pg.Pool({ connectionString: url.href, max: 4 })
    pool.on('error', () => {})
    pools.push(pool)
    return pool
  }
  const emptyDatabase = async (): Promise<string> => {
    const name = `test_${databases.length}`
    databases.push(name)
    await connect('postgres').query(`CREATE DATABASE ${name}`)
    return name
  }
  beforeAll(async () => {
    server = await startPostgres(programs)
  })
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()))
  })
  afterAll(() => server?.stop())

  describeApprovals('PostgreSQL', async () => {
    const database = await emptyDatabase()
    return { open: async (options) => postgresApprovals(connect(database), options) }
  })

  describe('the database of approvals', () => {
    it('is made once, by however many processes start together', async () => {
      const database = await emptyDatabase()
      await Promise.all(Array.from({ length: 6 }, () => migrateApprovals(connect(database))))
      const { rows } = await connect(database).query('SELECT version FROM truename_approval_schema')
      expect(rows).toEqual([{ version: 1 }])
    })

    it('is left alone where a newer version made it', async () => {
      const database = await emptyDatabase()
      await migrateApprovals(connect(database))
      await connect(database).query('INSERT INTO truename_approval_schema (version) VALUES (99)')
      const approvals = postgresApprovals(connect(database))
      await expect(approvals.ask(question('a1'))).rejects.toMatchObject({ code: 'newer-approval-schema' })
    })

    it('announces an answer at once, not at the next look', async () => {
      const database = await emptyDatabase()
      const [asking, answering] = [
        postgresApprovals(connect(database), { pollEvery: 3_600_000 }),
        postgresApprovals(connect(database)),
      ]
      const { id } = await asking.ask(question('a1'))
      let looks = 0
      const told = new Promise<void>((resolve) => {
        asking.subscribe(() => {
          looks += 1
          void asking.get(id).then((request) => request?.answer && resolve())
        })
      })
      await expect.poll(() => looks).toBeGreaterThan(0)
      await answering.answer(id, { verdict: 'allow', scope: 'pair', channel: 'console', who: 'ada' })
      await told
      await asking.close()
    })

    it('listens again after its connection was cut', async () => {
      const database = await emptyDatabase()
      const [asking, answering] = [
        postgresApprovals(connect(database), { pollEvery: 3_600_000 }),
        postgresApprovals(connect(database)),
      ]
      const { id } = await asking.ask(question('a1'))
      let looks = 0
      const told = new Promise<void>((resolve) => {
        asking.subscribe(() => {
          looks += 1
          void asking.get(id).then(
            (request) => request?.answer && resolve(),
            () => {},
          )
        })
      })
      await expect.poll(() => looks).toBeGreaterThan(0)
      const cut = await connect('postgres').query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND query LIKE 'LISTEN%'`,
        [database],
      )
      expect(cut.rowCount).toBe(1)
      const before = looks
      await expect.poll(() => looks).toBeGreaterThan(before)
      await answering.answer(id, { verdict: 'allow', scope: 'pair', channel: 'console', who: 'ada' })
      await told
      await asking.close()
    })

    it('goes on after a connection was cut, in the middle of a change or between two statements of it', async () => {
      const database = await emptyDatabase()
      const pool = connect(database)
      const approvals = postgresApprovals(pool)
      await approvals.ask(question('a1'))
      const ended = 'SELECT pg_terminate_backend($1)'
      await expect(
        inTransaction(pool, (client) => client.query('SELECT pg_terminate_backend(pg_backend_pid())')),
      ).rejects.toThrow()
      await expect(queryOnce(pool, 'SELECT pg_terminate_backend(pg_backend_pid())', [])).rejects.toThrow()
      const between = inTransaction(pool, async (client) => {
        const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
        const cut = new Promise<void>((resolve) => client.on('error', resolve))
        await connect('postgres').query(ended, [(rows[0] as { readonly pid: number }).pid])
        await cut
        return client.query('SELECT 1')
      })
      await expect(between).rejects.toThrow()
      expect(await approvals.pending()).toHaveLength(1)
      expect(pool.totalCount - pool.idleCount).toBe(0)
      await server.crash()
      await expect.poll(() => approvals.pending().catch(() => [])).toHaveLength(1)
    })

    it('holds no connection when nobody listens', async () => {
      const database = await emptyDatabase()
      const pool = connect(database)
      const approvals = postgresApprovals(pool)
      const stop = approvals.subscribe(() => {})
      await approvals.ask(question('a1'))
      await expect.poll(() => pool.totalCount - pool.idleCount).toBe(1)
      stop()
      await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0)
    })
  })
})
