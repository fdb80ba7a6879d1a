import { canonicalJson, digestText, keyId, sameKey } from '@truename/tool-registry/identity'
import type { Binding, Grant } from './approval.ts'
import type { GrantFilter } from './approval-store.ts'
import type { Call } from './call.ts'

/** SHA-256 of the canonical form of the arguments (RFC 8785), in lower-case hex; no arguments are `{}`. */
export const digestArguments = (args: unknown): string => digestText(canonicalJson(args ?? {}))

/** What an approval of this call is bound to. */
export function bindingOf({ key, args, pin, caller, endpoint }: Call): Binding {
  const digest = pin.state === 'approved' || pin.state === 'live' ? pin.digest : undefined
  return {
    key: { server: key.server, kind: key.kind, name: key.name },
    ...(digest === undefined ? {} : { pin: digest }),
    args: digestArguments(args),
    profile: caller.profile,
    ...(endpoint === undefined ? {} : { endpoint }),
  }
}

/** One text per binding, different for different ones. */
export const bindingId = ({ key, pin, args, profile, endpoint }: Binding): string =>
  JSON.stringify([keyId(key), pin ?? null, args, profile, endpoint ?? null])

/** Whether the grant speaks of this question. */
export function covers({ binding, answer }: Grant, asked: Binding): boolean {
  if (!sameKey(binding.key, asked.key)) return false
  if (binding.profile !== asked.profile || binding.endpoint !== asked.endpoint) return false
  if (answer.scope !== 'always' && binding.pin !== asked.pin) return false
  return answer.scope === 'always' || answer.scope === 'pair' || binding.args === asked.args
}

/** Whether a filter means this grant. */
export function filterMeans(filter: GrantFilter, { id, binding }: Grant): boolean {
  if (filter.id === undefined && filter.server === undefined && filter.key === undefined) return false
  return (
    (filter.id === undefined || filter.id === id) &&
    (filter.server === undefined || filter.server === binding.key.server) &&
    (filter.key === undefined || sameKey(filter.key, binding.key))
  )
}
