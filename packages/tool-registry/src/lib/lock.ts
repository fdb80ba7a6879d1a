import type { EndpointFingerprint } from './endpoint.ts'
import type { JsonObject } from './json.ts'

/** One definition as it was approved. */
export interface LockedDefinition {
  /** The tool definition hash v1 of `definition`, lower-case hex. */
  readonly digest: string
  /** The whole definition, in canonical member order, with substitutions in place of what is the machine's own. */
  readonly definition: JsonObject
  /** Members of the entry that this version does not know; written back as they were. */
  readonly extra?: JsonObject | undefined
}

/** A server's instructions as they were approved. */
export interface LockedInstructions {
  /** SHA-256 of the text's UTF-8, lower-case hex. */
  readonly digest: string
  readonly text: string
}

/** How a server takes part in the catalogue. */
export interface LockModes {
  /** `locked`: served from the lock. `live`: the explicit exception for lists that legitimately vary. */
  readonly pin: 'locked' | 'live'
  /** `plain`: URIs pass as they are. `prefixed`: as `<alias>+<original>`. */
  readonly uris: 'plain' | 'prefixed'
  /** `off`: the server's resources are not offered at all. */
  readonly resources: 'on' | 'off'
}

/** Which URIs belong to a server, as recorded when it was locked. */
export interface UriSpace {
  /** URI templates, as the server announces them. */
  readonly templates: readonly string[]
  /** What every listed resource starts with: scheme and authority, or a longer path prefix. */
  readonly prefixes: readonly string[]
  /** Single URIs that no template or prefix covers. */
  readonly exact: readonly string[]
}

/**
 * Which parts of the approved definitions hold a value of the machine: for each placeholder (`cwd`, `home`,
 * `hostname`, `os`), JSON Pointers to the strings that carry `${placeholder}`, from the server's own entry
 * (`/tools/NAME/description`).
 */
export type Substitutions = Readonly<Record<string, readonly string[]>>

/** What was approved of one server under one authorization profile. */
export interface LockedServer {
  /** The server's id in the operator's configuration. */
  readonly id: string
  /** The operator's label for the authorization the surface was listed with; `default` if none. */
  readonly profile: string
  readonly endpoint: EndpointFingerprint
  /** What the server said of itself; informational, never an identity. */
  readonly serverInfo: JsonObject | null
  readonly era: 'legacy' | 'modern'
  /** The negotiated protocol version. */
  readonly version: string
  readonly capabilities: JsonObject
  /** What the client declared while the surface was listed: servers vary their tools by it. */
  readonly clientCapabilities: JsonObject
  readonly modes: LockModes
  readonly uriSpace: UriSpace
  readonly substitutions: Substitutions
  readonly instructions: LockedInstructions | null
  /** By name, sorted by UTF-16 code units. */
  readonly tools: ReadonlyMap<string, LockedDefinition>
  /** By name, sorted by UTF-16 code units. */
  readonly prompts: ReadonlyMap<string, LockedDefinition>
  /** By the template's text, sorted by UTF-16 code units. */
  readonly templates: ReadonlyMap<string, LockedDefinition>
  /** Members of the entry that this version does not know; written back as they were. */
  readonly extra: JsonObject
}

/** The catalogue: what was reviewed, and what is served. */
export interface Lock {
  readonly lockVersion: 1
  /** Sorted by id, then profile. */
  readonly servers: readonly LockedServer[]
  /** Members of the file that this version does not know; written back as they were. */
  readonly extra: JsonObject
}

/** A lock without servers. */
export const emptyLock: Lock = { lockVersion: 1, servers: [], extra: {} }

/** The entry of a server under a profile, or undefined. */
export const lockedServer = (lock: Lock, id: string, profile = 'default'): LockedServer | undefined =>
  lock.servers.find((server) => server.id === id && server.profile === profile)

/** The lock with one entry put in, in its place, instead of the one it had for the same id and profile. */
export const withServer = (lock: Lock, entry: LockedServer): Lock => ({
  ...lock,
  servers: [
    ...lock.servers.filter((server) => server.id !== entry.id || server.profile !== entry.profile),
    entry,
  ].sort((a, b) =>
    a.id < b.id ? -1 : a.id > b.id ? 1 : a.profile < b.profile ? -1 : a.profile > b.profile ? 1 : 0,
  ),
})

/** The lock without a server: without one profile of it, or, if none is named, without any. */
export const withoutServer = (lock: Lock, id: string, profile?: string): Lock => ({
  ...lock,
  servers: lock.servers.filter(
    (server) => server.id !== id || (profile !== undefined && server.profile !== profile),
  ),
})
