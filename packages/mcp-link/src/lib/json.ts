/** A JSON value as it came over the wire. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object. Members this project does not know are kept. */
export interface JsonObject {
  readonly [member: string]: Json | undefined
}
