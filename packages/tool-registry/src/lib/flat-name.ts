import { digestText } from './digest.ts'
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
export function flatName(key: Pick<Key, 'server' | 'name'>, options?: FlatNameOptions): string {
  const profile = resolveProfile(options?.profile)
  const limit = options?.limit ?? profile.limit
  if (!Number.isInteger(limit) || limit < leastLimit) throw new NameLimitError(limit)
  const { server, name } = key
  const plain = `${server}${separator}${name}`
  if (plain.length <= limit && isUnambiguous(server, name) && profile.pattern.test(plain)) return plain
  return shortened(server, name, limit)
}

const resolveProfile = (profile: NameProfileId | NameProfile = 'strict'): NameProfile =>
  typeof profile === 'string' ? nameProfiles[profile] : profile

/** Split at its first `__`, such a name gives back the pair: no other pair has the same concatenation. */
const isUnambiguous = (server: string, name: string): boolean =>
  server !== '' && name !== '' && !server.includes(separator) && !server.endsWith('_')

function shortened(server: string, name: string, limit: number): string {
  const room = limit - digestLength - 1
  const stems = [stem(server), stem(name)]
  // The server may take up to a third; what one of the two does not need goes to the other.
  const forServer = Math.min(stems[0]!.length, Math.max(Math.floor(room / 3), room - 1 - stems[1]!.length))
  const readable = [stems[0]!.slice(0, forServer), stems[1]!.slice(0, room - 1 - forServer)]
    .map((part) => part.replaceAll(/^_+|_+$/g, ''))
    .filter((part) => part !== '')
    .join('_')
  const start = /^[A-Za-z]/.test(readable) ? readable : `x${readable === '' ? '' : '_'}${readable}`
  return `${start.slice(0, room).replace(/_+$/, '')}_${digest80(server, name)}`
}

/** The readable part of an id: runs of anything but ASCII letters, digits and hyphens become one underscore. */
const stem = (id: string): string => id.replaceAll(/[^A-Za-z0-9-]+/g, '_')

/** 80 bits of SHA-256 over both ids; as a JSON array, so that no text moves from one to the other unseen. */
function digest80(server: string, name: string): string {
  const hex = digestText(`truename flat name 1\n${JSON.stringify([server, name])}`)
  let text = ''
  for (let at = 0; at < digestLength; at += 4) {
    let bits = Number.parseInt(hex.slice(at * 1.25, at * 1.25 + 5), 16)
    let part = ''
    for (let digit = 0; digit < 4; digit += 1) {
      part = base32[bits & 31] + part
      bits >>= 5
    }
    text += part
  }
  return text
}
