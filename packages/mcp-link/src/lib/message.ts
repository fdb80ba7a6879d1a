import type { Json, JsonObject } from './json.ts'
import type { WireError } from './outcome.ts'

/** A JSON-RPC id as MCP allows it: a string, or an integer that a double holds exactly. */
export type RequestId = string | number

/** A JSON-RPC 2.0 message as it goes out. */
export type WireMessage =
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly method: string; readonly params?: JsonObject }
  | { readonly jsonrpc: '2.0'; readonly method: string; readonly params?: JsonObject }
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: JsonObject }
  /** Without an id where the request could not be read (schema 2025-11-25, `JSONRPCErrorResponse`). */
  | { readonly jsonrpc: '2.0'; readonly id?: RequestId; readonly error: WireError }

/** What one received JSON value turned out to be. */
export type Reading =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'result'; readonly id: RequestId; readonly value: JsonObject }
  /** `id` is missing where the sender could not tell which request it answers. */
  | { readonly kind: 'error'; readonly id: RequestId | undefined; readonly error: WireError }
  /** An answer to a known request that is neither a legal result nor a legal error. */
  | { readonly kind: 'bad-answer'; readonly id: RequestId; readonly why: string }
  /** A request that cannot be dispatched; `id` is there where it can be answered. */
  | { readonly kind: 'bad-request'; readonly id: RequestId | undefined; readonly why: string }
  /** Not a JSON-RPC 2.0 message. */
  | { readonly kind: 'noise'; readonly why: string }

/** Whether a value is a JSON object (not an array, not null). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value can be an id: a string or a safe integer. Larger integers were already rounded by parsing. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value))
}

const own = (object: JsonObject, member: string): Json | undefined =>
  Object.hasOwn(object, member) ? object[member] : undefined

function readError(value: Json | undefined): WireError | undefined {
  if (!isJsonObject(value) || typeof value.code !== 'number' || !Number.isFinite(value.code)) return undefined
  const message = typeof value.message === 'string' ? value.message : ''
  return { ...value, code: value.code, message }
}

/**
 * Says what a received JSON value is. Total: any value has a reading, nothing is thrown and nothing is dropped
 * (JSON-RPC 2.0 sections 4 and 5; unknown members are left alone).
 */
export function readMessage(value: unknown): Reading {
  if (!isJsonObject(value)) return { kind: 'noise', why: 'not a JSON object' }
  const id = own(value, 'id')
  const method = own(value, 'method')
  if (method !== undefined) {
    const params = own(value, 'params')
    if (typeof method !== 'string') return { kind: 'noise', why: 'the method is not a string' }
    if (own(value, 'jsonrpc') !== '2.0') return { kind: 'noise', why: 'no "jsonrpc": "2.0"' }
    const isRequest = Object.hasOwn(value, 'id')
    if (isRequest && !isRequestId(id)) {
      return { kind: 'bad-request', id: undefined, why: 'the id is neither a string nor a safe integer' }
    }
    if (params !== undefined && !isJsonObject(params)) {
      const why = 'params is not an object'
      return isRequest ? { kind: 'bad-request', id: id as RequestId, why } : { kind: 'noise', why }
    }
    return isRequest
      ? { kind: 'request', id: id as RequestId, method, params: params ?? {} }
      : { kind: 'notification', method, params: params ?? {} }
  }
  if (own(value, 'jsonrpc') !== '2.0') return { kind: 'noise', why: 'no "jsonrpc": "2.0"' }
  const result = own(value, 'result')
  const failed = own(value, 'error')
  if (failed !== undefined && result === undefined) {
    const error = readError(failed)
    if (isRequestId(id))
      return error
        ? { kind: 'error', id, error }
        : { kind: 'bad-answer', id, why: 'the error has no numeric code' }
    if ((id === null || id === undefined) && error) return { kind: 'error', id: undefined, error }
    return { kind: 'noise', why: 'an error without a usable id' }
  }
  if (!isRequestId(id)) return { kind: 'noise', why: 'neither a method nor a usable id' }
  if (isJsonObject(result) && failed === undefined) return { kind: 'result', id, value: result }
  return {
    kind: 'bad-answer',
    id,
    why: failed === undefined ? 'the result is not an object' : 'both result and error',
  }
}
