import { createApprovals } from './approvals.ts'
import { createMemoryStore } from './memory-store.ts'
import { describeApprovals } from './testing/approvals-contract.ts'

describeApprovals('memory', async () => {
  const store = createMemoryStore()
  return { open: async (options) => createApprovals(store, options) }
})
