/** A mistake that `explain` names, by the names that `diagnose` of uri-codec uses. */
export type Misspelling =
  | 'hex-case'
  | 'plus-for-space'
  | 'double-encoding'
  | 'not-encoded'
  | 'normalization'
  | 'case-changed'
  | 'different'

/** A text with all triplets decoded that stand for a text. */
const decoded = (text: string): string =>
  text.replace(/(%[\da-f]{2})+/gi, (triplets) => {
    try {
      return decodeURIComponent(triplets)
    } catch {
      return triplets
    }
  })

/** What makes a text the same whether the mistake was made or not. */
const levellers: readonly (readonly [Misspelling, (text: string) => string])[] = [
  ['hex-case', (text) => text.replace(/%../g, (triplet) => triplet.toUpperCase())],
  ['plus-for-space', (text) => text.replace(/\+|%2B| /g, '%20')],
  ['double-encoding', (text) => text.replace(/%(25)+/g, '%')],
  ['not-encoded', decoded],
  ['normalization', (text) => decoded(text).normalize()],
  ['case-changed', (text) => decoded(text).toLowerCase()],
]

/**
 * The usual mistakes by which one URI became another, as few as explain it; `different` where they do not. Of each
 * mistake only whether it was made is looked at: `diagnose` of uri-codec finds more, and where they are.
 */
export function misspellings(received: string, right: string): Misspelling[] {
  const isExplained = (by: typeof levellers): boolean => {
    const level = (text: string): string => by.reduce((same, [, of]) => of(same), text)
    return level(received) === level(right)
  }
  if (!isExplained(levellers)) return ['different']
  let needed = levellers
  // The later ones level more.
  for (const each of [...levellers].reverse()) {
    const others = needed.filter((other) => other !== each)
    if (isExplained(others)) needed = others
  }
  return needed.map(([code]) => code)
}
