import { type Approvals, type ApprovalsOptions, createApprovals } from './lib/approvals.ts'
import type { PgPool } from './lib/postgres-pool.ts'
import { createPostgresStore, type PostgresStoreOptions } from './lib/postgres-store.ts'

export { ApprovalSchemaError, migrateApprovals } from './lib/postgres-migrations.ts'
export type { PgClient, PgPool } from './lib/postgres-pool.ts'
export { createPostgresStore, type PostgresStoreOptions } from './lib/postgres-store.ts'

/**
 * Approvals in PostgreSQL 12 or later, shared by all processes that use the database. The pool stays the caller's:
 * closing the approvals does not end it. While somebody waits for an answer, one of its connections listens.
 */
export const postgresApprovals = (
  pool: PgPool,
  options: ApprovalsOptions & PostgresStoreOptions = {},
): Approvals => createApprovals(createPostgresStore(pool, options), options)
