import { classifyOutcome } from '@truename/call-gate'
import { type Json, type JsonObject, type Outcome, type RefusedMeta, refusedMeta } from '@truename/mcp-link'
import { type ExitCode, exitCodes } from './exit-code.ts'

/** Why a proxy refused a request, where it marks its answer so. */
export function refusalOf(outcome: Outcome): Partial<RefusedMeta> | undefined {
  const carrier = outcome.kind === 'error' ? outcome.error.data : outcome.value
  const meta = isObject(carrier) ? carrier._meta : undefined
  const refusal = isObject(meta) ? meta[refusedMeta] : undefined
  return isObject(refusal) ? (refusal as Partial<RefusedMeta>) : undefined
}

/** What a command ends with after this outcome of a call or a read. */
export function exitCodeOf(outcome: Outcome): ExitCode {
  if (refusalOf(outcome)) return exitCodes.refused
  switch (classifyOutcome(outcome)) {
    case 'success':
      return exitCodes.ok
    case 'tool-error':
      return exitCodes.toolError
    case 'refused':
      return exitCodes.refused
    default:
      return exitCodes.protocolError
  }
}

/** Whether an error says that the resource is not there: in either era's form, or as this project's servers say it. */
export function isNotFound(outcome: Outcome): boolean {
  if (outcome.kind !== 'error' || outcome.failure !== undefined) return false
  const { code, data } = outcome.error
  const reason = isObject(data) ? data.reason : undefined
  // 2026-07-28 gives absence the code of every other bad parameter; only the URI in the data tells it apart.
  return (
    code === -32002 || reason === 'not-found' || (code === -32602 && reason === undefined && hasUri(data))
  )
}

function hasUri(data: Json | undefined): boolean {
  return isObject(data) && typeof data.uri === 'string'
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
