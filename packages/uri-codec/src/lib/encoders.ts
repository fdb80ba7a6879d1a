import type { Place } from './align.ts'
import { type Token, textOf } from './meant-tokens.ts'
import { triplets } from './spellings.ts'
import type { EncoderName } from './uri-finding.ts'

/** What each encoder leaves as it is besides letters and digits, and how it writes a space, by its documentation. */
const encoders: readonly (readonly [name: EncoderName, kept: string, space?: string])[] = [
  ['Python urllib.parse.quote', '_.-~/'],
  ['Python urllib.parse.quote_plus', '_.-~', '+'],
  ['encodeURI', ";,/?:@&=+$-_.!~*'()#"],
  ['encodeURIComponent', "-_.!~*'()"],
  ['URLSearchParams', '*-._', '+'],
  ['Go url.PathEscape', '-_.~$&+=:@'],
]

/** What a URL parser makes of a text, where the platform has one and it takes the text. */
function parsedHref(text: string): string | undefined {
  const { URL } = globalThis as { URL?: new (text: string) => { readonly href: string } }
  try {
    return new URL!(text).href
  } catch {
    return undefined
  }
}

/** The encoders that give exactly the received text, by its reading. */
export function findEncoders(
  tokens: readonly Token[],
  steps: readonly Place[],
  received: string,
): EncoderName[] {
  const fromTemplate = tokens.some((token) => token.variable)
  const right = textOf(tokens)

  /** Whether one encoder explains every character that it would have been given. */
  const fits = (encode: (text: string) => string): boolean => {
    let differences = 0
    for (const { before, token, at, codes } of steps) {
      if (codes.includes('normalization')) continue
      if (before!.token !== token - 1) return false
      const { text, chars, variable } = tokens[token - 1]!
      const given = received.slice(before!.at, at)
      const isDelimiter = text === chars && /[^\w.~-]/.test(chars)
      if (given === text && (isDelimiter || (fromTemplate && !variable))) continue
      if (encode(chars) !== given) return false
      if (given !== text) differences += 1
    }
    return differences > 0
  }

  const found = encoders
    .filter(([, kept, space = '%20']) => {
      const encode = (text: string): string =>
        text.replace(/[^A-Za-z0-9]/gu, (character) => {
          if (character === ' ') return space
          return kept.includes(character) ? character : triplets(character)
        })
      return fits(encode) || encode(right) === received
    })
    .map((encoder) => encoder[0])
  const bare = tokens.map(({ chars }) => chars).join('')
  if ([right, bare].some((text) => text !== received && parsedHref(text) === received))
    found.push('new URL().href')
  return found
}
