import { sameKey } from '@truename/tool-registry/identity'
import type { ApprovalRequest, Grant } from './approval.ts'
import type { ApprovalStore, StoredAnswer } from './approval-store.ts'
import { bindingId, filterMeans } from './binding.ts'

/** Everything a store that holds its state as one value knows. */
export interface StoreState {
  readonly requests: readonly ApprovalRequest[]
  readonly grants: readonly Grant[]
}

/** A state after an operation, and what the operation returns. The same state object means: nothing changed. */
export interface Change<T> {
  readonly state: StoreState
  readonly result: T
}

/** How long a request is kept after its time, so that a late answer is told so, in milliseconds. */
export const keepRequests = 24 * 60 * 60 * 1000

export const emptyState: StoreState = { requests: [], grants: [] }

export const isOpen = (request: ApprovalRequest, now: number): boolean =>
  request.answer === undefined && request.expiresAt > now

export const inForce = (grant: Grant, now: number): boolean =>
  grant.expiresAt === undefined || grant.expiresAt > now

const tidy = ({ requests, grants }: StoreState, now: number): StoreState => ({
  requests: requests.filter((request) => request.expiresAt + keepRequests > now),
  grants: grants.filter((grant) => inForce(grant, now)),
})

/** The operations of a store as pure functions of its state. */
export const operations = {
  open(state: StoreState, request: ApprovalRequest, now: number): Change<ApprovalRequest> {
    const same = bindingId(request.binding)
    const open = state.requests.find((one) => isOpen(one, now) && bindingId(one.binding) === same)
    if (open) return { state, result: open }
    const kept = tidy(state, now)
    return { state: { ...kept, requests: [...kept.requests, request] }, result: request }
  },

  answer(state: StoreState, id: string, grant: Grant): Change<StoredAnswer> {
    const request = state.requests.find((one) => one.id === id)
    if (!request) return { state, result: { state: 'unknown-request' } }
    if (request.answer) return { state, result: { state: 'already-answered', request } }
    if (!isOpen(request, grant.answer.at)) return { state, result: { state: 'expired', request } }
    const answered = { ...request, answer: grant.answer }
    return {
      state: {
        requests: state.requests.map((one) => (one.id === id ? answered : one)),
        grants: [...state.grants, grant],
      },
      result: { state: 'stored', request: answered },
    }
  },

  expire(state: StoreState, id: string, now: number): Change<void> {
    const open = state.requests.find((one) => one.id === id && isOpen(one, now))
    if (!open) return { state, result: undefined }
    const requests = state.requests.map((one) => (one === open ? { ...one, expiresAt: now } : one))
    return { state: { ...state, requests }, result: undefined }
  },

  consume(state: StoreState, grantId: string, now: number): Change<boolean> {
    const grant = state.grants.find((one) => one.id === grantId)
    if (!grant || !inForce(grant, now)) return { state, result: false }
    return { state: { ...state, grants: state.grants.filter((one) => one.id !== grantId) }, result: true }
  },

  revoke(
    state: StoreState,
    filter: Parameters<ApprovalStore['revoke']>[0],
    now: number,
  ): Change<readonly Grant[]> {
    const ended = state.grants.filter((grant) => filterMeans(filter, grant) && inForce(grant, now))
    if (ended.length === 0) return { state, result: [] }
    return {
      state: { ...state, grants: state.grants.filter((grant) => !ended.includes(grant)) },
      result: ended,
    }
  },
}

/** The open requests, oldest first. */
export const pendingIn = (state: StoreState, now: number): readonly ApprovalRequest[] =>
  state.requests.filter((request) => isOpen(request, now))

/** The grants in force, of one pair or of all. */
export const grantsIn = (
  state: StoreState,
  key: Grant['binding']['key'] | undefined,
  now: number,
): readonly Grant[] =>
  state.grants.filter(
    (grant) => inForce(grant, now) && (key === undefined || sameKey(grant.binding.key, key)),
  )
