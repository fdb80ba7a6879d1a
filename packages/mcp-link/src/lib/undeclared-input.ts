import { clientCanAnswer } from '@truename/capability-negotiator'
import { codes, errorAnswer } from './failure.ts'
import type { JsonObject } from './json.ts'
import { isJsonObject } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { ClientFacts } from './port.ts'

/** The refusal of input requests a client did not declare: they must not be sent to it (2026-07-28, MRTR). */
export function refuseUndeclared(inputRequests: unknown, client: ClientFacts): Outcome | undefined {
  if (!isJsonObject(inputRequests)) return undefined
  for (const asked of Object.values(inputRequests)) {
    if (!isJsonObject(asked) || typeof asked.method !== 'string') continue
    const permission = clientCanAnswer(client, asked.method, isJsonObject(asked.params) ? asked.params : {})
    if (permission.allowed !== false) continue
    const needed = permission.missing?.split('.') ?? []
    const requiredCapabilities = needed.reduceRight<JsonObject>((inner, name) => ({ [name]: inner }), {})
    return errorAnswer(codes.missingClientCapability, permission.message, { requiredCapabilities })
  }
  return undefined
}
