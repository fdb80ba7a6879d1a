import { invisibles } from './invisible.ts'

/** A character by its code point, as it is made visible: `⟨U+200B⟩`. */
export const visible = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

/** Text in which every character that does not show as itself is written out. */
export const sanitizeForDisplay = (text: string): string => text.replace(invisibles, visible)
