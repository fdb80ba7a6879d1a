import { findHidden } from './hidden-text.ts'
import { invisibles } from './invisible.ts'

/** Options of {@link sanitizeForDisplay}. */
export interface SanitizeOptions {
  /** `keep` leaves line breaks and tabs; `escape` writes them out, for a text that must stay on one line. */
  readonly lines?: 'keep' | 'escape' | undefined
  /** The most characters shown; the rest is counted. No limit unless said otherwise. */
  readonly limit?: number | undefined
}

/** Every character of a text by its code point, as it is made visible: `⟨U+200B⟩`. */
export const visible = (text: string): string =>
  [...text]
    .map((character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
    .join('')

/**
 * A text as it may be shown to a person: every character that does not show as itself is written out, terminal
 * escape sequences and bidirectional controls among them, so that a text cannot hide in or rewrite what stands
 * around it. Emoji sequences, flags, and joiners in scripts that need them stay; so do spaces of any width. For
 * showing only: what is hashed, compared and forwarded is the text itself.
 */
export function sanitizeForDisplay(text: string, options: SanitizeOptions = {}): string {
  const limit = options.limit ?? Number.POSITIVE_INFINITY
  const cut = text.length > limit ? cutAt(text, limit) : text
  let result = ''
  let from = 0
  for (const run of findHidden(cut)) {
    if (run.kind === 'space') continue
    result += cut.slice(from, run.index) + visible(run.text)
    from = run.index + run.text.length
  }
  result += cut.slice(from)
  if (options.lines === 'escape') {
    result = result.replaceAll('\r\n', '⏎').replaceAll('\n', '⏎').replaceAll('\t', '⇥').replaceAll('\r', '⏎')
  }
  return cut.length < text.length ? `${result}… (${text.length - cut.length} more characters)` : result
}

const cutAt = (text: string, limit: number): string =>
  text.slice(0, (text.codePointAt(limit - 1) ?? 0) > 0xffff ? limit - 1 : limit)

/** A name as it may be shown: every character that does not show as itself is written out, spaces of any kind too. */
export const sanitizeName = (name: string): string =>
  sanitizeForDisplay(name, { lines: 'escape' }).replace(invisibles, visible)
