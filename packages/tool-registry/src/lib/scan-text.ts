import { mixedScripts } from './confusables.ts'
import type { Severity } from './drift.ts'
import { findHidden, type HiddenKind, spelledByTags } from './hidden-text.ts'
import { type AddressKind, findAddresses } from './model-address.ts'
import { sanitizeForDisplay, visible } from './sanitize.ts'
import type { FoundCharacter, ScanCode } from './scan-finding.ts'

/** What was found in one text. */
export interface TextFinding {
  readonly code: ScanCode
  readonly severity: Severity
  readonly characters: readonly FoundCharacter[]
  readonly excerpt: string
  readonly message: string
}

const hidden: Readonly<Record<HiddenKind, readonly [ScanCode, Severity, string]>> = {
  'terminal-escape': [
    'terminal-escape',
    'high',
    'terminal escape sequences: shown on a terminal, they rewrite the screen',
  ],
  control: ['control-character', 'high', 'control characters, which do not show and may overwrite what does'],
  'bidi-control': ['bidi-control', 'high', 'bidirectional controls: the text reads otherwise than it is'],
  tag: ['tag-characters', 'high', 'tag characters: text that a model reads and a person does not see'],
  'variation-selector': [
    'variation-selectors',
    'high',
    'variation selectors that vary nothing: they can carry hidden text',
  ],
  surrogate: ['lone-surrogate', 'medium', 'an unpaired surrogate: half a character'],
  'private-use': [
    'private-use-character',
    'medium',
    'private-use characters, which mean what each font likes',
  ],
  space: ['unusual-space', 'info', 'spaces other than U+0020'],
  'direction-mark': ['direction-mark', 'medium', 'direction marks where no text runs from right to left'],
  invisible: ['invisible-character', 'high', 'characters that do not show'],
}

const addresses: Readonly<Record<AddressKind, readonly [Severity, string]>> = {
  'addresses-model': ['info', 'words that address the model; nearly half of all honest servers use such'],
  'overrides-instructions': ['high', 'words that set aside other instructions'],
  'hides-from-user': ['high', 'words that ask to keep something from the user'],
  'imitates-markup': ['high', 'markup that imitates the structure of a prompt'],
  'asks-for-secrets': ['high', 'words that ask for secrets or for the conversation'],
  'names-private-files': ['medium', 'paths of files that hold secrets'],
}

/** Structures that hide a text from whoever sees it rendered, or send it elsewhere. */
const structures: readonly (readonly [ScanCode, Severity, RegExp, string])[] = [
  ['hidden-markup', 'medium', /<!--[\s\S]{0,200}/, 'a comment: markup that is not shown when rendered'],
  [
    'hidden-markup',
    'medium',
    /<[a-z]+[^<>]{0,100}(?:display: ?none|font-size: ?0|visibility: ?hidden)/i,
    'markup that hides its content',
  ],
  [
    'remote-image',
    'medium',
    /!\[[^\]]{0,100}\]\(\s*https?:/i,
    'an image from elsewhere: rendering it tells its owner',
  ],
  [
    'padding',
    'medium',
    /(?:[ \t]*\r?\n){20,}|[ \t\u3000]{120,}/,
    'so much empty space that what follows is out of sight',
  ],
  ['stacked-marks', 'low', /\p{M}{5,}/u, 'more combining marks on one letter than any script has'],
  [
    'styled-letters',
    'low',
    /[\u{1D400}-\u{1D7FF}\u{1F130}-\u{1F169}\uFF21-\uFF3A\uFF41-\uFF5A\u24B6-\u24E9]{3,}/u,
    'styled letters, which searches for words pass over',
  ],
]

const isAscii = (text: string): boolean => /^[\u0000-\u007F]*$/.test(text)

const words = /[\p{L}\p{M}]+/gu

/** Everything there is to say of one text, wherever it stands. */
export function scanText(text: string): TextFinding[] {
  return [...findHiddenText(text), ...findWords(text), ...findStructures(text)]
}

function findHiddenText(text: string): TextFinding[] {
  const byKind = new Map<
    HiddenKind,
    { characters: FoundCharacter[]; index: number; end: number; spelled: string }
  >()
  for (const run of findHidden(text)) {
    const found = byKind.get(run.kind) ?? { characters: [], index: run.index, end: 0, spelled: '' }
    let index = run.index
    for (const character of run.text) {
      if (found.characters.length < 32)
        found.characters.push({ codePoint: visible(character).slice(1, -1), index })
      index += character.length
    }
    found.end = index
    if (run.kind === 'tag') found.spelled += spelledByTags(run.text)
    byKind.set(run.kind, found)
  }
  return [...byKind].map(([kind, { characters, index, end, spelled }]) => {
    const [code, severity, message] = hidden[kind]
    const shown = excerptOf(text, index, end)
    const excerpt = spelled === '' ? shown : `${shown} (spells ${JSON.stringify(spelled.slice(0, 120))})`
    return { code, severity, characters, excerpt, message }
  })
}

function findWords(text: string): TextFinding[] {
  const findings: TextFinding[] = findAddresses(text).map(({ kind, phrase }) => {
    const [severity, message] = addresses[kind]
    return {
      code: kind,
      severity,
      characters: [],
      excerpt: sanitizeForDisplay(phrase, { lines: 'escape', limit: 160 }),
      message,
    }
  })
  if (isAscii(text)) return findings
  for (const match of text.matchAll(words)) {
    if (isAscii(match[0])) continue
    const mixed = mixedScripts(match[0])
    if (mixed.length === 0) continue
    findings.push({
      code: 'mixed-script-word',
      severity: 'high',
      characters: charactersOf(match[0], match.index, (character) => /[^\u0000-\u007F]/.test(character)),
      excerpt: excerptOf(text, match.index, match.index + match[0].length),
      message: `a word of letters from several alphabets (${mixed.join(', ')}) that look alike`,
    })
    break
  }
  return findings
}

function findStructures(text: string): TextFinding[] {
  return structures.flatMap(([code, severity, pattern, message]) => {
    const match = pattern.exec(text)
    return match
      ? [
          {
            code,
            severity,
            characters: [],
            excerpt: excerptOf(text, match.index, match.index + match[0].length),
            message,
          },
        ]
      : []
  })
}

function charactersOf(part: string, start: number, wanted: (character: string) => boolean): FoundCharacter[] {
  const found: FoundCharacter[] = []
  let index = start
  for (const character of part) {
    if (wanted(character)) found.push({ codePoint: visible(character).slice(1, -1), index })
    index += character.length
  }
  return found.slice(0, 32)
}

/** What stands around a place, made visible, on one line. */
export function excerptOf(text: string, start: number, end: number): string {
  const from = Math.max(0, start - 24)
  const part = text.slice(from, Math.min(text.length, Math.max(end, start + 1), start + 120) + 24)
  const shown = sanitizeForDisplay(part, { lines: 'escape' })
  return `${from > 0 ? '…' : ''}${shown}${from + part.length < text.length ? '…' : ''}`
}
