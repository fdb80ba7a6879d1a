import { describeWith, postgres } from '@truename/tooling-vitest/needs'
import { afterAll, beforeAll } from 'vitest'
import { type PostgresServer, startPostgres } from '../testing/postgres-server.ts'
import { storeContract } from '../testing/store-contract.ts'
import { postgresStore } from './postgres-store.ts'

describeWith(postgres, 'a PostgreSQL server', (programs) => {
  let server: PostgresServer
  let schemas = 0
  beforeAll(async () => {
    server = await startPostgres(programs)
  })
  afterAll(() => server.stop())

  storeContract('PostgreSQL', async () => {
    schemas += 1
    // Each view has a pool of its own, as another process would.
    const open = () => postgresStore(server.connect(), { schema: `log_${schemas}` })
    return { store: open(), again: open }
  })
})
