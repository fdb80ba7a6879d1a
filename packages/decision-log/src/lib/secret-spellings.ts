import { behindPercent, type Encoded, hexAt, letterOf, unitAt } from './encodings.ts'

const space = 0x20
const percent = 0x25
const plus = 0x2b
const backslash = 0x5c
// Backslashes may stand before these, though JSON asks for none.
const mayBeEscaped = new Set([0x22, 0x27, 0x2f])
// One at the end of the text.
const none = -1
// Two ways to read a character can go on at a time; more is not of any writer.
const mostWays = 8

/** Where a spelling ends that begins at a place; 0 where none does. */
export type FindEnd = (from: number) => number

/** How many `25` stand in a secret from a place on. */
function pairsAt(secret: string, at: number): number {
  let pairs = 0
  while (secret.startsWith('25', at + 2 * pairs)) pairs += 1
  return pairs
}

const utf8Of = (code: number): readonly number[] => {
  if (code < 0x80) return [code]
  if (code < 0x800) return [0xc0 | (code >> 6), 0x80 | (code & 63)]
  if (code >= 0xd800 && code < 0xe000) return utf8Of(0xfffd)
  if (code < 0x10000) return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
}

/**
 * Finds a secret with each of its characters as it is, JSON-escaped (RFC 8259, section 7) or percent-encoded (RFC 3986,
 * 2.1), each as often as may be. Compared by hand: an expression of all spellings is a hundred times as long as the
 * secret, and a long one is none.
 */
export function findEndIn(encoded: Encoded, secret: string): FindEnd {
  const { text, ends, counts } = encoded
  // Mostly there is one way to read what was read so far.
  let ways: number[] = []
  let next: number[] = []
  // The backslashes of the secret before the character, and the place behind it in the secret.
  let wanted = 0
  let code = none
  let behind = 0

  const add = (end: number): void => {
    if (end > 0 && next.length < mostWays && !next.includes(end)) next.push(end)
  }

  /** Two units where it takes two, with backslashes before each. */
  const endOfUnits = (at: number): number => {
    if (code < 0x10000) return unitAt(text, at) === code ? at + 5 : 0
    if (unitAt(text, at) !== 0xd800 + ((code - 0x10000) >> 10)) return 0
    const second = ends[at + 5] as number
    return second > 0 && unitAt(text, second) === 0xdc00 + (code & 0x3ff) ? second + 5 : 0
  }

  const endOfBytes = (from: number): number => {
    if (text.charCodeAt(from) !== percent) return 0
    let at = from
    for (const byte of utf8Of(code)) {
      const digits = behindPercent(text, at)
      if (digits === 0 || hexAt(text, digits, 2) !== byte) return 0
      at = digits + 2
    }
    return at
  }

  /** A percent sign is as often encoded as `25` stand behind it, but for those that are the secret's own. */
  const addPercent = (at: number): void => {
    const end = behindPercent(text, at)
    const before = end - 2 * pairsAt(secret, behind)
    if (end > at + 1) add(end)
    if (before > at + 1) add(before)
  }

  /** A character behind so many backslashes. */
  const addCharacter = (at: number, count: number): void => {
    if (code === none) {
      if (count >= wanted) add(at)
      return
    }
    if (wanted > 0 ? count >= wanted : count === 0 || mayBeEscaped.has(code)) {
      if (text.codePointAt(at) === code) add(at + (code < 0x10000 ? 1 : 2))
      if (code === space && text.charCodeAt(at) === plus) add(at + 1)
      if (code === percent) addPercent(at)
      else add(endOfBytes(at))
    }
    if (count > wanted) {
      if (text.charCodeAt(at) === letterOf(code)) add(at + 1)
      add(endOfUnits(at))
    }
  }

  const follow = (from: number): void => {
    if (wanted === 0) addCharacter(from, 0)
    let at = ends[from] as number
    if (at === 0) return
    let count = counts[from] as number
    addCharacter(at, count)
    // Backslashes that are written as `\u005c`, of which each stands for one or more.
    for (let left = wanted; left > 0 && unitAt(text, at) === backslash; left -= 1) {
      at += 5
      count += counts[at] as number
      at = (ends[at] as number) || at
      addCharacter(at, count)
    }
  }

  return (from) => {
    ways.length = 0
    ways.push(from)
    for (let at = 0; at < secret.length; at = behind) {
      wanted = 0
      while (secret.charCodeAt(at + wanted) === backslash) wanted += 1
      code = secret.codePointAt(at + wanted) ?? none
      behind = at + wanted + (code < 0x10000 ? 1 : 2)
      next.length = 0
      for (const way of ways) follow(way)
      if (next.length === 0) return 0
      ;[ways, next] = [next, ways]
    }
    return Math.max(...ways)
  }
}

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
const hexOf = (value: number, width: number): string =>
  value
    .toString(16)
    .padStart(width, '0')
    .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

/**
 * What may stand behind the first of some characters: what is `between` them, and the next one, or the beginning of
 * another spelling. So much is told at once, and the rest is compared by hand. All are sources of expressions.
 */
export function fewBehind(characters: readonly string[], spelt: string, between = '', at = 1): string {
  const one = characters[at]
  if (one === undefined) return ''
  return `${between}(?:${spelt}|${one}${fewBehind(characters, spelt, between, at + 1)})`
}

const toldAtOnce = 5

/**
 * Where spellings of a secret may begin: at the last of the backslashes, if any. The expression does not grow with the
 * secret.
 */
export function beginOf(secret: string): RegExp {
  const oneBackslash = '(?:\\\\|%(?:25)*5[cC])'
  if (secret.startsWith('\\')) return new RegExp(oneBackslash, 'g')
  const units = secret
    .slice(0, toldAtOnce)
    .split('')
    .map((unit) => (unit === ' ' ? '[ +]' : literal(unit)))
  const code = secret.codePointAt(0) as number
  const letter = letterOf(code)
  const escapes = [
    `u${hexOf(secret.charCodeAt(0), 4)}`,
    ...(Number.isNaN(letter) ? [] : [String.fromCharCode(letter)]),
  ]
  const more = fewBehind(units, '[\\\\%]')
  const plainly = units[0] + more
  // Behind the first part of a spelling of two units stands the other.
  const others = code < 0x10000 ? more : ''
  const byte = `%(?:25)*${hexOf(utf8Of(code)[0] as number, 2)}`
  return new RegExp(
    `${plainly}|${oneBackslash}(?:${escapes.join('|')})${others}|${byte}${code < 0x80 ? more : ''}`,
    'g',
  )
}
