import type { Json, JsonObject, Outcome } from '@truename/mcp-link'

/** A result. */
export const result = (value: JsonObject): Outcome => ({ kind: 'result', value })

/** A JSON-RPC error. */
export const failure = (code: number, message: string, data?: Json): Outcome => ({
  kind: 'error',
  error: data === undefined ? { code, message } : { code, message, data },
})

/** JSON-RPC 2.0 §5.1: the parameters are not what the method takes. */
export const invalidParams = (message: string, data?: Json): Outcome => failure(-32602, message, data)

/** JSON-RPC 2.0 §5.1: no such method here. */
export const methodNotFound = (method: string): Outcome =>
  failure(-32601, `this server has no method ${JSON.stringify(method)}`)

/** A tool that ran and failed: the text is for the model (2025-11-25 and later, also for bad arguments). */
export const toolError = (text: string): Outcome =>
  result({ content: [{ type: 'text', text }], isError: true })
