import { hmac } from '@noble/hashes/hmac.js'
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'
import canonicalize from 'canonicalize'
import { toHex, utf8 } from './bytes.ts'
import { DecisionLogError } from './errors.ts'
import type { Json, JsonObject } from './json.ts'
import type { Sha256 } from './merkle.ts'
import type { Kept, LogEntry } from './record.ts'
import { createRedactor, pointerTokens, redactPointer, secretKeys, secretTexts } from './redact.ts'

/** `digest`: no value at all; `redacted`: with secrets taken out; `clear`: as it is, but for `KeepOptions.secrets`. */
export type KeepMode = 'digest' | 'redacted' | 'clear'

/** What is kept of the values of a call, and what is never written. */
export interface KeepOptions {
  /** Default `digest`. */
  readonly arguments?: KeepMode | undefined
  /** Default `digest`. */
  readonly results?: KeepMode | undefined
  /** RFC 6901 pointers to what is taken out of arguments and results. */
  readonly pointers?: readonly string[] | undefined
  /** Names of members whose values are taken out, in place of the default `secretKeys`. */
  readonly keys?: readonly RegExp[] | undefined
  /** Texts that are taken out wherever they stand, in place of the default `secretTexts`. */
  readonly texts?: readonly RegExp[] | undefined
  /** Values known to be secret: those a configuration was filled in with. Taken out everywhere. */
  readonly secrets?: readonly string[] | undefined
  /** Makes digests that nobody can guess a short value from without this key (HMAC-SHA-256). */
  readonly digestKey?: Uint8Array | undefined
  /** Another digest, such as the one approvals are bound to; its prefix says which it is. */
  readonly digest?: ((value: Json) => string) | undefined
  /** Values whose JSON is longer are left out, and their length is kept. Default 64 KiB. */
  readonly maxValueBytes?: number | undefined
  /** Texts outside of values are cut behind so many characters, and say so. Default 16,384. */
  readonly maxTextLength?: number | undefined
  /** A record that is longer is an error. Default 1 MiB. */
  readonly maxRecordBytes?: number | undefined
}

const entryTypes: readonly LogEntry['type'][] = [
  'decision',
  'outcome',
  'denial',
  'drift',
  'read',
  'approval',
  'event',
]

/** An entry with members that only a log may set, which are dropped. */
type Loose = LogEntry & {
  readonly arguments?: Json
  readonly result?: Json
  readonly index?: unknown
  readonly tree?: unknown
  readonly hash?: unknown
  readonly schema?: unknown
  readonly id?: unknown
  readonly time?: unknown
}

/** The digest of a JSON value: over its RFC 8785 form, so that spelling does not matter. */
export function digestValue(value: Json, hash: Sha256, key?: Uint8Array): string {
  let text: string | undefined
  let prefix = key ? 'hmac-sha256' : 'sha256'
  try {
    text = canonicalize(value)
  } catch {
    // Lone surrogates have no RFC 8785 form; such a value is still told from others.
    prefix += '-json'
  }
  const bytes = utf8(text ?? JSON.stringify(value))
  return `${prefix}:${toHex(key ? hmac(nobleSha256, key, bytes) : hash(bytes))}`
}

const plain = /^[\x20-\x7e]*$/
const hidden = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu

// JSON leaves control sequences of eight bits, direction marks and invisible characters as they are. A line is read
// with `cat` too.
function escapeHidden(json: string): string {
  if (plain.test(json)) return json
  const units = (text: string): string[] =>
    Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16))
  return json.replaceAll(hidden, (found) =>
    units(found)
      .map((unit) => `\\u${unit.padStart(4, '0')}`)
      .join(''),
  )
}

function cutTexts(value: Json, longest: number): Json {
  if (typeof value === 'string') {
    if (value.length <= longest) return value
    return `${value.slice(0, longest)}… [${value.length - longest} more characters]`
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => cutTexts(item, longest))
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, member]) => [
      name,
      member === undefined ? undefined : cutTexts(member, longest),
    ]),
  )
}

/**
 * Makes the function that turns an entry into the JSON that is written: digested, redacted, bounded. Its `head` is
 * the beginning of the record up to a comma.
 */
export function createPreparation(
  options: KeepOptions,
  hash: Sha256,
): (head: string, entry: LogEntry) => string {
  const longestValue = options.maxValueBytes ?? 64 * 1024
  const longestText = options.maxTextLength ?? 16_384
  const longestRecord = options.maxRecordBytes ?? 1024 * 1024
  const pointers = (options.pointers ?? []).map((pointer) => {
    const tokens = pointerTokens(pointer)
    if (!tokens)
      throw new DecisionLogError('bad-option', `Not a JSON Pointer: ${JSON.stringify(pointer)}.`, { pointer })
    return tokens
  })
  const redactor = createRedactor({
    keys: options.keys ?? [secretKeys],
    texts: options.texts ?? secretTexts,
    secrets: options.secrets ?? [],
  })
  const secretsAlone = createRedactor({ keys: [], texts: [], secrets: options.secrets ?? [] })
  const digest = options.digest ?? ((value: Json) => digestValue(value, hash, options.digestKey))

  const keep = (value: Json, mode: KeepMode): Kept => {
    const kept = { digest: digest(value) }
    if (mode === 'digest') return kept
    const shown =
      mode === 'clear'
        ? secretsAlone.value(value)
        : redactor.value(pointers.reduce((rest, tokens) => redactPointer(rest, tokens), value))
    const length = utf8(JSON.stringify(shown)).length
    return length > longestValue ? { ...kept, omittedBytes: length } : { ...kept, value: shown }
  }

  return (head, entry) => {
    if (!entryTypes.includes(entry.type))
      throw new DecisionLogError(
        'bad-record',
        `A record's type is one of ${entryTypes.join(', ')}, not ${JSON.stringify(entry.type)}.`,
        { type: entry.type },
      )
    const { arguments: given, result, index, tree, hash: stated, schema, id, time, ...rest } = entry as Loose
    let text = JSON.stringify(rest)
    if (redactor.suspects(text)) text = JSON.stringify(redactor.value(JSON.parse(text) as Json))
    if (text.length > longestText) text = JSON.stringify(cutTexts(JSON.parse(text) as Json, longestText))
    const parts = [head, text.slice(1, -1)]
    if (given !== undefined)
      parts.push(',"arguments":', JSON.stringify(keep(given, options.arguments ?? 'digest')))
    if (result !== undefined)
      parts.push(',"result":', JSON.stringify(keep(result, options.results ?? 'digest')))
    parts.push('}')
    const record = escapeHidden(parts.join(''))
    if (record.length > longestRecord)
      throw new DecisionLogError(
        'record-too-large',
        `A record of ${record.length} characters is over the limit of ${longestRecord} (maxRecordBytes).`,
        { length: record.length, limit: longestRecord, type: entry.type },
      )
    return record
  }
}
