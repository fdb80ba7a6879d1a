import { decodeStrictly, surrogate } from './percent-decode.ts'
import { encodeUnreserved } from './percent-encode.ts'
import type { UriFaultCode } from './uri-finding.ts'

/** A way to read a character in the received text: how much of it, at what cost, and by which mistakes. */
export interface Spelling {
  readonly length: number
  readonly cost: number
  readonly codes: readonly UriFaultCode[]
}

/** A character as a value has it in a URI; half of a surrogate pair stays. */
export function writtenAs(character: string): string {
  return surrogate.test(character) ? character : encodeUnreserved(character)
}

const hex = (octet: number): string => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`

/** The triplets of a character, also where it may stand as it is. */
export const triplets = (character: string): string =>
  writtenAs(character) === character ? hex(character.charCodeAt(0)) : writtenAs(character)

/** All ways in which `character`, rightly written as `written`, can be read in `received` at `at`. */
export function misspellings(
  character: string,
  written: string,
  area: 'scheme' | 'authority' | 'rest',
  received: string,
  at: number,
): Spelling[] {
  const found: Spelling[] = []
  const add = (text: string, code?: UriFaultCode, cost = 1): void => {
    if (received.startsWith(text, at)) found.push({ length: text.length, cost, codes: code ? [code] : [] })
  }
  add(written, undefined, 0)
  const encoded = triplets(character)
  const isRaw = written === character
  const isAscii = character < '\x80'
  const pattern = new RegExp(encoded.replaceAll('%', '%((?:25){0,9})'), 'iy')
  pattern.lastIndex = at
  const match = pattern.exec(received)
  if (match && match[0] !== written) {
    let code: UriFaultCode = 'hex-case'
    if (match[1]) code = 'double-encoding'
    else if (isRaw) code = isAscii && /[^\w.~\s-]/.test(character) ? 'reserved-encoded' : 'needless-escape'
    add(match[0], code)
  }
  const raw = { '/': 'raw-slash', '%': 'raw-percent', '?': 'raw-delimiter', '#': 'raw-delimiter' } as const
  if (!isRaw) add(character, raw[character as '/'] ?? 'not-encoded')
  if (character === ' ') for (const plus of ['+', '%2B']) add(plus, 'plus-for-space')
  if (character === '+') for (const space of [' ', '%20']) add(space, 'plus-read-as-space')
  if (character === '&') add('&amp;', 'html-escape')
  if (character === '\\') add('/', 'backslash-exchanged')
  if (character === '/') for (const slash of ['\\', '%5C', '%5c']) add(slash, 'backslash-exchanged')
  if (/[\t\n\r]/.test(character)) add('', 'control-dropped')
  const lower = character.toLowerCase()
  const changed = lower === character ? character.toUpperCase() : lower
  if (changed !== character) {
    const code = area === 'scheme' ? 'scheme-case' : area === 'authority' ? 'host-case' : 'case-changed'
    const cost = area === 'rest' ? 2 : 1
    add(changed, code, cost)
    if (!isAscii) add(triplets(changed), code, cost)
  }
  if (isAscii) return found

  // What goes wrong with characters beyond ASCII.
  const units = character.split('').map((unit) => unit.charCodeAt(0))
  if (units.length > 1)
    add(
      units
        .map((unit) => hex(0xe0 | (unit >> 12)) + hex(0x80 | ((unit >> 6) & 63)) + hex(0x80 | (unit & 63)))
        .join(''),
      'cesu-8',
    )
  // Triplets read as Latin-1 is what it does.
  const latin1 = unescape(encoded)
  add(latin1, 'mojibake')
  add([...latin1].map(triplets).join(''), 'mojibake')
  if (character !== '\ufffd') for (const text of ['\ufffd', '%EF%BF%BD']) add(text, 'replacement-character')
  // What stands for half of a surrogate pair: the half itself, or its bits as if it were a character.
  const half = /^(%ED%[AB].%..|\p{Cs})/iu.exec(received.slice(at))
  if (half && /[\ufffd\p{Cs}]/u.test(character)) add(half[0], 'lone-surrogate')
  for (const length of [3, 6]) {
    const text = received.slice(at, at + length)
    if (/^(%[89a-f][\da-f])+$/i.test(text) && decodeStrictly(text) === undefined)
      add(text, 'other-charset', 3)
  }
  return found
}
