/** Finds values that are known to be secret, however they are spelt. */
export interface SecretFinder {
  /** The text with every secret taken out. */
  clean(text: string): string
  /** Whether a text is one of the secrets. */
  isOne(text: string): boolean
  /** Whether a secret may stand in a value, by its JSON. It may err on that side only. */
  mayHold(json: string): boolean
  readonly none: boolean
}

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
const anyCase = (hex: string): string =>
  hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
const hexOf = (value: number, width: number): string => anyCase(value.toString(16).padStart(width, '0'))

// JSON in JSON in JSON: each time the backslashes are doubled, and one is added. A form around it encodes them.
const backslash = '(?:\\\\|%(?:25){0,3}5[cC])'
const backslashes = `${backslash}{1,15}`
const letters = new Map([
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\f', 'f'],
  ['\r', 'r'],
])
const encoder = new TextEncoder()

/** One character as it is, JSON-escaped however deep (RFC 8259, section 7), or percent-encoded (RFC 3986, 2.1). */
function spellingsOf(character: string): string {
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

const expressionOf = (secret: string): RegExp => {
  // A run of backslashes is one piece, for each of them may be doubled.
  const pieces = secret.match(/\\+|[^\\]/gsu) ?? []
  const source = pieces.map((piece) =>
    piece.startsWith('\\')
      ? `(?:${backslash}{${piece.length},${piece.length * 16}}|(?:${spellingsOf('\\')}){${piece.length}})`
      : spellingsOf(piece),
  )
  return new RegExp(source.join(''), 'g')
}

/** Makes the finder of some secrets; `instead` stands where one was. */
export function createSecretFinder(values: readonly string[], instead: string): SecretFinder {
  // Longest first: a secret may be a part of another.
  const secrets = [...new Set(values)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
  const plain = secrets.map((secret) => ({
    secret,
    quoted: JSON.stringify(secret).slice(1, -1),
    spelt: expressionOf(secret),
    // With a plus for each space it is spelt otherwise without a mark of it.
    alwaysTried: secret.includes(' '),
  }))
  const mark = /[%\\]/
  const clean = (text: string): string => {
    let rest = text
    for (const { secret, spelt, alwaysTried } of plain) {
      if (rest.includes(secret)) rest = rest.replaceAll(secret, instead)
      if (alwaysTried || mark.test(rest)) rest = rest.replace(spelt, instead)
    }
    return rest
  }
  const mayHold = (json: string): boolean => {
    if (plain.length === 0) return false
    const marked = mark.test(json)
    return plain.some(
      ({ quoted, spelt, alwaysTried }) =>
        json.includes(quoted) || ((marked || alwaysTried) && json.search(spelt) >= 0),
    )
  }
  return { clean, isOne: (text) => secrets.includes(text), mayHold, none: secrets.length === 0 }
}
