export type { Client, Pool, PooledClient } from './lib/postgres/database.ts'
export { migrate } from './lib/postgres/database.ts'
export {
  type PostgresStore,
  type PostgresStoreOptions,
  postgresStore,
} from './lib/postgres/postgres-store.ts'
