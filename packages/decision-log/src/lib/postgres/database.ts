import { DecisionLogError } from '../errors.ts'
import { migrations } from './migrations.ts'

/** A row as `pg` gives it. */
export type Row = Readonly<Record<string, unknown>>

/** What this package needs of a `pg.Client`, and of the clients of a pool. */
export interface Client {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: Row[] }>
}

/** A client that is taken from a pool, and given back. */
export interface PooledClient extends Client {
  release(error?: Error | boolean): void
  on(event: 'notification', listener: (message: { channel: string }) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'notification', listener: (message: { channel: string }) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
}

/** What this package needs of a `pg.Pool`. */
export interface Pool extends Client {
  connect(): Promise<PooledClient>
}

/** A name that can stand in SQL without quotes. */
export function checkSchemaName(schema: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return schema
  throw new DecisionLogError(
    'bad-option',
    `Not a schema name: ${JSON.stringify(schema)}. Use lower-case letters, digits and underscores.`,
    { schema },
  )
}

// Any number does, as long as it is always the same: it keeps two processes from migrating at once.
const migrationLock = 7_364_120_953

/**
 * Brings the tables up to date. Several processes may do this at once.
 * @throws DecisionLogError `newer-schema` where a later version of this package made them
 */
export async function migrate(pool: Pool, schema: string): Promise<void> {
  const client = await pool.connect()
  let failed: Error | undefined
  // A connection that is lost between two statements has nobody else to tell, and would end the process.
  const lost = (error: Error): void => {
    failed = error
  }
  client.on('error', lost)
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock])
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${schema}.log_migrations (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())`,
    )
    const { rows } = await client.query(
      `SELECT coalesce(max(version), 0) AS version FROM ${schema}.log_migrations`,
    )
    const version = Number(rows[0]?.version)
    if (version > migrations.length)
      throw new DecisionLogError(
        'newer-schema',
        `The tables in ${schema} are of version ${version}, and this package knows ${migrations.length}. Upgrade it.`,
        { schema, version, known: migrations.length },
      )
    for (const [at, step] of migrations.entries()) {
      if (at < version) continue
      await client.query(step(schema))
      await client.query(`INSERT INTO ${schema}.log_migrations (version) VALUES ($1)`, [at + 1])
    }
    await client.query('COMMIT')
  } catch (error) {
    failed = error instanceof Error ? error : new Error(String(error))
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    client.removeListener('error', lost)
    client.release(failed instanceof DecisionLogError ? undefined : failed)
  }
}
