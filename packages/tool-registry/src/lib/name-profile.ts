/** What a model API accepts as the name of a tool. */
export interface NameProfile {
  readonly id: string
  /** Matches exactly the legal names, whatever their length; without flags that keep state. */
  readonly pattern: RegExp
  /** The most characters a name may have. */
  readonly limit: number
}

/**
 * The naming rules of model APIs, as their documentation had them in November 2026:
 * Anthropic `^[a-zA-Z0-9_-]{1,64}$`, OpenAI the same characters up to 64, Gemini also dots and colons but a
 * letter or underscore first, up to 64. `strict` is what all of them accept.
 */
export const nameProfiles = {
  anthropic: { id: 'anthropic', pattern: /^[A-Za-z0-9_-]+$/, limit: 64 },
  openai: { id: 'openai', pattern: /^[A-Za-z0-9_-]+$/, limit: 64 },
  gemini: { id: 'gemini', pattern: /^[A-Za-z_][A-Za-z0-9_.:-]*$/, limit: 64 },
  strict: { id: 'strict', pattern: /^[A-Za-z_][A-Za-z0-9_-]*$/, limit: 64 },
} as const satisfies Record<string, NameProfile>

/** The name of a built-in profile. */
export type NameProfileId = keyof typeof nameProfiles
