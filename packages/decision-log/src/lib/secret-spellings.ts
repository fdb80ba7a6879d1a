const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
const anyCase = (hex: string): string =>
  hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
const hexOf = (value: number, width: number): string => anyCase(value.toString(16).padStart(width, '0'))

// JSON in JSON in JSON: each time the backslashes are doubled, and one is added. A form around it encodes them.
const backslash = '(?:\\\\|%(?:25){0,3}5[cC])'
export const backslashes = `${backslash}{1,15}`
const letters = new Map([
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\f', 'f'],
  ['\r', 'r'],
])
const encoder = new TextEncoder()

/** One character as it is, JSON-escaped however deep (RFC 8259, section 7), or percent-encoded (RFC 3986, 2.1). */
export function spellingsOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  const escaped = units.map((unit) => `${backslashes}u${hexOf(unit, 4)}`).join('')
  const encoded = [...encoder.encode(character)].map((byte) => `%(?:25){0,3}${hexOf(byte, 2)}`).join('')
  const letter = letters.get(character)
  const spellings = [
    /["'/]/.test(character) ? `${backslash}{0,15}(?:${literal(character)}|${encoded})` : literal(character),
    ...(letter === undefined ? [] : [backslashes + letter]),
    ...(character === ' ' ? ['\\+'] : []),
    escaped,
    encoded,
  ]
  return `(?:${spellings.join('|')})`
}

/** A text with each of its characters in any spelling. */
export const expressionOf = (secret: string): RegExp => {
  // A run of backslashes is one piece, for each of them may be doubled.
  const pieces = secret.match(/\\+|[^\\]/gsu) ?? []
  const source = pieces.map((piece) =>
    piece.startsWith('\\')
      ? `(?:${backslash}{${piece.length},${piece.length * 16}}|(?:${spellingsOf('\\')}){${piece.length}})`
      : spellingsOf(piece),
  )
  return new RegExp(source.join(''), 'g')
}
