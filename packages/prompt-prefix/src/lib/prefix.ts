import {
  canonicalJson,
  digestText,
  type Json,
  type JsonObject,
  type Key,
  keyId,
} from '@truename/tool-registry/identity'

/** One tool as the model is shown it. */
export interface PrefixTool {
  /** The pair behind the flat name. */
  readonly key: Key
  /** The definition exactly as it goes to the model API: order and spelling count, for a cache compares bytes. */
  readonly definition: object
}

/** One part of the system text; naming its source makes a change traceable. */
export interface SystemPart {
  /** Where the text comes from: a server id for its instructions, or a name of the host's own. */
  readonly source: string
  readonly text: string
}

/** What {@link prefixOf} is made from, in the order a model API reads it: tools, then system. */
export interface PrefixInput {
  readonly tools: readonly PrefixTool[]
  /** Absent: the request has no system text. */
  readonly system?: string | readonly SystemPart[] | undefined
}

/** One tool of a prefix, by its digests. */
export interface PrefixToolDigest {
  readonly key: Key
  /** SHA-256 of the definition's text as sent. */
  readonly digest: string
  /** The tool definition hash v1: equal for definitions that differ only in spelling. */
  readonly definition: string
  /** SHA-256 of the text of each member. */
  readonly fields: Readonly<Record<string, string>>
  /** UTF-8 bytes of the definition's text. */
  readonly bytes: number
}

/** One part of the system text, by its digest. */
export interface PrefixSystemDigest {
  readonly source: string
  readonly digest: string
  readonly bytes: number
}

/** What the model sees before a conversation starts, by digests: plain data that can be stored and compared. */
export interface Prefix {
  /** SHA-256 over everything, in order: equal exactly when the bytes of every tool and every part of the system text are. */
  readonly digest: string
  readonly tools: readonly PrefixToolDigest[]
  readonly system: readonly PrefixSystemDigest[]
  /** UTF-8 bytes of the whole prefix. */
  readonly bytes: number
}

/** The same pair twice in one prefix: a model API would refuse it, and nothing could say which of the two moved. */
export class RepeatedToolError extends Error {
  readonly code = 'repeated-tool'
  readonly key: Key
  constructor(key: Key) {
    super(
      `The tool ${JSON.stringify(key.name)} of server ${JSON.stringify(key.server)} stands twice in the prefix`,
    )
    this.name = 'RepeatedToolError'
    this.key = key
  }
}

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

/**
 * The prefix of a request: tools, then system. The digest moves with every byte that a provider's cache compares,
 * the order of the tools and the order of members among them, and with the borders between the parts of the system
 * text, which are blocks of the request; not with the names of their sources.
 *
 * @throws {CanonicalJsonError} for a definition that is not JSON
 * @throws {RepeatedToolError} for the same pair twice
 */
export function prefixOf({ tools, system = [] }: PrefixInput): Prefix {
  const seen = new Set<string>()
  for (const { key } of tools) {
    if (seen.has(keyId(key))) throw new RepeatedToolError(key)
    seen.add(keyId(key))
  }
  const toolDigests = tools.map(digestTool)
  const parts = typeof system === 'string' ? [{ source: 'system', text: system }] : system
  const systemDigests = parts.map(({ source, text }) => ({
    source,
    digest: digestText(text),
    bytes: bytesOf(text),
  }))
  return {
    digest: digestText(
      JSON.stringify([
        'prefix 1',
        toolDigests.map(({ digest }) => digest),
        systemDigests.map(({ digest, bytes }) => [digest, bytes]),
      ]),
    ),
    tools: toolDigests,
    system: systemDigests,
    bytes: [...toolDigests, ...systemDigests].reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

function digestTool({ key, definition }: PrefixTool): PrefixToolDigest {
  const canonical = canonicalJson(definition)
  const text = JSON.stringify(definition)
  const fields = Object.entries(definition as JsonObject)
    .filter((entry): entry is [string, Json] => entry[1] !== undefined)
    .map(([name, value]) => [name, digestText(JSON.stringify(value))])
  return {
    key,
    digest: digestText(text),
    definition: digestText(canonical),
    fields: Object.fromEntries(fields),
    bytes: bytesOf(text),
  }
}
