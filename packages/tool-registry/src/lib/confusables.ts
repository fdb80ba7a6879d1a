import unhomoglyph from 'unhomoglyph'
import { invisibles } from './invisible.ts'

const prototypes = new Map<string, string>()

/** The prototype of one character in Unicode's table of confusables; itself where it has none. */
function prototypeOf(character: string): string {
  const known = prototypes.get(character)
  if (known !== undefined) return known
  const prototype = unhomoglyph(character)
  prototypes.set(character, prototype)
  return prototype
}

/**
 * The skeleton of a text: two texts that look alike have the same one. Unicode's own table of confusables, applied as
 * UTS #39 section 4 says: NFD, without what does not show, each character by its prototype, NFD. For comparing only.
 */
export const skeleton = (text: string): string =>
  Array.from(text.normalize('NFD').replace(invisibles, ''), prototypeOf).join('').normalize('NFD')

/** A skeleton that also takes upper and lower case, and `-`, `_`, `.` and spaces, for the same. */
export const looseSkeleton = (text: string): string =>
  skeleton(skeleton(text.normalize('NFKC')).toLowerCase()).replaceAll(/[\s_.\u02D7-]+/gu, '')

/** Letters that only look like ASCII ones, as the ASCII ones they look like; for reading disguised words. */
export const toAsciiLookalikes = (text: string): string =>
  text.normalize('NFKC').replace(/[^\u0000-\u007F]/gu, (character) => {
    const like = prototypeOf(character)
    return /^[A-Za-z0-9]$/.test(like) ? like : character
  })

const scripts: readonly (readonly [string, RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
]

/**
 * The alphabets that share look-alike letters and stand together in one word, if there is more than one (UTS #39
 * section 5.1, for the scripts whose letters pass for each other's).
 */
export function mixedScripts(word: string): readonly string[] {
  const found = scripts.filter(([, pattern]) => pattern.test(word)).map(([name]) => name)
  return found.length > 1 ? found : []
}
