import { generateKeyPairSync } from 'node:crypto'
import { describeWith, postgres } from '@truename/tooling-vitest/needs'
import { type PostgresServer, startPostgres } from '@truename/tooling-vitest/postgres-server'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ed25519Signer } from '../file/signing-key.ts'
import { createDecisionLog } from '../log.ts'
import { decision, shop, steppingClock } from '../testing/entries.ts'
import { collect, storeContract } from '../testing/store-contract.ts'
import { postgresStore } from './postgres-store.ts'

describeWith(postgres, 'a PostgreSQL server', (programs) => {
  let server: PostgresServer
  let schemas = 0
  beforeAll(async () => {
    server = await startPostgres(programs)
  })
  const pools: Pool[] = []
  const connect = (max = 4): Pool => {
    const pool = new Pool({ connectionString: server.url, max })
    pool.on('error', () => undefined)
    pools.push(pool)
    return pool
  }
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await server.stop()
  })

  storeContract('PostgreSQL', async () => {
    schemas += 1
    // Each view has a pool of its own, as another process would.
    const open = () => postgresStore(connect(), { schema: `log_${schemas}` })
    return { store: open(), again: open }
  })

  const signer = ed25519Signer({ name: 'log.example', privateKey: generateKeyPairSync('ed25519').privateKey })
  const fresh = () => {
    schemas += 1
    return `log_${schemas}`
  }

  /** A log with records and a checkpoint, and the means of somebody who owns the tables. */
  async function tampered(sql: (schema: string) => string) {
    const schema = fresh()
    const pool = connect()
    const log = createDecisionLog({ store: postgresStore(pool, { schema }), signer, clock: steppingClock() })
    for (let at = 0; at < 12; at += 1) await log.append(decision(`call-${at}`))
    await log.checkpoint()
    expect(await log.verify()).toMatchObject({ ok: true, trees: [{ records: 13, sealed: 13 }], findings: [] })
    await pool.query(
      `SET session_replication_role = replica; ${sql(schema)}; SET session_replication_role = origin`,
    )
    return log.verify()
  }
  const kinds = ({ findings }: Awaited<ReturnType<typeof tampered>>) =>
    findings.filter(({ severity }) => severity === 'error').map(({ kind, index }) => [kind, index])

  it('finds a changed, a removed and a relabelled row, and rows that were cut off', async () => {
    const where = 'WHERE position = 6'
    expect(
      kinds(
        await tampered(
          (schema) => `UPDATE ${schema}.log_records SET line = replace(line, 'allow', 'deny') ${where}`,
        ),
      ),
    ).toEqual([
      ['changed', 6],
      ['mislabelled', 6],
    ])
    expect(kinds(await tampered((schema) => `DELETE FROM ${schema}.log_records ${where}`))).toEqual([
      ['removed', 6],
    ])
    expect(
      kinds(await tampered((schema) => `UPDATE ${schema}.log_records SET server = 'other' ${where}`)),
    ).toEqual([['mislabelled', 6]])
    expect(
      kinds(await tampered((schema) => `UPDATE ${schema}.log_records SET "time" = now() ${where}`)),
    ).toEqual([['mislabelled', 6]])
    expect(kinds(await tampered((schema) => `DELETE FROM ${schema}.log_records WHERE position > 8`))).toEqual(
      [['cut', 9]],
    )
  })

  it('refuses changes in its tables, and lets old trees go only where that is said', async () => {
    const schema = fresh()
    const pool = connect(1)
    const log = createDecisionLog({ store: postgresStore(pool, { schema }), signer })
    await log.append(decision('a'))
    await log.checkpoint()
    for (const table of ['log_records', 'log_checkpoints']) {
      await expect(pool.query(`DELETE FROM ${schema}.${table}`)).rejects.toThrow('append-only')
      await expect(pool.query(`TRUNCATE ${schema}.${table}`)).rejects.toThrow('append-only')
      const column = table === 'log_records' ? 'line' : 'note'
      await expect(pool.query(`UPDATE ${schema}.${table} SET ${column} = ''`)).rejects.toThrow('append-only')
    }
    await pool.query(`SET truename.retention = 'on'`)
    await pool.query(`DELETE FROM ${schema}.log_records`)
    expect(await collect(log)).toEqual([])
  })

  it('is made once when several processes make it at once', async () => {
    const schema = fresh()
    const logs = Array.from({ length: 6 }, () =>
      createDecisionLog({ store: postgresStore(connect(), { schema }) }),
    )
    await Promise.all(logs.map((log, at) => log.append(decision(`${at}`))))
    expect(await logs[0]?.verify()).toMatchObject({ ok: true, records: 12 })
  })

  it('is refused where a later version made the tables', async () => {
    const schema = fresh()
    const pool = connect()
    await createDecisionLog({ store: postgresStore(pool, { schema }) }).append(decision('a'))
    await pool.query(`INSERT INTO ${schema}.log_migrations (version) VALUES (99)`)
    const log = createDecisionLog({ store: postgresStore(pool, { schema }) })
    await expect(log.append(decision('b'))).rejects.toMatchObject({
      code: 'newer-schema',
      evidence: { version: 99 },
    })
    await expect(collect(log)).rejects.toMatchObject({ code: 'newer-schema' })
  })

  it('tells every listener of what any writer adds, and nobody of another schema', async () => {
    const [schema, other] = [fresh(), fresh()]
    const heard: string[] = []
    const listener = postgresStore(connect(), { schema })
    const stop = await listener.listen(() => heard.push('added'))
    const lost: Error[] = []
    await postgresStore(connect(), { schema }).listen(
      () => undefined,
      (error) => lost.push(error),
    )
    await createDecisionLog({ store: postgresStore(connect(), { schema: other }) }).append(decision('x'))
    const writers = [1, 2].map(() => createDecisionLog({ store: postgresStore(connect(), { schema }) }))
    for (const writer of writers) await writer.append(decision('a'))
    const seen = heard.length
    await new Promise((done) => setTimeout(done, 100))
    expect(heard.length).toBeGreaterThanOrEqual(Math.max(seen, 2))
    stop()
    const before = heard.length
    await writers[0]?.append(decision('b'))
    await new Promise((done) => setTimeout(done, 50))
    expect(heard.length).toBe(before)
    await server.crash()
    while (lost.length === 0) await new Promise((done) => setTimeout(done, 10))
    expect(lost).toHaveLength(1)
  })

  it('loses no acknowledged record when the server crashes, and goes on with a new tree', async () => {
    const schema = fresh()
    const log = createDecisionLog({ store: postgresStore(connect(), { schema }) })
    const acknowledged: string[] = []
    let refused = 0
    let over = false
    const writing = (async () => {
      for (let at = 0; !over; at += 1) {
        const call = `call-${at}`
        try {
          await log.append(decision(call))
          acknowledged.push(call)
        } catch {
          refused += 1
          await new Promise((done) => setTimeout(done, 20))
        }
      }
    })()
    while (acknowledged.length < 5) await new Promise((done) => setTimeout(done, 10))
    await server.crash()
    await new Promise((done) => setTimeout(done, 300))
    over = true
    await writing
    expect(refused).toBeGreaterThan(0)
    const records = (await collect(log, { type: 'decision' })).map(
      (record) => 'call' in record && record.call,
    )
    expect(acknowledged.filter((call) => !records.includes(call))).toEqual([])
    expect(await log.verify()).toMatchObject({ ok: true })
  })

  it('keeps a name that is longer than an index can hold', async () => {
    const log = createDecisionLog({ store: postgresStore(connect(), { schema: fresh() }) })
    const names = ['a', 'b'].map((end) => `docs://${'x'.repeat(9000)}${end}`)
    for (const name of names) await log.append(decision(name.at(-1) as string, { key: { ...shop, name } }))
    for (const name of names)
      expect(await collect(log, { key: { ...shop, name } })).toMatchObject([{ call: name.at(-1) }])
  })

  it('refuses a schema name that could be read as something else', () => {
    for (const schema of ['a; drop table x', 'Log', '1a', '', 'a"b', 'x'.repeat(64)])
      expect(() => postgresStore(connect(), { schema })).toThrow(
        expect.objectContaining({ code: 'bad-option' }),
      )
  })
})
