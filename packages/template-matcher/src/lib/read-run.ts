import { type CharacterSet, hexDigits, PERCENT, REFUSE, runEnd, TAKE } from './characters.ts'

/** A run of characters: where it ends, and what it stands for, decoded once. */
export interface Run {
  readonly end: number
  readonly value: string
}

// What every platform has, though no standard of the language.
const platform = globalThis as unknown as {
  readonly TextEncoder: new () => { encodeInto(text: string, target: Uint8Array): object }
  readonly TextDecoder: new (label: string, options: object) => { decode(units: Uint16Array): string }
}

/** How much is decoded at a time. */
const stretch = 1 << 14
/** Below how many characters the platform's encoder takes longer than it saves. */
const short = 256
/** The longest code point in triplets. */
const longest = 12

/** Makes {@link readRun}. What it works with is constant in one closure: compiled code is twice as fast by that. */
function createReader(): (text: string, from: number, set: CharacterSet) => Run {
  const octets = new Uint8Array(stretch + 4)
  const octetPairs = new Uint16Array(octets.buffer)
  const units = new Uint16Array(stretch)
  const digits = hexDigits
  /** The same for all code units. */
  const anyDigits = new Uint16Array(1 << 16).fill(256)
  anyDigits.set(digits)
  const encoder = new platform.TextEncoder()
  const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1
  const decoder = new platform.TextDecoder(littleEndian ? 'utf-16le' : 'utf-16be', { ignoreBOM: true })
  const lists: number[][] = []
  const pairTables = new Map<CharacterSet, Uint8Array>()
  /** How many octets were read last. */
  let read = 0

  /** Puts the characters from `from` on into `octets`, as far as they are ASCII. Answers how many may be looked at. */
  function load(text: string, from: number): number {
    const count = Math.min(text.length - from, stretch)
    // What is not ASCII takes other octets, and no run goes on behind it.
    encoder.encodeInto(text.slice(from, from + count), octets)
    // Nothing goes on behind the end.
    octets[count] = 0
    octets[count + 1] = 0
    return count
  }

  /** For each pair of characters, whether both are of a set as they are. */
  function pairsOf(set: CharacterSet): Uint8Array {
    let pairs = pairTables.get(set)
    if (pairs === undefined) {
      pairs = new Uint8Array(1 << 16)
      for (let first = 0; first < 128; first += 1)
        for (let second = 0; second < 128; second += 1)
          pairs[(first << 8) | second] = set[first]! & set[second]!
      pairTables.set(set, pairs)
    }
    return pairs
  }

  /** How many octets are single characters of a set, from the first on. Two at a time are four times as fast as one. */
  function takePlain(set: CharacterSet): number {
    const pairs = pairsOf(set)
    let at = 0
    while ((pairs[octetPairs[at]!]! & pairs[octetPairs[at + 1]!]!) === 1) at += 2
    at *= 2
    while (set[octets[at]!] === TAKE) at += 1
    return at
  }

  /**
   * Decodes octets from `start` up to `last` as far as `set` and UTF-8 (RFC 3629 section 4: no overlong forms, no
   * surrogates) allow. Answers how many units they are. The octets of a code point one by one: twice as fast as a loop.
   */
  function decode(set: CharacterSet, start: number, last: number): number {
    let size = 0
    let at = start
    while (at < last) {
      let point = octets[at]!
      if (point !== PERCENT) {
        if (set[point] !== TAKE) break
        at += 1
      } else {
        point = (digits[octets[at + 1]!]! << 4) | digits[octets[at + 2]!]!
        if (point < 128) at += 3
        else {
          const second = (digits[octets[at + 4]!]! << 4) | digits[octets[at + 5]!]!
          if (point < 0xc2 || point > 0xf4 || octets[at + 3] !== PERCENT || second >> 6 !== 2) break
          if (point < 0xe0) {
            point = ((point & 31) << 6) | (second & 63)
            at += 6
          } else {
            const third = (digits[octets[at + 7]!]! << 4) | digits[octets[at + 8]!]!
            if (octets[at + 6] !== PERCENT || third >> 6 !== 2) break
            point = ((point & 31) << 12) | ((second & 63) << 6) | (third & 63)
            if (point < 0x10000) {
              if (point < 0x800 || point >> 11 === 27) break
              at += 9
            } else {
              const fourth = (digits[octets[at + 10]!]! << 4) | digits[octets[at + 11]!]!
              point = ((point & 0x7fff) << 6) | (fourth & 63)
              if (octets[at + 9] !== PERCENT || fourth >> 6 !== 2 || point < 0x10000 || point > 0x10ffff)
                break
              units[size++] = 0xd7c0 + (point >> 10)
              point = 0xdc00 | (point & 1023)
              at += 12
            }
          }
        }
      }
      units[size++] = point
    }
    read = at
    return size
  }

  /**
   * Decodes a text that is short from `from` on as {@link decode} does: quicker than to load it. The rules stand here once
   * more because they are quick only over one kind of source each: with `tripletSize` and `octetAt` in common, values
   * that are not ASCII took nearly twice as long. A test holds both to the platform's decoder.
   */
  function decodeShort(text: string, from: number, set: CharacterSet): number {
    const end = text.length
    let size = 0
    let at = from
    while (at < end) {
      let point = text.charCodeAt(at)
      if (point !== PERCENT) {
        if (point > 127 || set[point] !== TAKE) break
        at += 1
      } else {
        if (at + 2 >= end) break
        point = (anyDigits[text.charCodeAt(at + 1)]! << 4) | anyDigits[text.charCodeAt(at + 2)]!
        if (point < 128) at += 3
        else {
          if (at + 5 >= end || text.charCodeAt(at + 3) !== PERCENT || point < 0xc2 || point > 0xf4) break
          const second = (anyDigits[text.charCodeAt(at + 4)]! << 4) | anyDigits[text.charCodeAt(at + 5)]!
          if (second >> 6 !== 2) break
          if (point < 0xe0) {
            point = ((point & 31) << 6) | (second & 63)
            at += 6
          } else {
            const third = (anyDigits[text.charCodeAt(at + 7)]! << 4) | anyDigits[text.charCodeAt(at + 8)]!
            if (at + 8 >= end || text.charCodeAt(at + 6) !== PERCENT || third >> 6 !== 2) break
            point = ((point & 31) << 12) | ((second & 63) << 6) | (third & 63)
            if (point < 0x10000) {
              if (point < 0x800 || point >> 11 === 27) break
              at += 9
            } else {
              const fourth =
                (anyDigits[text.charCodeAt(at + 10)]! << 4) | anyDigits[text.charCodeAt(at + 11)]!
              point = ((point & 0x7fff) << 6) | (fourth & 63)
              if (at + 11 >= end || text.charCodeAt(at + 9) !== PERCENT || fourth >> 6 !== 2) break
              if (point < 0x10000 || point > 0x10ffff) break
              units[size++] = 0xd7c0 + (point >> 10)
              point = 0xdc00 | (point & 1023)
              at += 12
            }
          }
        }
      }
      units[size++] = point
    }
    read = at
    return size
  }

  /** The text of the first `size` units. */
  function textOf(size: number): string {
    if (size > 64) return decoder.decode(units.subarray(0, size))
    // A list that is there already: making one takes longer than making the text.
    lists[size] ??= new Array<number>(size).fill(0)
    const list = lists[size]!
    for (let at = 0; at < size; at += 1) list[at] = units[at]!
    return String.fromCharCode.apply(null, list)
  }

  return (text, from, set) => {
    if (set[128] !== REFUSE) return { end: runEnd(text, from, set), value: '' }
    let at = from
    // What is short is over before the platform's encoder has begun.
    const soon = Math.min(text.length, from + 40)
    while (at < soon && set[text.charCodeAt(at)] === TAKE) at += 1
    if (text.charCodeAt(at) !== PERCENT && (at < soon || at === text.length))
      return { end: at, value: text.slice(from, at) }
    let value = at > from ? text.slice(from, at) : ''
    if (text.length - at < short) {
      value += textOf(decodeShort(text, at, set))
      return { end: read, value }
    }
    for (;;) {
      const count = load(text, at)
      const last = count < stretch ? count : count - longest
      read = octets[0] === PERCENT ? 0 : takePlain(set)
      if (read > 0) value += text.slice(at, at + read)
      if (octets[read] === PERCENT) value += textOf(decode(set, read, last))
      at += read
      if (read < last || last === count) return { end: at, value }
    }
  }
}

/**
 * Reads the longest run of characters of a set, from `from` on, and decodes it in the same go. The value is `''` for
 * sets with characters other than ASCII.
 */
export const readRun = /* @__PURE__ */ createReader()
