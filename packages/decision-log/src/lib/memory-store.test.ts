import { memoryStore } from './memory-store.ts'
import { storeContract } from './testing/store-contract.ts'

storeContract('memory', async () => {
  const store = memoryStore()
  return { store, again: () => store }
})
