import { describe, expect, it } from 'vitest'
import { hitShare, type MeasuredResponse } from './hit-share.ts'
import { type PrefixInput, prefixOf } from './prefix.ts'
import { readAnthropicUsage, readGeminiUsage, readOpenAIUsage, readUsage } from './usage.ts'

const anthropic = (read: number, written: number, input = 20) => ({
  usage: {
    input_tokens: input,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: 5,
  },
})
const openai = (cached: number) => ({
  usage: { prompt_tokens: 12_100, prompt_tokens_details: { cached_tokens: cached } },
})
const gemini = (cached?: number) => ({
  usageMetadata: {
    promptTokenCount: 12_100,
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
  },
})

const input = (description: string): PrefixInput => ({
  tools: [
    {
      key: { server: 'shop', kind: 'tool', name: 'search' },
      definition: { name: 'shop__search', description },
    },
  ],
  system: 'You help.',
})
const same = prefixOf(input('Searches.'))
const suspect = (responses: readonly MeasuredResponse[], prices = {}) =>
  hitShare(responses, prices).suspect?.code

describe('usage readers', () => {
  it('read the figures of each provider, as each counts them', () => {
    expect(readAnthropicUsage(anthropic(12_000, 0))).toEqual({
      provider: 'anthropic',
      input: 12_020,
      read: 12_000,
      written: 0,
    })
    expect(readOpenAIUsage(openai(11_904))).toEqual({
      provider: 'openai',
      input: 12_100,
      read: 11_904,
      written: undefined,
    })
    const responses = {
      usage: { input_tokens: 900, input_tokens_details: { cached_tokens: 0, cache_write_tokens: 800 } },
    }
    expect(readOpenAIUsage(responses)).toEqual({ provider: 'openai', input: 900, read: 0, written: 800 })
    expect(readGeminiUsage(gemini(8_000))).toEqual({
      provider: 'gemini',
      input: 12_100,
      read: 8_000,
      written: undefined,
    })
    expect(readGeminiUsage(gemini())).toMatchObject({ read: 0 })
  })

  it('tell the providers apart, and guess nothing', () => {
    expect([anthropic(1, 0), openai(1), gemini(1)].map((response) => readUsage(response)?.provider)).toEqual([
      'anthropic',
      'openai',
      'gemini',
    ])
    for (const odd of [
      undefined,
      null,
      'x',
      {},
      { usage: {} },
      { usage: { input_tokens: 5 } },
      { usage: { prompt_tokens: 'many' } },
      { usage: { input_tokens: -1, cache_read_input_tokens: 1 } },
    ]) {
      expect(readUsage(odd)).toBeUndefined()
    }
  })
})

describe('hitShare', () => {
  it('is the share of requests, not of tokens', () => {
    const responses = [
      anthropic(0, 12_000),
      anthropic(12_000, 0),
      anthropic(12_000, 30),
      anthropic(0, 0, 50),
    ].map((response) => ({ response, prefix: same }))
    expect(hitShare(responses)).toEqual({
      requests: 4,
      unread: 0,
      hits: 2,
      share: 0.5,
      tokens: { input: 36_140, read: 24_000, written: 12_030 },
      repeats: 3,
      suspect: undefined,
    })
    expect(hitShare([])).toMatchObject({ requests: 0, share: undefined, suspect: undefined })
    expect(hitShare([{ response: {} }])).toMatchObject({ requests: 0, unread: 1 })
    expect(hitShare([{ response: readUsage(openai(5)) }])).toMatchObject({ hits: 1 })
  })

  it('names the pair and the field where the prefix moves from request to request', () => {
    const moving = [1, 2, 3].map((turn) => ({
      response: anthropic(0, 12_000),
      prefix: prefixOf(input(`token ${turn}`)),
    }))
    const { suspect: first, repeats } = hitShare(moving)
    expect(repeats).toBe(0)
    expect(first?.code).toBe('prefix-moves')
    expect(first?.message).toContain('"search" of server "shop", description (changed)')
  })

  it('names the first suspect where the same prefix never hits', () => {
    const times = (count: number, one: (index: number) => Partial<MeasuredResponse>): MeasuredResponse[] =>
      Array.from({ length: count }, (_, index) => ({
        response: anthropic(0, 12_000),
        prefix: same,
        ...one(index),
      }))
    expect(suspect(times(2, (index) => ({ model: `m${index}` })))).toBe('model-changes')
    expect(
      suspect(
        times(2, () => ({ response: openai(0) })),
        { minimumTokens: 20_000 },
      ),
    ).toBe('prefix-too-short')
    expect(suspect(times(2, () => ({ response: anthropic(0, 0) })))).toBe('not-marked')
    expect(
      suspect(
        times(3, (index) => ({ sentAt: index * 400_000 })),
        { lifetimeSeconds: 300 },
      ),
    ).toBe('expired')
    expect(
      suspect(
        times(3, (index) => ({ sentAt: index * 100, answeredAt: index * 100 + 900 })),
        { lifetimeSeconds: 300 },
      ),
    ).toBe('sent-at-once')
    expect(suspect(times(3, () => ({})))).toBe('written-every-time')
    expect(suspect(times(3, () => ({ response: openai(0) })))).toBe('unknown')
    expect(suspect(times(1, () => ({})))).toBeUndefined()
  })

  it('suspects nothing as long as something hits', () => {
    expect(suspect([{ response: anthropic(0, 9) }, { response: anthropic(9, 0) }])).toBeUndefined()
  })
})
