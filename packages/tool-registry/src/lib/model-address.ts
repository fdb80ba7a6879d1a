import { toAsciiLookalikes } from './confusables.ts'
import { withoutHidden } from './hidden-text.ts'

/** What a text that speaks to the model does. */
export type AddressKind =
  | 'addresses-model'
  | 'overrides-instructions'
  | 'hides-from-user'
  | 'imitates-markup'
  | 'asks-for-secrets'
  | 'names-private-files'

/** One phrase that speaks to the model. */
export interface Address {
  readonly kind: AddressKind
  /** The words that were found, as they read once hidden characters and look-alike letters are undone. */
  readonly phrase: string
}

/** Sentences are not crossed, and every gap is bounded, so that a search is linear in the text. */
const patterns: readonly (readonly [AddressKind, RegExp])[] = [
  [
    'overrides-instructions',
    /\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,40}\b(?:previous|prior|above|earlier|preceding|all|any|other|system|safety)\b[^.]{0,30}\b(?:instruction|rule|prompt|message|guideline|direction|polic)/i,
  ],
  ['overrides-instructions', /\b(?:new|real|actual|updated) (?:system )?instructions?\b[^.]{0,20}:/i],
  ['overrides-instructions', /\byou are (?:now|no longer)\b/i],
  [
    'hides-from-user',
    /\b(?:do not|don't|never|must not|without)\b[^.]{0,30}\b(?:tell|mention|inform|show|reveal|notify|alert|disclose|display)(?:ing|s)?\b[^.]{0,40}\b(?:user|human|operator|person|anyone|them)s?\b/i,
  ],
  [
    'hides-from-user',
    /\b(?:secretly|silently|covertly)\b[^.]{0,40}\b(?:call|send|read|include|pass|use|forward|copy|post)/i,
  ],
  [
    'imitates-markup',
    /<\/?(?:important|system|instructions?|secret|hidden|assistant|human|admin)\b[^<>]{0,40}>|\[\/?(?:INST|SYSTEM)\]|<\|[a-z_]{2,20}\|>|^[ \t]{0,3}(?:#{1,4} ?)?(?:system|assistant|human)(?: prompt| message)?:/im,
  ],
  [
    'asks-for-secrets',
    /\b(?:send|post|upload|forward|include|append|attach|pass|provide|put|copy|paste|read)\b[^.]{0,60}\b(?:conversation(?: history)?|chat history|system prompt|previous messages|api[ _-]?keys?|credentials|passwords?|private keys?|secrets|environment variables|access tokens?)\b/i,
  ],
  [
    'names-private-files',
    /(?:~|\$HOME|%USERPROFILE%)[\\/]\.(?:ssh|aws|gnupg|kube|config|netrc|npmrc|docker|cursor|claude)|\bid_(?:rsa|ed25519)\b|\/etc\/(?:passwd|shadow)\b|\.aws[\\/]credentials|\bmcp\.json\b/i,
  ],
  [
    'addresses-model',
    /\b[Yy](?:ou|OU) (?:must|MUST)\b|\b(?:IMPORTANT|MUST|CRITICAL|MANDATORY|WARNING|NEVER|ALWAYS)\b|\b(?:[Aa]lways|[Nn]ever|[Dd]o not|DO NOT) [a-z]{2,}/,
  ],
]

/** A caution against giving secrets away asks for none: `do not include … API keys`, `neither … nor …`. */
const caution = /\b(?:do not|don't|never|must not|should not|avoid|nor) (?:ever )?$/i

/**
 * The phrases of a text that speak to the model, at most one of each kind. Hidden characters are taken out and
 * look-alike letters undone first, so that a word cannot be hidden from the search by them.
 */
export function findAddresses(text: string): Address[] {
  const readable = toAsciiLookalikes(withoutHidden(text))
  const found = new Map<AddressKind, Address>()
  for (const [kind, pattern] of patterns) {
    if (found.has(kind)) continue
    const match = pattern.exec(readable)
    if (!match) continue
    const before = readable.slice(Math.max(0, match.index - 60), match.index)
    if (kind === 'asks-for-secrets' && (caution.test(before) || /\bnor\b/i.test(match[0]))) continue
    found.set(kind, { kind, phrase: match[0] })
  }
  return [...found.values()]
}
