import { diffJson } from './diff-json.ts'
import type { Drift } from './drift.ts'
import { serverMessage } from './drift-message.ts'
import type { EndpointFingerprint } from './endpoint.ts'
import type { LockedServer } from './lock.ts'

/**
 * Every part of a server's endpoint that is not as it was approved (command, arguments, URL, environment names, …).
 * Any of them withdraws the approval of the server: what stands under its id may be another program.
 */
export function compareEndpoint(locked: LockedServer, now: EndpointFingerprint): Drift[] {
  if (locked.endpoint.fingerprint === now.fingerprint) return []
  const { fingerprint: before, ...was } = locked.endpoint
  const { fingerprint: after, ...is } = now
  const changes = diffJson(was, is)
  const fields = [...new Set(changes.map(({ pointer }) => pointer.split('/')[1] ?? ''))]
  return fields.map((field) => {
    const places = changes
      .filter(({ pointer }) => pointer === `/${field}` || pointer.startsWith(`/${field}/`))
      .map(({ pointer, op }) => ({ pointer, op }))
    return {
      server: locked.id,
      profile: locked.profile,
      subject: 'endpoint',
      key: undefined,
      change: 'changed',
      field,
      pointer: places[0]?.pointer ?? '',
      places,
      severity: 'high',
      reasons: [],
      before,
      after,
      authorization: field === 'authentication' ? 'changed' : 'unknown',
      message: serverMessage(locked.id, 'endpoint'),
    }
  })
}
