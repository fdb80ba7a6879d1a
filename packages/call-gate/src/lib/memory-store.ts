import type { ApprovalStore } from './approval-store.ts'
import { type Change, emptyState, grantsIn, operations, pendingIn, type StoreState } from './store-state.ts'

/** A store that lives as long as the process. */
export function createMemoryStore(): ApprovalStore {
  let state: StoreState = emptyState
  const listeners = new Set<() => void>()
  const apply = async <T>(change: Change<T>): Promise<T> => {
    const changed = change.state !== state
    state = change.state
    if (changed) for (const listener of listeners) listener()
    return change.result
  }
  return {
    open: (request, now) => apply(operations.open(state, request, now)),
    get: async (id) => state.requests.find((request) => request.id === id),
    pending: async (now) => pendingIn(state, now),
    answer: (id, grant) => apply(operations.answer(state, id, grant)),
    expire: (id, now) => apply(operations.expire(state, id, now)),
    grants: async (key, now) => grantsIn(state, key, now),
    consume: (grantId, now) => apply(operations.consume(state, grantId, now)),
    revoke: (filter, now) => apply(operations.revoke(state, filter, now)),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: async () => listeners.clear(),
  }
}
