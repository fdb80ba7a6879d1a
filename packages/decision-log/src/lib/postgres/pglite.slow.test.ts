import { afterAll, beforeAll } from 'vitest'
import { startPglite } from '../testing/pglite.ts'
import { storeContract } from '../testing/store-contract.ts'
import { postgresStore } from './postgres-store.ts'

let database: Awaited<ReturnType<typeof startPglite>>
let schemas = 0
beforeAll(async () => {
  database = await startPglite()
})
afterAll(() => database.stop())

storeContract('PostgreSQL (PGlite)', async () => {
  schemas += 1
  const open = () => postgresStore(database.pool, { schema: `log_${schemas}` })
  return { store: open(), again: open }
})
