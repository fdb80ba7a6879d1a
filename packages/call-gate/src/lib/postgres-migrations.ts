import { inTransaction, type PgPool } from './postgres-pool.ts'

/** The database was made by a newer version of this package. */
export class ApprovalSchemaError extends Error {
  readonly code = 'newer-approval-schema'

  constructor(found: number, known: number) {
    super(
      `the approvals in this database have schema version ${found}; this version of the package knows up to ${known}`,
    )
    this.name = 'ApprovalSchemaError'
  }
}

/** Each is run once, in order, and never changed afterwards. JSON stands in text columns: jsonb cannot hold U+0000. */
const migrations: readonly string[] = [
  `CREATE TABLE truename_approval_request (
     place      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id         text NOT NULL UNIQUE,
     binding    text NOT NULL,
     body       text NOT NULL,
     expires_at bigint NOT NULL,
     answer     text
   );
   CREATE INDEX truename_approval_request_open ON truename_approval_request (binding) WHERE answer IS NULL;
   CREATE TABLE truename_approval_grant (
     place      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id         text NOT NULL UNIQUE,
     server     text NOT NULL,
     pair       text NOT NULL,
     body       text NOT NULL,
     expires_at bigint
   );
   CREATE INDEX truename_approval_grant_pair ON truename_approval_grant (pair);`,
]

/** An arbitrary number by which migrations of this package exclude each other. */
const migrationLock = 7_311_826_440

/**
 * Brings the tables of the approvals up to date; does nothing where they are. Safe to run by several processes at once.
 *
 * @throws {ApprovalSchemaError} where a newer version made them
 */
export async function migrateApprovals(pool: PgPool): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock])
    await client.query('CREATE TABLE IF NOT EXISTS truename_approval_schema (version integer NOT NULL)')
    const { rows } = await client.query(
      'SELECT coalesce(max(version), 0) AS version FROM truename_approval_schema',
    )
    const { version } = rows[0] as { readonly version: number }
    if (version > migrations.length) throw new ApprovalSchemaError(version, migrations.length)
    for (const [index, migration] of migrations.entries()) {
      if (index < version) continue
      await client.query(migration)
      await client.query('INSERT INTO truename_approval_schema (version) VALUES ($1)', [index + 1])
    }
  })
}
