/** Prices of one model, in US dollars per million input tokens, as published on a day. */
export interface Prices {
  /** Input that no cache serves or stores. */
  readonly input: number
  /** Input that is written to the cache. */
  readonly cacheWrite: number
  /** Input that is read from the cache. */
  readonly cacheRead: number
  /** How long a written prefix lives after its last use, in seconds. */
  readonly lifetimeSeconds?: number | undefined
  /** Shorter prefixes are not cached, in tokens. */
  readonly minimumTokens?: number | undefined
}

/** Prices with their model and the day they were read. */
export interface PricePreset extends Prices {
  readonly provider: 'anthropic' | 'openai' | 'gemini'
  readonly model: string
  /** ISO date. Prices change: check them before a decision that costs money. */
  readonly asOf: string
  readonly note?: string | undefined
}

/** Prices of some models, dated. They are examples to start from: pass your own wherever they differ. */
export const pricePresets = {
  'claude-fable-5-1': {
    provider: 'anthropic',
    model: 'claude-fable-5-1',
    asOf: '2026-10-24',
    input: 10,
    cacheWrite: 12.5,
    cacheRead: 0.25,
    lifetimeSeconds: 300,
  },
  'claude-opus-5-5': {
    provider: 'anthropic',
    model: 'claude-opus-5-5',
    asOf: '2026-10-24',
    input: 4,
    cacheWrite: 5,
    cacheRead: 0.2,
    lifetimeSeconds: 300,
  },
  'claude-sonnet-5-5': {
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    asOf: '2026-10-24',
    input: 2,
    cacheWrite: 2.5,
    cacheRead: 0.1,
    lifetimeSeconds: 300,
  },
  'claude-haiku-5-5': {
    provider: 'anthropic',
    model: 'claude-haiku-5-5',
    asOf: '2026-10-24',
    input: 0.1,
    cacheWrite: 0.125,
    cacheRead: 0.01,
    lifetimeSeconds: 300,
    note: 'prompts of up to 100,000 tokens; longer ones cost five times as much',
  },
  'gpt-6.1-sol': {
    provider: 'openai',
    model: 'gpt-6.1-sol',
    asOf: '2026-10-27',
    input: 2,
    cacheWrite: 2.5,
    cacheRead: 0.1,
    lifetimeSeconds: 1800,
    minimumTokens: 1024,
    note: 'prompts of up to 272,000 tokens; written for 30 minutes',
  },
  'gpt-6.1-terra': {
    provider: 'openai',
    model: 'gpt-6.1-terra',
    asOf: '2026-10-27',
    input: 1,
    cacheWrite: 1.25,
    cacheRead: 0.05,
    lifetimeSeconds: 1800,
    minimumTokens: 1024,
    note: 'prompts of up to 272,000 tokens; written for 30 minutes',
  },
  'gemini-4-hydrogen': {
    provider: 'gemini',
    model: 'gemini-4-hydrogen',
    asOf: '2026-11-29',
    input: 1.5,
    cacheWrite: 1.5,
    cacheRead: 0.075,
    minimumTokens: 4096,
    note: 'implicit caching: writing costs what input costs, and a hit is not promised',
  },
} as const satisfies Record<string, PricePreset>

/** The id of a preset. */
export type PricePresetId = keyof typeof pricePresets
