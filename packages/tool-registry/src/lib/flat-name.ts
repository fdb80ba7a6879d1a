import { sha256Of } from './digest.ts'
import type { Key } from './key.ts'
import { type NameProfile, type NameProfileId, nameProfiles } from './name-profile.ts'

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
/** 16 characters of 5 bits each: 80 bits of the digest. */
const digestLength = 16
const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

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
  const servers = new Map<string, ServerPart>()
  return ({ server, name }) => {
    let part = servers.get(server)
    if (part === undefined) {
      part = { isUnambiguous: isUnambiguous(server), stem: stem(server) }
      servers.set(server, part)
    }
    const plain = `${server}${separator}${name}`
    const isPlain = part.isUnambiguous && name !== '' && plain.length <= limit && pattern.test(plain)
    return isPlain
      ? plain
      : shortened(part.stem, stem(name), limit - digestLength - 1) + digest80(server, name)
  }
}

/** What a name takes from its server's id. */
interface ServerPart {
  readonly isUnambiguous: boolean
  readonly stem: string
}

const resolveProfile = (profile: NameProfileId | NameProfile = 'strict'): NameProfile =>
  typeof profile === 'string' ? nameProfiles[profile] : profile

/** Split at its first `__`, a name with such a server gives back the pair: no other pair has the same concatenation. */
const isUnambiguous = (server: string): boolean =>
  server !== '' && !server.includes(separator) && !server.endsWith('_')

/** The readable part of an id: runs of anything but ASCII letters, digits and hyphens become one underscore. */
const stem = (id: string): string => (/[^A-Za-z0-9-]/.test(id) ? id.replaceAll(/[^A-Za-z0-9-]+/g, '_') : id)

/** What can be read of a pair in so many characters, and the underscore before its digest. */
function shortened(server: string, name: string, room: number): string {
  // The server may take up to a third; what one of the two does not need goes to the other.
  const forServer = Math.min(server.length, Math.max(Math.floor(room / 3), room - 1 - name.length))
  const first = trimmed(server.slice(0, forServer))
  const second = trimmed(name.slice(0, room - 1 - forServer))
  const readable = first === '' || second === '' ? first + second : `${first}_${second}`
  const start = /^[A-Za-z]/.test(readable) ? readable : readable === '' ? 'x' : `x_${readable}`
  return `${start.slice(0, room).replace(/_+$/, '')}_`
}

const trimmed = (part: string): string =>
  part.startsWith('_') || part.endsWith('_') ? part.replaceAll(/^_+|_+$/g, '') : part

/** 80 bits of SHA-256 over both ids; as a JSON array, so that no text moves from one to the other unseen. */
function digest80(server: string, name: string): string {
  const bytes = sha256Of(`truename flat name 1\n${JSON.stringify([server, name])}`)
  let text = ''
  for (let at = 0, bits = 0, held = 0; text.length < digestLength; ) {
    if (held < 5) {
      bits = ((bits << 8) | (bytes[at++] as number)) & 0xfff
      held += 8
    }
    held -= 5
    text += base32[(bits >> held) & 31]
  }
  return text
}
