import { invisible } from './invisible.ts'

/** What kind of characters that do not show as themselves stand in a run. */
export type HiddenKind =
  | 'terminal-escape'
  | 'control'
  | 'bidi-control'
  | 'tag'
  | 'variation-selector'
  | 'surrogate'
  | 'private-use'
  | 'space'
  | 'direction-mark'
  | 'invisible'

/** A run of characters of one kind that do not show as themselves. */
export interface HiddenRun {
  readonly kind: HiddenKind
  /** Where it starts, in UTF-16 code units. */
  readonly index: number
  readonly text: string
}

/** Escape sequences of terminals: CSI, OSC and the other string controls, and two-character ones (ECMA-48 section 5). */
const escapeSequence =
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|\u001B[ -/]*[0-~]?/y

/** Emoji flags of England, Scotland and Wales: the tag sequences in RGI emoji (UTS #51 section 1.4.9). */
const regionFlag =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/uy

const pictograph = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/u
const emojiBase = /\p{Emoji}/u
/** Scripts in which U+200C and U+200D shape the letters they stand between (RFC 5892, appendix A). */
const joiningScript =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

const kinds: readonly (readonly [HiddenKind, RegExp])[] = [
  ['control', /[\u0000-\u001F\u007F-\u009F]/],
  ['bidi-control', /[\u202A-\u202E\u2066-\u2069]/],
  ['direction-mark', /[\u200E\u200F\u061C]/],
  ['tag', /[\u{E0000}-\u{E007F}]/u],
  ['variation-selector', /[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}\u{180B}-\u{180D}\u{180F}]/u],
  ['surrogate', /\p{Surrogate}/u],
  ['private-use', /\p{Private_Use}/u],
  ['space', /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/],
]

const kindOfCharacter = (character: string): HiddenKind =>
  kinds.find(([, pattern]) => pattern.test(character))?.[0] ?? 'invisible'

/**
 * Finds the characters of a text that do not show as themselves, in runs of one kind. What writing needs is left
 * out: line breaks and tabs, emoji sequences and the three flags made of tags, joiners inside scripts that join,
 * direction marks beside right-to-left text, one variation selector after a character that can have one.
 */
export function findHidden(text: string): HiddenRun[] {
  if (!invisible.test(text)) return []
  const runs: HiddenRun[] = []
  let index = 0
  const add = (kind: HiddenKind, part: string): void => {
    const last = runs.at(-1)
    if (last && last.kind === kind && last.index + last.text.length === index) {
      runs[runs.length - 1] = { ...last, text: last.text + part }
    } else runs.push({ kind, index, text: part })
    index += part.length
  }
  while (index < text.length) {
    const sequence = matchAt(escapeSequence, text, index)
    const flag = matchAt(regionFlag, text, index)
    const character = String.fromCodePoint(text.codePointAt(index) ?? 0)
    if (sequence !== undefined) add('terminal-escape', sequence)
    else if (flag !== undefined) index += flag.length
    else if (!invisible.test(character) || isWriting(text, index, character)) index += character.length
    else add(kindOfCharacter(character), character)
  }
  return runs
}

function matchAt(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index
  return pattern.exec(text)?.[0]
}

/** Whether ordinary writing has this character here. */
function isWriting(text: string, index: number, character: string): boolean {
  const before = lastCodePoint(text, index)
  const after = text.codePointAt(index + character.length)
  const next = after === undefined ? '' : String.fromCodePoint(after)
  switch (character) {
    case '\n':
    case '\t':
      return true
    case '\r':
      return next === '\n'
    case '\u200D':
      return joinsEmoji(text, index, next) || (joiningScript.test(before) && joiningScript.test(next))
    case '\u200C':
      return joiningScript.test(before) && joiningScript.test(next)
    case '\u200E':
    case '\u200F':
    case '\u061C':
      return rightToLeft.test(before) || rightToLeft.test(next)
    case '\uFE0E':
    case '\uFE0F':
      return emojiBase.test(before) || /\p{Math}/u.test(before)
  }
  if (/[\u{E0100}-\u{E01EF}\uFE00-\uFE02]/u.test(character)) return /\p{Script=Han}/u.test(before)
  if (/[\u180B-\u180F]/.test(character)) return /\p{Script=Mongolian}/u.test(before)
  return false
}

function joinsEmoji(text: string, index: number, next: string): boolean {
  const before = lastCodePoint(text, index)
  const base = before === '\uFE0F' ? lastCodePoint(text, index - 1) : before
  return pictograph.test(base) && pictograph.test(next)
}

/** The character that ends before an index, or an empty text. */
function lastCodePoint(text: string, index: number): string {
  const unit = text.charCodeAt(index - 1)
  if (Number.isNaN(unit)) return ''
  const paired = unit >= 0xdc00 && unit <= 0xdfff && index >= 2
  return paired && (text.codePointAt(index - 2) ?? 0) > 0xffff
    ? text.slice(index - 2, index)
    : text.charAt(index - 1)
}

/** The text without its hidden runs. */
export function withoutHidden(text: string): string {
  let result = ''
  let from = 0
  for (const run of findHidden(text)) {
    result += text.slice(from, run.index) + (run.kind === 'space' ? ' ' : '')
    from = run.index + run.text.length
  }
  return result + text.slice(from)
}

/** What a run of tag characters spells in ASCII, where it spells anything. */
export const spelledByTags = (text: string): string =>
  [...text]
    .map((character) => (character.codePointAt(0) ?? 0) - 0xe0000)
    .filter((code) => code >= 0x20 && code <= 0x7e)
    .map((code) => String.fromCodePoint(code))
    .join('')
