import type { Key } from './key.ts'
import { type NameProfile, type NameProfileId, nameProfiles } from './name-profile.ts'
import { createPairDigest, pairDigestLength } from './pair-digest.ts'

/** Options of {@link flatName}. The same options must be used for all names that stand side by side. */
export interface FlatNameOptions {
  /** Whose rules a name must satisfy; `strict`, what every known model API accepts, unless said otherwise. */
  readonly profile?: NameProfileId | NameProfile | undefined
  /** The most characters; the profile's own limit unless said otherwise. At least 24. */
  readonly limit?: number | undefined
}

/** A limit too small to hold a digest, or no number. */
export class NameLimitError extends RangeError {
  readonly code = 'name-limit'
  readonly limit: number
  constructor(limit: number) {
    super(
      `A limit of ${limit} characters cannot hold a distinct name: use a whole number of at least ${leastLimit}`,
    )
    this.name = 'NameLimitError'
    this.limit = limit
  }
}

const separator = '__'
const leastLimit = 24

/**
 * The model-facing name of a key. It depends on the key's server id and name and on the options alone, so it never
 * changes when siblings come or go; names of different pairs differ (up to 80 bits of SHA-256).
 *
 * It is `server__name` where that is legal, within the limit, and can be read in one way only: the server id has no
 * `__` and no `_` at its end. Otherwise it is `server_name_<digest>`, shortened, with characters that are not allowed
 * replaced; that form never contains `__`, so the two never meet. Prompts and resources are named the same way, each
 * kind in a name space of its own.
 *
 * @throws {NameLimitError} for a limit below 24
 */
export const flatName = (key: Pick<Key, 'server' | 'name'>, options?: FlatNameOptions): string =>
  createNamer(options)(key)

/** {@link flatName} for many keys under the same options. */
export function createNamer(options?: FlatNameOptions): (key: Pick<Key, 'server' | 'name'>) => string {
  const { pattern, limit: profileLimit } = resolveProfile(options?.profile)
  const limit = options?.limit ?? profileLimit
  if (!Number.isInteger(limit) || limit < leastLimit) throw new NameLimitError(limit)
  // A name is legal under these only if every beginning of it is.
  const byBeginnings = Object.values(nameProfiles).some((profile) => profile.pattern === pattern)
  const servers = new Map<string, ServerPart>()
  return ({ server, name }) => {
    let part = servers.get(server)
    if (part === undefined) {
      const isPlain = isUnambiguous(server) && (!byBeginnings || pattern.test(server))
      part = { isPlain, stem: stem(server), digest: undefined }
      servers.set(server, part)
    }
    const fits = server.length + separator.length + name.length <= limit
    if (part.isPlain && fits && name !== '') {
      const plain = `${server}${separator}${name}`
      if (pattern.test(plain)) return plain
    }
    part.digest ??= createPairDigest(server)
    return shortened(part.stem, stem(name), limit - pairDigestLength - 1) + part.digest(name)
  }
}

/** What a name takes from its server's id. */
interface ServerPart {
  /** Whether `server__name` can be legal, and be read in one way only. */
  readonly isPlain: boolean
  readonly stem: string
  /** Made when it is needed. */
  digest: ((name: string) => string) | undefined
}

const resolveProfile = (profile: NameProfileId | NameProfile = 'strict'): NameProfile =>
  typeof profile === 'string' ? nameProfiles[profile] : profile

/** Split at its first `__`, a name with such a server gives back the pair: no other pair has the same concatenation. */
const isUnambiguous = (server: string): boolean =>
  server !== '' && !server.includes(separator) && !server.endsWith('_')

/** The readable part of an id: runs of anything but ASCII letters, digits and hyphens become one underscore. */
const stem = (id: string): string =>
  /[^A-Za-z0-9_-]|__/.test(id) ? id.replaceAll(/[^A-Za-z0-9-]+/g, '_') : id

/** What can be read of a pair in so many characters, and the underscore before its digest. */
function shortened(server: string, name: string, room: number): string {
  // The server may take up to a third; what one of the two does not need goes to the other.
  const forServer = Math.min(server.length, Math.max(Math.floor(room / 3), room - 1 - name.length))
  const first = trimmed(server.slice(0, forServer))
  const second = trimmed(name.slice(0, room - 1 - forServer))
  const readable = first === '' || second === '' ? first + second : `${first}_${second}`
  const start = startsWithLetter(readable) ? readable : readable === '' ? 'x' : `x_${readable}`
  return `${withoutEnd(start.slice(0, room))}_`
}

const underscore = 0x5f

function startsWithLetter(text: string): boolean {
  const letter = text.charCodeAt(0) | 0x20
  return letter >= 0x61 && letter <= 0x7a
}

/** Without the underscores at its end. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === underscore) end -= 1
  return text.slice(0, end)
}

/** Without the underscores at both ends. */
function trimmed(text: string): string {
  let start = 0
  while (text.charCodeAt(start) === underscore) start += 1
  return withoutEnd(text.slice(start))
}
