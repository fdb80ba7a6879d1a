import { comparePrefix } from './compare-prefix.ts'
import type { Prefix } from './prefix.ts'
import type { Prices } from './prices.ts'
import { type InputUsage, readUsage } from './usage.ts'

/** One answered request, oldest first. */
export interface MeasuredResponse {
  /** The provider's response, or its usage already read. A response without figures is counted, not guessed at. */
  readonly response: unknown
  /** What the model was shown; without it, only the share is measured. */
  readonly prefix?: Prefix | undefined
  /** When the request was sent, in milliseconds since the epoch. */
  readonly sentAt?: number | undefined
  /** When its answer began, in milliseconds since the epoch: from then on its prefix can be read. */
  readonly answeredAt?: number | undefined
  readonly model?: string | undefined
}

/** Why a repeated prefix never hits, the first that applies. */
export type SuspectCode =
  | 'prefix-moves'
  | 'model-changes'
  | 'prefix-too-short'
  | 'not-marked'
  | 'expired'
  | 'sent-at-once'
  | 'written-every-time'
  | 'unknown'

/** The first suspect, with what supports it. */
export interface Suspect {
  readonly code: SuspectCode
  readonly message: string
}

/** How many requests read the cache, and why not where none does. */
export interface HitShare {
  /** Requests with figures. */
  readonly requests: number
  /** Requests without figures; they are in no other count. */
  readonly unread: number
  /** Requests that read at least one token from the cache. */
  readonly hits: number
  /** `hits` over `requests`; undefined without requests. The share of requests, not of tokens. */
  readonly share: number | undefined
  readonly tokens: { readonly input: number; readonly read: number; readonly written: number }
  /** Requests whose prefix, or the like, an earlier request already had; without prefixes, all but the first. */
  readonly repeats: number
  /** Named where prefixes repeat and nothing hits, or where the prefix moves from request to request. */
  readonly suspect: Suspect | undefined
}

interface Read extends MeasuredResponse {
  readonly usage: InputUsage
}

/**
 * The share of requests that hit the cache, from the providers' own figures. Where a prefix was sent again and
 * nothing hit, the first suspect is named.
 */
export function hitShare(
  responses: readonly MeasuredResponse[],
  prices?: Pick<Prices, 'lifetimeSeconds' | 'minimumTokens'>,
): HitShare {
  const read: Read[] = responses.flatMap((one) => {
    const usage = isUsage(one.response) ? one.response : readUsage(one.response)
    return usage ? [{ ...one, usage }] : []
  })
  const hits = read.filter(({ usage }) => usage.read > 0).length
  const sum = (of: (usage: InputUsage) => number): number =>
    read.reduce((all, { usage }) => all + of(usage), 0)
  const repeats = countRepeats(read)
  return {
    requests: read.length,
    unread: responses.length - read.length,
    hits,
    share: read.length === 0 ? undefined : hits / read.length,
    tokens: {
      input: sum(({ input }) => input),
      read: sum((usage) => usage.read),
      written: sum(({ written }) => written ?? 0),
    },
    repeats,
    suspect: hits === 0 && read.length > 1 ? suspectOf(read, repeats, prices) : undefined,
  }
}

const isUsage = (value: unknown): value is InputUsage =>
  typeof value === 'object' && value !== null && 'provider' in value && 'read' in value && 'input' in value

function countRepeats(read: readonly Read[]): number {
  const seen = new Set<string>()
  let repeats = 0
  for (const [index, { prefix }] of read.entries()) {
    const digest = prefix?.digest ?? ''
    if (prefix ? seen.has(digest) : index > 0) repeats += 1
    seen.add(digest)
  }
  return repeats
}

type Pair = readonly [before: Read, after: Read]

function suspectOf(
  read: readonly Read[],
  repeats: number,
  prices: Pick<Prices, 'lifetimeSeconds' | 'minimumTokens'> | undefined,
): Suspect {
  const pairs = read.slice(1).map((after, index): Pair => [read[index] as Read, after])
  return (
    (repeats === 0 ? prefixMoves(pairs) : undefined) ??
    modelChanges(pairs) ??
    tooShort(read, prices?.minimumTokens) ??
    notMarked(read) ??
    expired(pairs, prices?.lifetimeSeconds) ??
    sentAtOnce(pairs) ??
    writtenEveryTime(read) ?? {
      code: 'unknown',
      message: 'the same prefix was sent again and nothing was read from a cache',
    }
  )
}

function prefixMoves(pairs: readonly Pair[]): Suspect | undefined {
  for (const [before, after] of pairs) {
    if (!before.prefix || !after.prefix) continue
    const [first] = comparePrefix(before.prefix, after.prefix)
    if (!first) continue
    const where = first.key
      ? `${JSON.stringify(first.key.name)} of server ${JSON.stringify(first.key.server)}`
      : `the system text (${first.source})`
    const field = first.field && first.key ? `, ${first.field}` : ''
    return {
      code: 'prefix-moves',
      message: `the prefix moves from request to request: first ${where}${field} (${first.change})`,
    }
  }
  return undefined
}

function modelChanges(pairs: readonly Pair[]): Suspect | undefined {
  const changed =
    pairs.length > 0 &&
    pairs.every(([a, b]) => a.model !== undefined && b.model !== undefined && a.model !== b.model)
  return changed
    ? {
        code: 'model-changes',
        message: 'each request goes to another model than the one before: caches are per model',
      }
    : undefined
}

function tooShort(read: readonly Read[], minimumTokens: number | undefined): Suspect | undefined {
  const longest = Math.max(...read.map(({ usage }) => usage.input))
  if (minimumTokens === undefined || longest >= minimumTokens) return undefined
  const message = `no request has more than ${longest} input tokens; prefixes under ${minimumTokens} are not cached`
  return { code: 'prefix-too-short', message }
}

function notMarked(read: readonly Read[]): Suspect | undefined {
  const anthropic = read.filter(({ usage }) => usage.provider === 'anthropic')
  if (anthropic.length === 0 || anthropic.some(({ usage }) => (usage.written ?? 0) > 0)) return undefined
  const message =
    'nothing is ever written to the cache: the request marks no cache_control breakpoint, or the prefix is shorter than the model caches'
  return { code: 'not-marked', message }
}

function expired(pairs: readonly Pair[], lifetimeSeconds: number | undefined): Suspect | undefined {
  if (lifetimeSeconds === undefined) return undefined
  const gaps = pairs.map(([a, b]) => (b.sentAt ?? Number.NaN) - (a.answeredAt ?? a.sentAt ?? Number.NaN))
  const known = gaps.filter((gap) => !Number.isNaN(gap))
  if (known.length === 0 || known.some((gap) => gap <= lifetimeSeconds * 1000)) return undefined
  const message = `at least ${Math.round(Math.min(...known) / 1000)} s pass between requests; a written prefix lives ${lifetimeSeconds} s`
  return { code: 'expired', message }
}

function sentAtOnce(pairs: readonly Pair[]): Suspect | undefined {
  const known = pairs.filter(([a, b]) => a.answeredAt !== undefined && b.sentAt !== undefined)
  const allAtOnce = known.length > 0 && known.every(([a, b]) => (b.sentAt ?? 0) < (a.answeredAt ?? 0))
  return allAtOnce
    ? {
        code: 'sent-at-once',
        message: 'each request is sent before the one before is answered: nothing is in the cache yet',
      }
    : undefined
}

function writtenEveryTime(read: readonly Read[]): Suspect | undefined {
  if (!read.every(({ usage }) => (usage.written ?? 0) > 0)) return undefined
  const message =
    'every request writes the cache and none reads it: something before the breakpoint differs that the digest of the prefix does not cover (a date in the system text, the tool choice, the order of members)'
  return { code: 'written-every-time', message }
}
