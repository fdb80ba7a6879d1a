/** A JSON value as it came over the wire. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object. Members this package does not know are kept. */
export interface JsonObject {
  readonly [member: string]: Json | undefined
}

/** Whether a value is a JSON object: not null, not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own member of a value that came from a peer; `undefined` where there is none. Never an inherited one. */
export function own(value: unknown, member: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, member) ? value[member] : undefined
}

/** The strings of a list that came from a peer; `undefined` where it is not a list of strings. */
export function strings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}

/** A peer's text made safe for a message: quoted, at most `limit` characters, with what does not print escaped. */
export function quote(text: string, limit = 60): string {
  const shown = text.length > limit ? `${text.slice(0, limit)}…` : text
  return JSON.stringify(shown).replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
