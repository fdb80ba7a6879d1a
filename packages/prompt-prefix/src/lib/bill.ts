import { dollars, picodollars } from './money.ts'
import type { Prices } from './prices.ts'

/** What is asked of a model API, as planned: cases of several requests that share one prefix. */
export interface PlannedUsage {
  /** Tokens of the prefix: tools and system. */
  readonly prefixTokens: number
  /** Tasks, each with a conversation of its own. */
  readonly cases: number
  readonly requestsPerCase: number
  /**
   * How often the prefix is written within a case: 1 where it holds still, one more for every change (or pause longer
   * than the cache's lifetime) in its middle, `requestsPerCase` where it changes every time. 1 unless said otherwise.
   */
  readonly writesPerCase?: number | undefined
}

/** What was asked, as measured: tokens of the prefix by what became of them. */
export interface MeasuredUsage {
  readonly requests: number
  /** Tokens written to the cache. */
  readonly writtenTokens: number
  /** Tokens read from the cache. */
  readonly readTokens: number
  /** Tokens that the cache neither served nor stored. */
  readonly uncachedTokens: number
}

/** What the prefix costs, in US dollars. */
export interface Bill {
  readonly requests: number
  /** Requests that write the prefix, and that read it; undefined where only tokens are known. */
  readonly writes: number | undefined
  readonly reads: number | undefined
  /** With the cache, as used. */
  readonly total: number
  /** The same requests without any cache. */
  readonly uncached: number
  /** The same requests if each wrote the cache. */
  readonly alwaysWriting: number
  /** `uncached` less `total`; negative where caching costs more than it saves. */
  readonly saved: number
  /** `uncached` over `total`; undefined where the total is zero. */
  readonly factor: number | undefined
  /** One request with the prefix uncached, written, read; undefined where requests differ. */
  readonly perRequest:
    | { readonly uncached: number; readonly write: number; readonly read: number }
    | undefined
  /** Whether to cache: `switch-off` where writing so often costs more than not caching at all. */
  readonly advice: 'cache' | 'switch-off'
}

/** A usage that cannot be: a count that is negative or not whole, or more writes than requests. */
export class UsageError extends RangeError {
  readonly code = 'usage'
  readonly field: string
  constructor(field: string, message: string) {
    super(`${field}: ${message}`)
    this.name = 'UsageError'
    this.field = field
  }
}

/**
 * What a prefix costs, from prices given as data. Only the prefix is counted: neither what follows it nor output.
 *
 * @throws {UsageError} for counts that cannot be
 */
export function bill(usage: PlannedUsage | MeasuredUsage, prices: Prices): Bill {
  return 'prefixTokens' in usage ? planned(usage, prices) : measured(usage, prices)
}

function planned(usage: PlannedUsage, prices: Prices): Bill {
  const { prefixTokens, cases, requestsPerCase, writesPerCase = 1 } = usage
  checkCounts({ prefixTokens, cases, requestsPerCase, writesPerCase })
  if (writesPerCase > requestsPerCase) {
    throw new UsageError('writesPerCase', `${writesPerCase} writes in ${requestsPerCase} requests cannot be`)
  }
  const requests = cases * requestsPerCase
  const writes = cases * writesPerCase
  const reads = requests - writes
  const sums = total(
    {
      requests,
      writtenTokens: writes * prefixTokens,
      readTokens: reads * prefixTokens,
      uncachedTokens: 0,
    },
    prices,
  )
  const one = (price: number): number => dollars(picodollars(prefixTokens, price))
  const perRequest = {
    uncached: one(prices.input),
    write: one(prices.cacheWrite),
    read: one(prices.cacheRead),
  }
  return { ...sums, writes, reads, perRequest }
}

function measured(usage: MeasuredUsage, prices: Prices): Bill {
  const { requests, writtenTokens, readTokens, uncachedTokens } = usage
  checkCounts({ requests, writtenTokens, readTokens, uncachedTokens })
  return { ...total(usage, prices), writes: undefined, reads: undefined, perRequest: undefined }
}

function total(
  { requests, writtenTokens, readTokens, uncachedTokens }: MeasuredUsage,
  prices: Prices,
): Omit<Bill, 'writes' | 'reads' | 'perRequest'> {
  const all = writtenTokens + readTokens + uncachedTokens
  const spent =
    picodollars(writtenTokens, prices.cacheWrite) +
    picodollars(readTokens, prices.cacheRead) +
    picodollars(uncachedTokens, prices.input)
  const uncached = picodollars(all, prices.input)
  return {
    requests,
    total: dollars(spent),
    uncached: dollars(uncached),
    alwaysWriting: dollars(picodollars(all, prices.cacheWrite)),
    saved: dollars(uncached - spent),
    factor: spent === 0n ? undefined : Number(uncached) / Number(spent),
    advice: spent > uncached ? 'switch-off' : 'cache',
  }
}

function checkCounts(counts: Readonly<Record<string, number>>): void {
  for (const [field, count] of Object.entries(counts)) {
    if (!Number.isSafeInteger(count) || count < 0) throw new UsageError(field, `${count} is not a count`)
  }
}
