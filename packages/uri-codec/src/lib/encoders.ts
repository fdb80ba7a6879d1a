import type { Step } from './align.ts'
import type { Token } from './meant-tokens.ts'
import { triplets } from './spellings.ts'
import type { EncoderName } from './uri-finding.ts'

/** An encoder that leaves letters, digits and `kept` as they are, and writes a space as `space`. */
const keeping =
  (kept: string, space = '%20') =>
  (character: string): string => {
    if (character === ' ') return space
    return /^[A-Za-z0-9]$/.test(character) || kept.includes(character) ? character : triplets(character)
  }

/** What each encoder does to one character of a value, by its own documentation. */
const byCharacter: readonly (readonly [EncoderName, (character: string) => string])[] = [
  ['Python urllib.parse.quote', keeping('_.-~/')],
  ['Python urllib.parse.quote_plus', keeping('_.-~', '+')],
  ['encodeURI', keeping(";,/?:@&=+$-_.!~*'()#")],
  ['encodeURIComponent', keeping("-_.!~*'()")],
  ['escape', (character) => escapeLegacy(character)],
  ['URLSearchParams', keeping('*-._', '+')],
  ['Go url.PathEscape', keeping('-_.~$&+=:@')],
]

/** The `escape` of old JavaScript (ECMA-262 annex B.2.1.1). */
function escapeLegacy(character: string): string {
  if (/^[A-Za-z0-9@*_+\-./]$/.test(character)) return character
  let result = ''
  for (let unit = 0; unit < character.length; unit += 1) {
    const code = character.charCodeAt(unit)
    const digits = code.toString(16).toUpperCase()
    result += code < 256 ? `%${digits.padStart(2, '0')}` : `%u${digits.padStart(4, '0')}`
  }
  return result
}

interface UrlClass {
  new (text: string): { readonly href: string }
}

/** What a URL parser makes of a text, where the platform has one and it takes the text. */
function parsedHref(text: string): string | undefined {
  const { URL } = globalThis as { URL?: UrlClass }
  try {
    return URL === undefined ? undefined : new URL(text).href
  } catch {
    return undefined
  }
}

/** The encoders that give exactly the received text, by its reading. */
export function findEncoders(
  tokens: readonly Token[],
  steps: readonly Step[],
  received: string,
): EncoderName[] {
  const right = tokens.map(({ text }) => text).join('')
  const plain = tokens.map(({ text, chars, variable }) => (variable === undefined ? text : chars)).join('')
  const bare = tokens.map(({ chars }) => chars).join('')
  const found = byCharacter
    .filter(
      ([, encode]) => fits(encode, tokens, steps, received) || [...right].map(encode).join('') === received,
    )
    .map(([name]) => name)
  if ([right, plain, bare].some((text) => text !== received && parsedHref(text) === received))
    found.push('new URL().href')
  return found
}

/** Whether one encoder explains every character that it would have been given. */
function fits(
  encode: (character: string) => string,
  tokens: readonly Token[],
  steps: readonly Step[],
  received: string,
): boolean {
  const fromTemplate = tokens.some(({ variable }) => variable !== undefined)
  let differences = 0
  for (const { token, nextToken, index, end, codes } of steps) {
    if (codes.includes('operator-ignored') || codes.includes('normalization')) continue
    if (codes.length > 0 && nextToken !== token + 1) return false
    const { text, chars, variable } = tokens[token]!
    const given = received.slice(index, end)
    const isDelimiter = text === chars && /[^\w.~-]/.test(chars)
    if (given === text && (isDelimiter || (fromTemplate && variable === undefined))) continue
    if ([...chars].map(encode).join('') !== given) return false
    if (given !== text) differences += 1
  }
  return differences > 0
}
