import { toBase64, utf8 } from './bytes.ts'
import { type Encoded, type Read, readCharacter } from './encodings.ts'
import { type FindEnd, fewBehind } from './secret-spellings.ts'

/** The Base64 (RFC 4648, sections 4 and 5) of a secret, alone or as a part of what was encoded. */
export interface Base64OfSecret {
  /** What stands in the text for each of the three places in a group that the secret can begin at. */
  readonly runs: readonly string[]
  /** The same in lines, and with the two digits that are no letters in any spelling. */
  findEndIn(encoded: Encoded): FindEnd
  /** Where it may begin. */
  readonly begin: RegExp
}

// A shorter one is found in ordinary words.
const shortestRun = 4
// Who knows so much of a secret is not told what stands behind it either.
const longestRun = 64
const toldAtOnce = 5

const whitespace = /\s/
const percent = 0x25
const backslash = 0x5c
export const digit = /[\w+/-]/
const notDigit = -1

/** For each unit of ASCII, the digit it is: the two that are no letters or numbers have two forms. */
const digitOf = Int16Array.from({ length: 128 }, (_, code) => {
  const one = String.fromCharCode(code)
  return digit.test(one) ? one.replace('-', '+').replace('_', '/').charCodeAt(0) : notDigit
})

/** The digits that say nothing but the secret, where `before` bytes of its first group of three are others'. */
function runAt(bytes: Uint8Array, before: number): string {
  const shifted = new Uint8Array(before + bytes.length)
  shifted.set(bytes, before)
  const start = Math.ceil((8 * before) / 6)
  const end = Math.floor((8 * shifted.length) / 6)
  return toBase64(shifted).slice(start, end)
}

/**
 * Where whitespace ends of which one stands at a place, in any spelling; 0 where none does. Digits may stand within its
 * spelling, so that it is read from many places.
 */
function whitespaceEnds(encoded: Encoded): Int32Array {
  const { text } = encoded
  const ends = new Int32Array(text.length + 1)
  const read: Read = { code: 0, end: 0 }
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const code = text.charCodeAt(at)
    if (code > 0x20 && code < 0x7f && code !== backslash && code !== percent) continue
    if (!readCharacter(encoded, at, read)) continue
    if (whitespace.test(String.fromCharCode(read.code))) ends[at] = ends[read.end] || read.end
  }
  return ends
}

const known = new WeakMap<Encoded, Int32Array>()
function whitespaceIn(encoded: Encoded): Int32Array {
  const ends = known.get(encoded) ?? whitespaceEnds(encoded)
  known.set(encoded, ends)
  return ends
}

function findEndOfRun(encoded: Encoded, runs: readonly string[]): FindEnd {
  const read: Read = { code: 0, end: 0 }
  const gaps = whitespaceIn(encoded)
  /** The digit at a place; -1 where another character stands there. */
  const digitAt = (at: number): number =>
    readCharacter(encoded, at, read) ? (digitOf[read.code] ?? notDigit) : notDigit
  /** The digit at a place or in the next line. */
  const nextDigit = (at: number): number => digitAt((gaps[at] as number) || at)
  return (from) => {
    for (const run of runs) {
      const length = Math.min(run.length, longestRun)
      let end = from
      let same = 0
      while (same < length && (same === 0 ? digitAt(end) : nextDigit(end)) === run.charCodeAt(same)) {
        same += 1
        end = read.end
      }
      if (same < length) continue
      if (run.length > longestRun) while (nextDigit(end) !== notDigit) end = read.end
      return end
    }
    return 0
  }
}

/** What a secret looks like in Base64; `undefined` for one that is too short to be told from words. */
export function base64Of(secret: string): Base64OfSecret | undefined {
  const bytes = utf8(secret)
  const plain = [0, 1, 2].map((before) => runAt(bytes, before))
  if (plain.some((run) => run.length < shortestRun)) return undefined
  const urls = plain.map((run) => run.replaceAll('+', '-').replaceAll('/', '_'))
  const runs = [...new Set([...plain, ...urls])]
  const begins = plain.map((run) => {
    const digits = run
      .slice(0, toldAtOnce)
      .split('')
      .map((one) => (/[+/]/.test(one) ? '[+/_-]' : one))
    // The end of a line may be escaped, and the two that are no letters or numbers.
    const more = fewBehind(digits, '%|\\\\+[^"\\\\]', '\\s*')
    return /[+/]/.test(run.charAt(0)) ? `[\\\\%]|[+/_-]${more}` : digits[0] + more
  })
  return {
    runs,
    findEndIn: (encoded) => findEndOfRun(encoded, plain),
    begin: new RegExp(begins.join('|'), 'g'),
  }
}
