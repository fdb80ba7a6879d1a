import { digestText, sanitizeForDisplay } from '@truename/tool-registry/identity'

/** A text that was too long to show whole. */
export interface Folded {
  /** What it belongs to: the label of its line, or a JSON Pointer into the arguments. */
  readonly of: string
  /** Length of the whole in UTF-16 units. */
  readonly length: number
  /** SHA-256 of the whole, in lower-case hex. */
  readonly digest: string
}

/** One line of text in which everything that does not show as itself is written out, line breaks too. */
export const showLine = (text: string): string =>
  sanitizeForDisplay(text).replace(/[\n\r\t]/g, (character) =>
    character === '\n' ? '⟨U+000A⟩' : character === '\r' ? '⟨U+000D⟩' : '⟨U+0009⟩',
  )

/** The place itself, or the one before it where it would part a surrogate pair. */
const boundary = (text: string, at: number): number =>
  (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at

/** The text with its middle left out where it is longer than `most`; what is left out is said, never silently cut. */
export function fold(
  text: string,
  most: number,
  of: string,
): { readonly text: string; readonly folded?: Folded } {
  if (text.length <= most) return { text: showLine(text) }
  const head = text.slice(0, boundary(text, Math.ceil((most * 2) / 3)))
  const tail = text.slice(boundary(text, text.length - Math.floor(most / 3)))
  const left = text.length - head.length - tail.length
  const digest = digestText(text)
  return {
    text: `${showLine(head)} ⟪${left} of ${text.length} characters folded, sha-256 ${digest}⟫ ${showLine(tail)}`,
    folded: { of, length: text.length, digest },
  }
}
