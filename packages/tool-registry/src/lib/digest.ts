import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'
import { CanonicalJsonError, canonicalJson } from './canonical-json.ts'
import { byCodeUnits, isObject, memberOf } from './json.ts'
import { hasRepeatedMember } from './json-text.ts'

/** SHA-256 over bytes. An application may pass its platform's own. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

/** Options of the digests. */
export interface DigestOptions {
  /** SHA-256 to use instead of the built-in one of `@noble/hashes`. */
  readonly sha256?: Sha256 | undefined
}

const encoder = new TextEncoder()

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** SHA-256 of a text's UTF-8, as bytes. */
export const sha256Of = (text: string, options?: DigestOptions): Uint8Array =>
  (options?.sha256 ?? nobleSha256)(encoder.encode(text))

/** SHA-256 of a text's UTF-8 (unpaired surrogates as U+FFFD, as in the WHATWG Encoding Standard), lower-case hex. */
export function digestText(text: string, options?: DigestOptions): string {
  const bytes = sha256Of(text, options)
  let hex = ''
  for (let index = 0; index < bytes.length; index += 1) hex += hexOfByte[bytes[index] as number]
  return hex
}

/**
 * The tool definition hash, version 1: SHA-256 of the UTF-8 of the definition's canonical form, 64 lower-case
 * hexadecimal digits. The definition is hashed whole and as sent.
 *
 * @throws {CanonicalJsonError} if the value has no canonical form
 */
export const digestDefinition = (definition: unknown, options?: DigestOptions): string =>
  digestText(canonicalJson(definition), options)

/** The digest of a definition, or undefined where it has no canonical form. */
export function tryDigestDefinition(definition: unknown, options?: DigestOptions): string | undefined {
  try {
    return digestDefinition(definition, options)
  } catch (error) {
    if (error instanceof CanonicalJsonError) return undefined
    throw error
  }
}

/**
 * The tool definition hash v1 from the raw text, or undefined where there is none: the text is not a JSON object,
 * or some object in it repeats a member name, so that parsers disagree about what it says.
 */
export function digestDefinitionText(json: string, options?: DigestOptions): string | undefined {
  let definition: unknown
  try {
    definition = JSON.parse(json)
  } catch {
    return undefined
  }
  if (!isObject(definition) || hasRepeatedMember(json)) return undefined
  return tryDigestDefinition(definition, options)
}

/**
 * The set hash of tool definition hash v1, over one complete listing (all pages, any order), or undefined where
 * there is none: a definition without a string `name`, or without a canonical form.
 */
export function digestSet(definitions: readonly unknown[], options?: DigestOptions): string | undefined {
  const lines: { readonly name: string; readonly digest: string }[] = []
  for (const definition of definitions) {
    const name = isObject(definition) ? memberOf(definition, 'name') : undefined
    const digest = tryDigestDefinition(definition, options)
    if (typeof name !== 'string' || digest === undefined) return undefined
    lines.push({ name, digest })
  }
  lines.sort((a, b) => byCodeUnits(a.name, b.name) || byCodeUnits(a.digest, b.digest))
  return digestText(lines.map(({ name, digest }) => `${name}:${digest}`).join('\n'), options)
}

/** The instructions hash of tool definition hash v1; `null` where a server sent none. */
export const digestInstructions = (
  instructions: string | null | undefined,
  options?: DigestOptions,
): string | null =>
  instructions === null || instructions === undefined ? null : digestText(instructions, options)
