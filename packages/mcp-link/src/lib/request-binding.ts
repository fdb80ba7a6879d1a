import { createHash } from 'node:crypto'
import type { JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import type { ClientFacts } from './port.ts'

/** What a state is good for: this method, this subject, these arguments, this client. */
export function bindingOf(method: string, params: JsonObject, client: ClientFacts): string {
  const { _meta: _, ...subject } = params
  const digest = createHash('sha256').update(canonical(subject)).digest('base64url')
  return [method, digest, client.profile].join('\n')
}

/** JSON with sorted members, so that a client that writes them in another order is not refused. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
