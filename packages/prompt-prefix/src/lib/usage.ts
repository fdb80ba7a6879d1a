/** What a provider said a request's input cost, in tokens. */
export interface InputUsage {
  readonly provider: 'anthropic' | 'openai' | 'gemini'
  /** All input tokens: read, written and neither. */
  readonly input: number
  /** Read from the cache. */
  readonly read: number
  /** Written to the cache; undefined where the provider does not say. */
  readonly written: number | undefined
}

type Data = Readonly<Record<string, unknown>>

const dataOf = (value: unknown, member: string): Data | undefined => {
  const inner = typeof value === 'object' && value !== null ? (value as Data)[member] : undefined
  return typeof inner === 'object' && inner !== null ? (inner as Data) : undefined
}

const count = (data: Data | undefined, ...members: readonly string[]): number | undefined => {
  for (const member of members) {
    const value = data?.[member]
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  }
  return undefined
}

/**
 * Anthropic Messages: `usage.input_tokens` counts only what the cache neither served nor stored, beside
 * `cache_read_input_tokens` and `cache_creation_input_tokens`. Undefined if the response holds no such figures.
 */
export function readAnthropicUsage(response: unknown): InputUsage | undefined {
  const usage = dataOf(response, 'usage')
  const uncached = count(usage, 'input_tokens')
  const read = count(usage, 'cache_read_input_tokens')
  const written = count(usage, 'cache_creation_input_tokens')
  if (uncached === undefined || (read === undefined && written === undefined)) return undefined
  return {
    provider: 'anthropic',
    input: uncached + (read ?? 0) + (written ?? 0),
    read: read ?? 0,
    written: written ?? 0,
  }
}

/**
 * OpenAI Chat Completions (`usage.prompt_tokens`, `prompt_tokens_details`) and Responses (`usage.input_tokens`,
 * `input_tokens_details`): the total includes `cached_tokens`, and `cache_write_tokens` where the model bills writes.
 */
export function readOpenAIUsage(response: unknown): InputUsage | undefined {
  const usage = dataOf(response, 'usage')
  const details = dataOf(usage, 'prompt_tokens_details') ?? dataOf(usage, 'input_tokens_details')
  const input = count(usage, 'prompt_tokens', 'input_tokens')
  const read = count(details, 'cached_tokens')
  if (input === undefined || read === undefined) return undefined
  return { provider: 'openai', input, read, written: count(details, 'cache_write_tokens') }
}

/** Gemini: `usageMetadata.promptTokenCount` includes `cachedContentTokenCount`, which is absent where nothing hit. */
export function readGeminiUsage(response: unknown): InputUsage | undefined {
  const usage = dataOf(response, 'usageMetadata') ?? dataOf(response, 'usage_metadata')
  const input = count(usage, 'promptTokenCount', 'prompt_token_count')
  if (input === undefined) return undefined
  return {
    provider: 'gemini',
    input,
    read: count(usage, 'cachedContentTokenCount', 'cached_content_token_count') ?? 0,
    written: undefined,
  }
}

/** The input figures of a response of any provider known here, or undefined. */
export const readUsage = (response: unknown): InputUsage | undefined =>
  readAnthropicUsage(response) ?? readOpenAIUsage(response) ?? readGeminiUsage(response)
