import { foldMarks, foldName } from '@truename/mcp-link'
import type { Candidate } from './candidate.ts'

/** What a name means among the candidates. */
export type Choice =
  | { readonly kind: 'one'; readonly candidate: Candidate }
  /** The name means each of these equally well. */
  | { readonly kind: 'several'; readonly candidates: readonly Candidate[] }
  /** Nothing has this name; these have its words in theirs. */
  | { readonly kind: 'suggestions'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'none' }

type Test = (candidate: Candidate) => boolean

/**
 * Finds the document a person means. The closest way in which anything matches decides: the name letter for
 * letter; the name with letter case, normalisation and spacing forgiven; a title or a file name; any of these with
 * marks forgiven. What merely contains the words is suggested and never chosen. The candidates are not altered.
 */
export function chooseDocument(asked: string, candidates: readonly Candidate[]): Choice {
  const folded = foldName(asked)
  const bare = foldMarks(asked)
  const ways: readonly Test[] = [
    ({ name }) => name === asked,
    ({ name }) => foldName(name) === folded,
    ({ also }) => also.some((word) => foldName(word) === folded),
    ({ name, also }) => [name, ...also].some((word) => foldMarks(word) === bare),
  ]
  const distinct = withoutRepeats(candidates)
  for (const way of ways) {
    const found = distinct.filter(way)
    const [first] = found
    if (first && found.length === 1) return { kind: 'one', candidate: first }
    if (first) return { kind: 'several', candidates: found }
  }
  const words = bare.split(' ').filter(Boolean)
  const close = distinct.filter(({ name, also }) => {
    const text = foldMarks([name, ...also].join('\n'))
    return words.length > 0 && words.every((word) => text.includes(word))
  })
  return close.length > 0 ? { kind: 'suggestions', candidates: close } : { kind: 'none' }
}

/** One document is often both listed and completed; its URI on its server says that it is one. */
function withoutRepeats(candidates: readonly Candidate[]): readonly Candidate[] {
  const seen = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const key = JSON.stringify([candidate.server, candidate.uri])
    const before = seen.get(key)
    if (!before) seen.set(key, candidate)
    else seen.set(key, { ...before, also: [...new Set([...before.also, candidate.name, ...candidate.also])] })
  }
  return [...seen.values()]
}
