import { octetAt, PERCENT, reservedText, tripletSize, unreservedText } from './characters.ts'

/**
 * One step of a URI in canonical spelling: a character that stands for itself, the triplets of one code point, or a
 * single triplet that is part of no text.
 */
export type Unit = string

/** The units of a canonical text. */
export function unitsOf(text: string): Unit[] {
  const units: Unit[] = []
  for (let at = 0; at < text.length; ) {
    const size =
      text.charCodeAt(at) === PERCENT ? tripletSize(text, at) || (octetAt(text, at) < 0 ? 1 : 3) : 1
    units.push(text.slice(at, at + size))
    at += size
  }
  return units
}

/** All units that a witness needs to be made of, the ones that read best first. */
export const usualUnits: readonly Unit[] = [
  ...unreservedText.slice(26, 62),
  ...unreservedText.slice(0, 26),
  '-',
  '_',
  '~',
  '.',
  '/',
  ...[...reservedText].filter((unit) => unit !== '/'),
  '%20',
  '%25',
  '%2F',
  '%C3%A9',
]
