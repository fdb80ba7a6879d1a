/** A mistake that `explain` names, by the names that `diagnose` of uri-codec uses. */
export type Misspelling =
  | 'plus-for-space'
  | 'plus-read-as-space'
  | 'double-encoding'
  | 'not-encoded'
  | 'raw-slash'
  | 'reserved-encoded'
  | 'whole-uri-encoded'
  | 'normalization'
  | 'case-changed'
  | 'different'

/** Characters, and triplets, however often they were encoded; what is not ASCII is levelled, and one by its triplets. */
const unitsOf = (text: string, level: (text: string) => string): readonly string[] =>
  level(
    text.replace(/(%[89a-f][\da-f])+/gi, (triplets) => {
      try {
        return decodeURIComponent(triplets)
      } catch {
        // Triplets that are no text stand for themselves.
        return triplets
      }
    }),
  )
    .replace(/[^\0-\x7f\p{Cs}]+/gu, encodeURIComponent)
    .match(/%(25)*[\da-f]{2}|./gis) ?? []

/** The mistake by which one unit became another; `''` for none, `undefined` where it is no known one. */
function mistakeAt(received: string, right: string): Misspelling | '' | undefined {
  const given = received.replace(/%../, (triplet) => triplet.toUpperCase())
  const due = right.replace(/%../, (triplet) => triplet.toUpperCase())
  const once = given.replace(/%[0-7]./, decodeURIComponent)
  const meant = due.replace(/%[0-7]./, decodeURIComponent)
  if (given === due) return ''
  if (meant === ' ' && once === '+') return 'plus-for-space'
  if (meant === '+' && once === ' ') return 'plus-read-as-space'
  if (due[1] && given.startsWith('%25') && given.toUpperCase().endsWith(due.toUpperCase().slice(1)))
    return 'double-encoding'
  if (meant !== once && meant !== received) return undefined
  // An unreserved character is the same either way.
  if (/^[\w.~-]$/.test(meant)) return ''
  return !due[1] ? 'reserved-encoded' : received === '/' ? 'raw-slash' : 'not-encoded'
}

/**
 * The usual mistakes by which a URI became what was received, place by place: none where that is the same URI (RFC 3986
 * section 6.2.2), and `different` where mistakes do not explain it. `diagnose` of uri-codec finds more, and where.
 */
export function misspellings(received: string, right: string): Misspelling[] {
  /** The mistakes in texts that are made the same where they differ by `codes`; `undefined` where some are unknown. */
  function under(level: (text: string) => string, ...codes: Misspelling[]): Misspelling[] | undefined {
    const due = unitsOf(right, level)
    const given = unitsOf(received, level)
    if (given.length !== due.length) return undefined
    const mistakes = given.map((unit, at) => mistakeAt(unit, due[at]!))
    if (mistakes.includes(undefined)) return undefined
    if (/[^\0-\x7f]/.test(received)) mistakes.push('not-encoded')
    return [...new Set([...mistakes, ...codes])].flatMap((code) => code || [])
  }
  const plain = under((text) => text)
  if (plain) return plain
  const both = under((text) => text.normalize().toUpperCase(), 'normalization', 'case-changed')
  if (!both) return ['different']
  return (
    under((text) => text.toUpperCase(), 'case-changed') ??
    under((text) => text.normalize(), 'normalization') ??
    both
  )
}
