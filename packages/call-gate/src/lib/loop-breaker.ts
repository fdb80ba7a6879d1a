import { canonicalJson, digestText } from '@truename/tool-registry/identity'
import type { Call } from './call.ts'

/** When a call counts as repeated. */
export interface LoopOptions {
  /** Refusals of the very same call before it is cut short; usual: 3. */
  readonly refusals?: number | undefined
  /** How long a refusal is remembered, in milliseconds; usual: ten minutes. */
  readonly within?: number | undefined
}

/** Counts refusals of the very same call: caller, pair and arguments. */
export interface LoopBreaker {
  /** How often this call was refused lately, where that is often enough to cut it short. */
  repeated(call: Call): number | undefined
  refused(call: Call): void
  /** The call went through: what was counted is forgotten. */
  passed(call: Call): void
  reset(): void
}

/** Pairs remembered; the one refused longest ago makes room. */
const mostPairs = 1024
/** Different refused arguments remembered for one pair. */
const mostArguments = 256

const pairOf = ({ key, caller }: Call): string =>
  JSON.stringify([caller.profile, caller.id ?? null, key.kind, key.server, key.name])

/** Longer arguments are remembered by their digest. */
const longestText = 256

/** What tells arguments apart; `undefined` for what is not plain JSON, which is not counted. */
const argumentsOf = ({ args }: Call): string | undefined => {
  try {
    const text = canonicalJson(args ?? {})
    // No JSON begins like this.
    return text.length > longestText ? `#${digestText(text)}` : text
  } catch {
    return undefined
  }
}

const makeRoom = (map: Map<string, unknown>, most: number): void => {
  for (const oldest of map.keys()) {
    if (map.size < most) return
    map.delete(oldest)
  }
}

export function createLoopBreaker(clock: () => number, options: LoopOptions = {}): LoopBreaker {
  const { refusals: limit = 3, within = 10 * 60_000 } = options
  const pairs = new Map<string, Map<string, readonly number[]>>()

  const recent = (times: readonly number[]): readonly number[] =>
    times.filter((time) => time > clock() - within)

  return {
    repeated(call) {
      if (pairs.size === 0) return undefined
      const refused = pairs.get(pairOf(call))
      const said = refused && argumentsOf(call)
      const count = said === undefined ? 0 : recent(refused?.get(said) ?? []).length
      return count >= limit ? count : undefined
    },
    refused(call) {
      const said = argumentsOf(call)
      if (said === undefined) return
      const pair = pairOf(call)
      const refused = pairs.get(pair) ?? new Map<string, readonly number[]>()
      const times = [...recent(refused.get(said) ?? []), clock()].slice(-Math.max(limit, 100))
      pairs.delete(pair)
      refused.delete(said)
      makeRoom(pairs, mostPairs)
      makeRoom(refused, mostArguments)
      pairs.set(pair, refused.set(said, times))
    },
    passed(call) {
      if (pairs.size === 0) return
      const pair = pairOf(call)
      const refused = pairs.get(pair)
      const said = refused && argumentsOf(call)
      if (said === undefined) return
      refused?.delete(said)
      if (refused?.size === 0) pairs.delete(pair)
    },
    reset: () => pairs.clear(),
  }
}
