import { toBase64, utf8 } from './bytes.ts'
import { backslashes, spellingsOf } from './secret-spellings.ts'

/** The Base64 (RFC 4648, sections 4 and 5) of a secret, alone or as a part of what was encoded. */
export interface Base64OfSecret {
  /** What stands in the text for each of the three places in a group that the secret can begin at. */
  readonly runs: readonly string[]
  /** The same in lines, and with the two digits that are no letters in any spelling. */
  spelt(): RegExp
}

// A shorter one is found in ordinary words.
const shortestRun = 4
// Who knows so much of a secret is not told what stands behind it either.
const longestRun = 64

const digit = '[\\w+/-]'
// With what the next line begins with; bounded, so that the work is linear in the text.
const lineEnd = `(?:\\s|${backslashes}[rn]|%(?:25){0,3}0[aAdD]){0,40}`
const spellings = new Map([
  ['+', `(?:${spellingsOf('+')}|-)`],
  ['/', `(?:${spellingsOf('/')}|_)`],
])

/** The digits that say nothing but the secret, where `before` bytes of its first group of three are others'. */
function runAt(bytes: Uint8Array, before: number): string {
  const shifted = new Uint8Array(before + bytes.length)
  shifted.set(bytes, before)
  const start = Math.ceil((8 * before) / 6)
  const end = Math.floor((8 * shifted.length) / 6)
  return toBase64(shifted).slice(start, end)
}

function expressionOf(run: string): string {
  const digits = [...run.slice(0, longestRun)].map((one) => spellings.get(one) ?? one)
  const behind =
    run.length > longestRun ? `(?:${lineEnd}(?:${digit}|${spellings.get('+')}|${spellings.get('/')}))*` : ''
  return digits.join(lineEnd) + behind
}

/** What a secret looks like in Base64; `undefined` for one that is too short to be told from words. */
export function base64Of(secret: string): Base64OfSecret | undefined {
  const bytes = utf8(secret)
  const plain = [0, 1, 2].map((before) => runAt(bytes, before))
  if (plain.some((run) => run.length < shortestRun)) return undefined
  const urls = plain.map((run) => run.replaceAll('+', '-').replaceAll('/', '_'))
  let spelt: RegExp | undefined
  return {
    runs: [...new Set([...plain, ...urls])],
    spelt() {
      // The digits at both ends say a part of the secret, and a part of something else.
      spelt ??= new RegExp(`${digit}?(?:${plain.map(expressionOf).join('|')})${digit}?={0,2}`, 'g')
      return spelt
    },
  }
}
