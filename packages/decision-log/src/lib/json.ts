/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object. Members this package does not know are kept. */
export interface JsonObject {
  readonly [member: string]: Json | undefined
}
