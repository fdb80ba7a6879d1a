import { hmac } from '@noble/hashes/hmac.js'
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'
import canonicalize from 'canonicalize'
import { fromUtf8, toHex, utf8 } from './bytes.ts'
import { DecisionLogError } from './errors.ts'
import type { Json, JsonObject } from './json.ts'
import type { Sha256 } from './merkle.ts'
import { createOutbox, emptied, type Outbox, put, putAscii, putBytes } from './outbox.ts'
import type { LogEntry } from './record.ts'
import { createRedactor, pointerTokens, redactPointer, secretKeys } from './redact.ts'
import { secretTexts } from './secret-texts.ts'
import { type Look, lookAt } from './suspicion.ts'
import { writeJson } from './write-json.ts'

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

/** Members that are kept otherwise, and those that only a log may set. */
const setApart: ReadonlySet<string> = new Set([
  'arguments',
  'result',
  'index',
  'tree',
  'hash',
  'schema',
  'id',
  'time',
])

const nothing: Look = { plain: true, marked: false }
let scratch: Outbox | undefined

/** The RFC 8785 form of a value in UTF-8; good until the next call. `undefined` for lone surrogates, which have none. */
function canonicalBytes(value: Json): Uint8Array | undefined {
  const outbox = scratch ? emptied(scratch) : createOutbox()
  // Reading a value may run code of others, and that may come here again.
  scratch = undefined
  const whole = writeJson(outbox, value, 'canonical')
  scratch = outbox
  if (whole) return outbox.bytes.subarray(0, outbox.used)
  try {
    return utf8(canonicalize(value) ?? JSON.stringify(value))
  } catch {
    return undefined
  }
}

interface Digest {
  /** What it is of, and how it was made. */
  readonly prefix: string
  readonly hex: string
}

function digestOf(value: Json, hash: Sha256, key?: Uint8Array): Digest {
  const canonical = canonicalBytes(value)
  // What has no RFC 8785 form is still told from others.
  const prefix = `${key ? 'hmac-sha256' : 'sha256'}${canonical ? '' : '-json'}:`
  const bytes = canonical ?? utf8(JSON.stringify(value))
  if (!key && hash.hex) return { prefix, hex: hash.hex(bytes) }
  return { prefix, hex: toHex(key ? hmac(nobleSha256, key, bytes) : hash(bytes)) }
}

/** The digest of a JSON value: over its RFC 8785 form, so that spelling does not matter. */
export function digestValue(value: Json, hash: Sha256, key?: Uint8Array): string {
  const { prefix, hex } = digestOf(value, hash, key)
  return prefix + hex
}

const plain = /^[\x20-\x7e]*$/
const hidden = /[\u007f-\u009f\u2028\u2029\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

// JSON leaves control sequences of eight bits, direction marks and what a terminal shows nothing for (UAX #44,
// Default_Ignorable_Code_Point) as they are. A line is read with `cat` too.
export function escapeHidden(json: string): string {
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

/** The type of an entry whose own members are what is written of it; `undefined` for any other. */
function ownType(entry: LogEntry): unknown {
  const prototype: unknown = Object.getPrototypeOf(entry)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  if (typeof (entry as { readonly toJSON?: unknown }).toJSON === 'function') return undefined
  const own = Object.getOwnPropertyDescriptor(entry, 'type')
  return own?.enumerable ? own.value : undefined
}

/** What `JSON.stringify` takes for the members of a value, each read once. */
function plainMembers(value: unknown): Partial<LogEntry> {
  const { toJSON } = value as { readonly toJSON?: unknown }
  const shown: unknown = typeof toJSON === 'function' ? toJSON.call(value, '') : value
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown))
    throw new DecisionLogError('bad-record', 'A record is a JSON object, and this is another value.')
  return Object.fromEntries(Object.entries(shown).filter(([, member]) => typeof member !== 'function'))
}

function checkType(type: unknown): void {
  if (entryTypes.some((one) => one === type)) return
  const message = `A record's type is one of ${entryTypes.join(', ')}, and this one has another.`
  throw new DecisionLogError('bad-record', message, { type })
}

/**
 * Puts an entry into an outbox as the JSON that is written: digested, redacted, bounded. The beginning of the record is
 * there from `start` on, up to a comma. It may leave a part of an entry that it throws for.
 */
export type Prepare = (start: number, entry: LogEntry, outbox: Outbox) => void

const comma = 0x2c
const beforeDigest = {
  arguments: utf8(',"arguments":{"digest":"'),
  result: utf8(',"result":{"digest":"'),
}
const behindDigest = utf8('"}}')

/** Makes the function that prepares entries. */
export function createPreparation(options: KeepOptions, hash: Sha256): Prepare {
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

  /** The JSON of a value as it is kept. What a `toJSON` gives is looked at like any other value. */
  const shownOf = (json: string, mode: KeepMode): string => {
    const rules = mode === 'clear' ? secretsAlone : redactor
    const named = mode === 'clear' ? [] : pointers
    if (named.length === 0 && !rules.suspects(json)) return json
    const value = named.reduce<Json>((rest, tokens) => redactPointer(rest, tokens), JSON.parse(json) as Json)
    return JSON.stringify(rules.value(value))
  }

  /** What is kept of a value, as JSON. */
  const keep = (value: Json, mode: KeepMode): string => {
    const kept = `{"digest":${JSON.stringify(digest(value))}`
    const json = mode === 'digest' ? undefined : (JSON.stringify(value) as string | undefined)
    if (json === undefined) return `${kept}}`
    const shown = shownOf(json, mode)
    const { length } = utf8(shown)
    return length > longestValue ? `${kept},"omittedBytes":${length}}` : `${kept},"value":${shown}}`
  }

  const bounded = (json: string, marked: boolean): string => {
    const clean = redactor.suspects(json, marked)
      ? JSON.stringify(redactor.value(JSON.parse(json) as Json))
      : json
    return escapeHidden(
      clean.length > longestText ? JSON.stringify(cutTexts(JSON.parse(clean) as Json, longestText)) : clean,
    )
  }

  const putKept = (
    outbox: Outbox,
    name: keyof typeof beforeDigest,
    value: Json | undefined,
    mode: KeepMode = 'digest',
  ): void => {
    if (value === undefined) return
    outbox.used -= 1
    if (mode === 'digest' && !options.digest) {
      putBytes(outbox, beforeDigest[name])
      const { prefix, hex } = digestOf(value, hash, options.digestKey)
      putAscii(outbox, prefix)
      putAscii(outbox, hex)
      putBytes(outbox, behindDigest)
    } else put(outbox, `,"${name}":${escapeHidden(keep(value, mode))}}`)
  }

  return (start, given, outbox) => {
    const type = ownType(given)
    // An object of a class, or with a `toJSON`, is what `JSON.stringify` takes for its members.
    const entry = type === undefined ? plainMembers(given) : given
    checkType(type ?? entry.type)
    const { arguments: args, result } = entry as { readonly arguments?: Json; readonly result?: Json }
    // The comma is written again, in the place of an opening brace.
    const middle = outbox.used - 1
    outbox.used = middle
    outbox.sighted = 0
    if (!writeJson(outbox, entry, 'given', setApart)) {
      outbox.sighted = 1
      const members = Object.entries(entry).filter(([name]) => !setApart.has(name))
      // With a type it is an object of at least one member.
      put(outbox, JSON.stringify(Object.fromEntries(members)))
    }
    const { plain, marked } = outbox.sighted ? lookAt(outbox.bytes, middle, outbox.used) : nothing
    if (!plain || marked || !redactor.goesByMarks || outbox.used - middle > longestText) {
      const text = fromUtf8(outbox.bytes.subarray(middle, outbox.used)) as string
      const clean = bounded(text, marked)
      if (clean !== text) {
        outbox.used = middle
        put(outbox, clean)
      }
    }
    outbox.bytes[middle] = comma
    putKept(outbox, 'arguments', args, options.arguments)
    putKept(outbox, 'result', result, options.results)
    const length = outbox.used - start
    if (length > longestRecord)
      throw new DecisionLogError(
        'record-too-large',
        `A record of ${length} bytes is over the limit of ${longestRecord} (maxRecordBytes).`,
        { length, limit: longestRecord, type: type ?? entry.type },
      )
  }
}
