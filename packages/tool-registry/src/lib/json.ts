/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object. Members this package does not know are kept. */
export interface JsonObject {
  readonly [member: string]: Json | undefined
}

/** Whether a value is a JSON object (neither an array nor null). */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An own member, never one that the prototype lends. */
export const memberOf = (object: object, member: string): Json | undefined =>
  Object.hasOwn(object, member) ? (object as JsonObject)[member] : undefined

/** Orders strings by UTF-16 code units, as RFC 8785 section 3.2.3 does; never by locale. */
export const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
