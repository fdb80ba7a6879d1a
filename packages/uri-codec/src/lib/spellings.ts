import { decodeStrictly } from './percent-decode.ts'
import { encodeUnreserved } from './percent-encode.ts'
import type { UriFaultCode } from './uri-finding.ts'

/** A way to read a character in the received text: how much of it, at what cost, and by which mistakes. */
export interface Spelling {
  readonly length: number
  readonly cost: number
  readonly codes: readonly UriFaultCode[]
}

/** The triplets of a character, also where it is one that may stand as it is. */
export function triplets(character: string): string {
  let encoded: string
  try {
    encoded = encodeUnreserved(character)
  } catch {
    return '%EF%BF%BD'
  }
  return encoded === character ? hex(character.charCodeAt(0)) : encoded
}

const hex = (octet: number): string => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`

/** The octets that UTF-8 gives a character, each taken for one of Latin-1. */
const latin1 = (character: string): string =>
  triplets(character).replace(/%(..)/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )

const raw = (character: string): UriFaultCode => {
  if (character === '/') return 'raw-slash'
  if (character === '%') return 'raw-percent'
  return character === '?' || character === '#' ? 'raw-delimiter' : 'not-encoded'
}

const otherCase = (character: string): string => {
  const lower = character.toLowerCase()
  return lower === character ? character.toUpperCase() : lower
}

/** All ways in which `character`, rightly written as `written`, can be read in `received` at `at`, except rightly. */
export function misspellings(
  character: string,
  written: string,
  area: 'scheme' | 'authority' | 'rest',
  received: string,
  at: number,
): Spelling[] {
  const found: Spelling[] = []
  const add = (text: string, code: UriFaultCode, cost = 1): void => {
    if (received.startsWith(text, at)) found.push({ length: text.length, cost, codes: [code] })
  }
  const encoded = triplets(character)
  const isRaw = written === character
  const pattern = new RegExp(encoded.replaceAll('%', '%((?:25)*)'), 'iy')
  pattern.lastIndex = at
  const match = pattern.exec(received)
  if (match !== null && match[0] !== written) {
    let code: UriFaultCode = 'hex-case'
    if (match[1] !== '') code = 'double-encoding'
    else if (isRaw)
      code = /[\w.~-]/.test(character) || character > '\x7f' ? 'needless-escape' : 'reserved-encoded'
    found.push({ length: match[0].length, cost: 1, codes: [code] })
  }
  if (!isRaw) add(character, raw(character))
  if (character === ' ') {
    add('+', 'plus-for-space')
    if (/^%(25)*2b/i.test(received.slice(at, at + 9)))
      found.push({
        length: received.toLowerCase().indexOf('2b', at) + 2 - at,
        cost: 2,
        codes: ['plus-for-space', 'double-encoding'],
      })
  }
  if (character === '+') for (const space of [' ', '%20']) add(space, 'plus-read-as-space')
  if (character === '&') add('&amp;', 'html-escape')
  if (character === '\\') add('/', 'backslash')
  if (character === '/') for (const slash of ['\\', '%5C', '%5c']) add(slash, 'backslash')
  if (/[\t\n\r]/.test(character)) add('', 'control-dropped')
  const changed = otherCase(character)
  if (changed !== character) {
    const code = area === 'scheme' ? 'scheme-case' : area === 'authority' ? 'host-case' : 'case-changed'
    const cost = area === 'rest' ? 2 : 1
    add(changed, code, cost)
    if (changed > '\x7f') add(triplets(changed), code, cost)
  }
  if (character > '\x7f') addForeign(character, received, at, add)
  return found
}

/** What goes wrong with characters beyond ASCII. */
function addForeign(
  character: string,
  received: string,
  at: number,
  add: (text: string, code: UriFaultCode, cost?: number) => void,
): void {
  const units = Array.from({ length: character.length }, (_, unit) => character.charCodeAt(unit))
  if (units.length > 1)
    add(
      units
        .map((unit) => hex(0xe0 | (unit >> 12)) + hex(0x80 | ((unit >> 6) & 63)) + hex(0x80 | (unit & 63)))
        .join(''),
      'cesu-8',
    )
  const escaped = units.map((unit) => `%u${unit.toString(16).padStart(4, '0')}`)
  for (const text of [escaped.join(''), escaped.join('').toUpperCase().replaceAll('U', 'u')])
    add(text, 'percent-u')
  const misread = latin1(character)
  add(misread, 'mojibake')
  add([...misread].map(triplets).join(''), 'mojibake')
  if (character !== '\ufffd') for (const text of ['\ufffd', '%EF%BF%BD']) add(text, 'replacement-character')
  if (units[0]! < 0x100) add(hex(units[0]!), 'other-charset')
  for (const octets of [1, 2]) {
    const text = received.slice(at, at + 3 * octets)
    if (new RegExp(`^(%[89a-f][0-9a-f]){${octets}}$`, 'i').test(text) && decodeStrictly(text) === undefined)
      add(text, 'other-charset', 3)
  }
}
