import { characterAt } from './percent-decode.ts'

/** A stretch of the URI that was meant, from one part of its template. */
export interface Piece {
  readonly text: string
  /** The expression it comes from, as it is shown; absent for literals. */
  readonly variable?: string | undefined
}

/** One character of the URI that was meant, with the combining marks after it that may be composed with it. */
export interface Token {
  /** As the URI has it. */
  readonly text: string
  /** What it stands for. */
  readonly chars: string
  readonly area: 'scheme' | 'authority' | 'rest'
  readonly variable: string | undefined
}

/**
 * How long a character with its marks may be (Unicode Standard Annex 15 allows 30 marks in Stream-Safe text). What follows
 * is a token of its own: tokens are compared whole, so that a hostile run of marks as one would cost its square.
 */
const longest = 32

/** Marks and Hangul vowels and finals: what may be composed with the character before it. */
const composable = /^[\p{M}\u1160-\u11ff]/u

export const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('')

/** Cuts pieces into tokens. Text that is no URI stands for itself. */
export function tokensOf(pieces: readonly Piece[], asUri = true): Token[] {
  const whole = textOf(pieces)
  const head = asUri ? (/^[^:/?#]*:(\/\/[^/?#]*)?/.exec(whole)?.[0] ?? '') : ''
  const scheme = head.indexOf(':')
  const tokens: Token[] = []
  let offset = 0
  for (const { text, variable } of pieces) {
    for (let at = 0; at < text.length; ) {
      const raw = String.fromCodePoint(text.codePointAt(at)!)
      const { chars, end } = (asUri && characterAt(text, at)) || { chars: raw, end: at + raw.length }
      const written = text.slice(at, end)
      const before = tokens.at(-1)!
      if (at > 0 && before.chars.length < longest && composable.test(chars))
        tokens[tokens.length - 1] = {
          ...before,
          text: before.text + written,
          chars: before.chars + chars,
        }
      else
        tokens.push({
          text: written,
          chars,
          area: offset < scheme ? 'scheme' : offset < head.length ? 'authority' : 'rest',
          variable,
        })
      offset += end - at
      at = end
    }
  }
  return tokens
}
