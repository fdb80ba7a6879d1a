import { decodeStrictly, endOfCharacter } from './percent-decode.ts'

/** A stretch of the URI that was meant, from one part of its template. */
export interface Piece {
  readonly text: string
  /** The variables of the expression it comes from, as they are shown; absent for literals. */
  readonly variable?: string | undefined
}

/** One character of the URI that was meant, with the combining marks after it. */
export interface Token {
  /** As the URI has it. */
  readonly text: string
  /** What it stands for. */
  readonly chars: string
  readonly area: 'scheme' | 'authority' | 'rest'
  readonly variable: string | undefined
}

/** Marks and Hangul vowels and finals: what may be composed with the character before it. */
const composable = /^[\p{M}\u1160-\u11ff]/u

/** Cuts pieces into tokens. Text that is no URI stands for itself. */
export function tokensOf(pieces: readonly Piece[], asUri = true): Token[] {
  const whole = pieces.map(({ text }) => text).join('')
  const head = asUri ? (/^[^:/?#]*:(\/\/[^/?#]*)?/.exec(whole)?.[0] ?? '') : ''
  const scheme = head.indexOf(':')
  const tokens: Token[] = []
  let offset = 0
  for (const { text, variable } of pieces) {
    for (let at = 0; at < text.length; ) {
      const end = asUri && text[at] === '%' ? endOfCharacter(text, at) : -1
      const raw = String.fromCodePoint(text.codePointAt(at)!)
      const character =
        end < 0
          ? { text: raw, chars: raw }
          : { text: text.slice(at, end), chars: decodeStrictly(text.slice(at, end))! }
      const before = tokens.at(-1)
      if (at > 0 && before !== undefined && composable.test(character.chars))
        tokens[tokens.length - 1] = {
          ...before,
          text: before.text + character.text,
          chars: before.chars + character.chars,
        }
      else
        tokens.push({
          ...character,
          area: offset < scheme ? 'scheme' : offset < head.length ? 'authority' : 'rest',
          variable,
        })
      at += character.text.length
      offset += character.text.length
    }
  }
  return tokens
}
